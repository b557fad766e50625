#!/bin/sh
# What the build server runs.
set -eu
cd "$(dirname "$0")/.."
export PYTHONPATH=src
python -W error -m unittest discover -s tests -t .
python -m flake8 src tests
python -m compileall -q src
