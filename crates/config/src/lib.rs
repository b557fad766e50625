//! piton.toml: layers, defaults and trust.
