//! Notes, chords and song sheets.

pub mod chord;
pub mod note;
pub mod sheet;

pub use chord::{Chord, Quality};
pub use note::{Note, NoteError};
pub use sheet::{transpose_sheet, SheetError};
