#!/bin/sh
set -eu
node scripts/imports.js
npm test --silent
