//! Works out sums as people type them.

pub mod error;
pub mod eval;
pub mod lexer;
pub mod parser;
pub mod session;

pub use error::CalcError;
pub use eval::{evaluate, Env};
pub use parser::parse;
pub use session::{Rates, Session};
