"""Settings shared by all tests."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# Tests press Ctrl-C in processes of their own, which would inherit it if it were ignored here, as in a shell's background.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Times differ too much between machines to fail a test, and a large network is slow to draw.
settings.register_profile("dconvex", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("dconvex"), max_examples=500)  # --hypothesis-profile=thorough
settings.load_profile("dconvex")
