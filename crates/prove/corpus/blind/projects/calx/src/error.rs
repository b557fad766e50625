use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub enum CalcError {
    /// A character that starts no token, and where.
    Char(char, usize),
    Number(String),
    /// A token that does not fit, and where.
    Unexpected(usize),
    End,
    TooDeep,
    Unknown(String),
    Arguments { name: String, found: usize },
    DivisionByZero,
    Domain(String),
}

impl fmt::Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalcError::Char(c, at) => write!(f, "{c:?} at {at} means nothing"),
            CalcError::Number(text) => write!(f, "not a number: {text:?}"),
            CalcError::Unexpected(at) => write!(f, "did not expect this at {at}"),
            CalcError::End => write!(f, "something is missing at the end"),
            CalcError::TooDeep => write!(f, "too deep"),
            CalcError::Unknown(name) => write!(f, "unknown: {name}"),
            CalcError::Arguments { name, found } => write!(f, "{name} does not take {found} arguments"),
            CalcError::DivisionByZero => write!(f, "division by zero"),
            CalcError::Domain(name) => write!(f, "{name} is not defined there"),
        }
    }
}
