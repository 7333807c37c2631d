#!/bin/sh
# Make the virtual environment $1 with the first Python 3.11 … 3.14 that works, can make one and has its headers.
set -eu
target=$1
usable='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))'
headers='import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
lacking=
for python in ${PYTHON:-python3.13 python3.12 python3.11 python3.14 python3 python}; do
    "$python" -c "$usable" >/dev/null 2>&1 || continue
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        lacking="$python cannot make virtual environments (no ensurepip): on Debian or Ubuntu run 'apt-get install python3-venv'"
    elif ! "$python" -c "$headers" >/dev/null 2>&1; then
        lacking="$python lacks its headers (no Python.h): on Debian or Ubuntu run 'apt-get install python3-dev'"
    else
        echo "making $target with $("$python" --version)"
        exec "$python" -m venv "$target"
    fi
done
echo "${lacking:-no Python 3.11 to 3.14 found: install one, or name it with 'make PYTHON=/path/to/python …'}" >&2
exit 1
