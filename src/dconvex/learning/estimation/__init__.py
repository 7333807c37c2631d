"""Tables and regressions from statistics: maximum likelihood, or posterior means under a prior."""
