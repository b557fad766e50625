"""The generator of the guard's corpus: `tree` has projects and edits, `language` what all languages share."""
