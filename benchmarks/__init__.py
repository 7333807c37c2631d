"""Our speed against that of the peers, on the same work in the same run: `python -m benchmarks --help`."""
