"""`python -m dconvex` is the command line."""

from dconvex.cli import main

if __name__ == "__main__":
    main()
