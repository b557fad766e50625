#!/bin/sh
set -e
cargo test --offline --quiet
