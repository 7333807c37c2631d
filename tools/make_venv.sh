#!/bin/sh
# Make the virtual environment $1 with the first Python 3.11 … 3.14 that works and can make one.
set -eu
target=$1
usable='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'
lacking=
for python in ${PYTHON:-python3.13 python3.12 python3.11 python3.14 python3 python}; do
    "$python" -c "$usable" >/dev/null 2>&1 || continue
    if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        echo "making $target with $("$python" --version)"
        exec "$python" -m venv "$target"
    fi
    lacking=$python
done
if [ -n "$lacking" ]; then
    echo "$lacking cannot make virtual environments (no ensurepip): on Debian or Ubuntu run 'apt-get install python3-venv'" >&2
else
    echo "no Python 3.11 to 3.14 found: install one, or name it with 'make PYTHON=/path/to/python …'" >&2
fi
exit 1
