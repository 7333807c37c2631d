"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Times differ too much between machines to fail a test, and a large network is slow to draw.
settings.register_profile("dconvex", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("dconvex"), max_examples=500)  # --hypothesis-profile=thorough
settings.load_profile("dconvex")
