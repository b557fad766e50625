#!/bin/bash
# Fails when less than the given share of statements is covered.
set -euo pipefail
go test -coverprofile=cover.out ./...
total=$(go tool cover -func=cover.out | awk '/^total:/ { print int($3) }')
if [ "$total" -lt "$1" ]; then
	echo "coverage $total% is below $1%" >&2
	exit 1
fi
