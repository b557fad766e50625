#!/bin/sh
set -eu
npm test --silent
