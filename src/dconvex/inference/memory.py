"""How much memory a question may take unless it says otherwise."""

from dconvex.limits import NO_LIMIT, default_limit, limit_of

__all__ = ["NO_LIMIT", "default_limit", "limit_of"]
