#!/bin/sh
# Everything that must hold before a change is merged.
set -eu

flake8 parcel tests
coverage run -m unittest discover -s tests -t .
coverage report
