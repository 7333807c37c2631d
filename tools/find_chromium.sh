#!/bin/sh
# Print where Chromium is: the one that $CHROMIUM names, the first on the PATH that runs, or Debian's, installed where we may.
set -eu

found() {
    for name in ${CHROMIUM:-} chromium chromium-browser google-chrome google-chrome-stable; do
        if path=$(command -v "$name") && "$path" --version >/dev/null 2>&1; then
            echo "$path"
            return 0
        fi
    done
    return 1
}

install() {
    command -v apt-get >/dev/null || return 1
    as_root=
    [ "$(id -u)" -eq 0 ] || { sudo -n true 2>/dev/null && as_root="sudo -n"; } || return 1
    echo "installing Debian's chromium" >&2
    $as_root apt-get -qq update >&2 &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-liberation >&2
}

found && exit
install && found && exit
echo "no Chromium found: install it ('apt-get install chromium' on Debian), or name one with CHROMIUM=/path/to/chromium" >&2
exit 1
