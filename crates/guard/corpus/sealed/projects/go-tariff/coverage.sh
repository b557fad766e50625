#!/bin/sh
# coverage.sh FILE LEAST: fails when less than LEAST percent are covered.
set -e
total=$(go tool cover -func="$1" | awk '/^total:/ { sub("%", "", $3); print int($3) }')
echo "covered: $total %"
test "$total" -ge "$2"
