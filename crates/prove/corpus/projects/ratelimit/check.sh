#!/bin/sh
# The unit tests and the examples of the documentation.
set -eu
cd "$(dirname "$0")"

python3 -m unittest discover -s tests -t .
python3 -m doctest docs/usage.md
