#!/bin/sh
set -eu
cargo fmt --all -- --check
cargo clippy --all-targets --all-features -- -D warnings
PROPTEST_CASES=512 cargo test --all-features
