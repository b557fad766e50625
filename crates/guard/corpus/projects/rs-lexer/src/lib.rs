//! A small expression language.
pub mod eval;
pub mod parser;
pub mod token;

pub use eval::{eval, EvalError};
pub use parser::{parse, Expr, ParseError};
pub use token::{tokenize, LexError, Token};
