#!/bin/sh
# The command line: output and status.
set -eu
tool="node bin/semver.js"

expect() {
    if [ "$1" != "$2" ]; then
        printf 'expected: %s\n     got: %s\n' "$1" "$2" >&2
        exit 1
    fi
}

status() {
    set +e
    "$@" >/dev/null 2>&1
    code=$?
    set -e
    echo $code
}

expect "1.2.0
1.10.0" "$($tool sort 1.10.0 1.2.0)"
expect "2.0.0" "$($tool bump 1.9.3 major)"
expect "1.4.9" "$($tool best '^1.2' 1.4.9 2.0.0 1.3.0)"
expect 1 "$(status $tool best '^3' 1.0.0)"
expect 2 "$(status $tool sort banana)"
expect 2 "$(status $tool fly)"
