#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
gofmt -l . | (! grep .)
go vet ./...
go test -race -coverpkg=./... -coverprofile=cover.out ./...
go tool cover -func=cover.out | awk '/^total/ { if ($3 + 0 < 80) { print "coverage " $3; exit 1 } }'
