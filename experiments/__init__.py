"""The figures and tables of the paper, made anew: `python -m experiments NAME… [--quick | --smoke]`."""
