#!/bin/sh
# Runs before every push; CI runs the same.
set -e
npm run lint
npm test
