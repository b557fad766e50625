//! What went wrong, as a person needs it: the error, its causes, the next command, an exit code.

pub(crate) use piton_view::{Error as Failure, ErrorKind};

/// What a command ends with, unless another value is named: its exit code, or why it could not.
pub(crate) type Result<T = piton_model::ExitCode, E = Failure> = std::result::Result<T, E>;
