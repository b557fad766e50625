//! The published file formats, rendered from the journal.
