//! What every format does to the few values that it could not show otherwise.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;

/// Readers know years of four digits; a broken clock must not make a file that they cannot read.
pub(crate) fn in_calendar(moment: Timestamp) -> Timestamp {
    const FIRST_OF_YEAR_0_MS: i64 = -62_167_219_200_000;
    const END_OF_YEAR_9999_MS: i64 = 253_402_128_000_000;
    Timestamp::from_millis(moment.as_millis().clamp(FIRST_OF_YEAR_0_MS, END_OF_YEAR_9999_MS))
}

/// JSON has no bytes that are not text.
pub(crate) fn text_path(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().into_owned())
}
