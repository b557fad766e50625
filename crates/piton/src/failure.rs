//! What went wrong, as a person needs it: the error, its causes, the next command, an exit code.

pub(crate) use piton_view::{Error as Failure, ErrorKind};
