"""The figures and tables of the paper, reproduced: `python -m experiments NAME… [--quick | --smoke]`."""
