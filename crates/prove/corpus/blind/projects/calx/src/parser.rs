use crate::error::CalcError;
use crate::lexer::{tokens, Token};

pub const DEPTH: usize = 40;

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Number(f64),
    Name(String),
    Minus(Box<Expr>),
    Binary(char, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    depth: usize,
}

pub fn parse(text: &str) -> Result<Expr, CalcError> {
    parse_tokens(tokens(text)?)
}

pub fn parse_tokens(tokens: Vec<(Token, usize)>) -> Result<Expr, CalcError> {
    let mut parser = Parser { tokens, next: 0, depth: 0 };
    let expr = parser.sum()?;
    match parser.tokens.get(parser.next) {
        Some((_, at)) => Err(CalcError::Unexpected(*at)),
        None => Ok(expr),
    }
}

impl Parser {
    /// Takes the next sign when it is one of `signs`.
    fn take(&mut self, signs: &str) -> Option<char> {
        match self.tokens.get(self.next) {
            Some((Token::Sign(c), _)) if signs.contains(*c) => {
                self.next += 1;
                Some(*c)
            }
            _ => None,
        }
    }

    fn fail<T>(&self) -> Result<T, CalcError> {
        Err(self.tokens.get(self.next).map_or(CalcError::End, |(_, at)| CalcError::Unexpected(*at)))
    }

    fn sum(&mut self) -> Result<Expr, CalcError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(CalcError::TooDeep);
        }
        let mut left = self.product()?;
        while let Some(sign) = self.take("+-") {
            left = Expr::Binary(sign, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, CalcError> {
        let mut left = self.minus()?;
        while let Some(sign) = self.take("*/%") {
            left = Expr::Binary(sign, Box::new(left), Box::new(self.minus()?));
        }
        Ok(left)
    }

    /// A minus binds less than a power: -2^2 is -4.
    fn minus(&mut self) -> Result<Expr, CalcError> {
        if self.take("-").is_some() {
            return Ok(Expr::Minus(Box::new(self.minus()?)));
        }
        self.power()
    }

    /// From the right: 2^3^2 is 2^9.
    fn power(&mut self) -> Result<Expr, CalcError> {
        let base = self.atom()?;
        if self.take("^").is_some() {
            return Ok(Expr::Binary('^', Box::new(base), Box::new(self.minus()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Expr, CalcError> {
        match self.tokens.get(self.next).map(|(token, _)| token.clone()) {
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(Expr::Number(number))
            }
            Some(Token::Name(name)) => {
                self.next += 1;
                if self.take("(").is_none() {
                    return Ok(Expr::Name(name));
                }
                let mut arguments = Vec::new();
                if self.take(")").is_some() {
                    return Ok(Expr::Call(name, arguments));
                }
                loop {
                    arguments.push(self.sum()?);
                    match self.take(",)") {
                        Some(')') => return Ok(Expr::Call(name, arguments)),
                        Some(_) => {}
                        None => return self.fail(),
                    }
                }
            }
            Some(Token::Sign('(')) => {
                self.next += 1;
                let inner = self.sum()?;
                match self.take(")") {
                    Some(_) => Ok(inner),
                    None => self.fail(),
                }
            }
            _ => self.fail(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With all its brackets, in order to see what binds how.
    fn shape(expr: &Expr) -> String {
        match expr {
            Expr::Number(number) => number.to_string(),
            Expr::Name(name) => name.clone(),
            Expr::Minus(inner) => format!("-{}", shape(inner)),
            Expr::Binary(sign, left, right) => format!("({}{sign}{})", shape(left), shape(right)),
            Expr::Call(name, arguments) => {
                format!("{name}[{}]", arguments.iter().map(shape).collect::<Vec<_>>().join(";"))
            }
        }
    }

    fn check(text: &str, want: &str) {
        assert_eq!(shape(&parse(text).unwrap()), want, "{text}");
    }

    #[test]
    fn binding() {
        check("1+2*3", "(1+(2*3))");
        check("(1+2)*3", "((1+2)*3)");
        check("10-4-3", "((10-4)-3)");
        check("2*3%4", "((2*3)%4)");
        check("2^3^2", "(2^(3^2))");
        check("-2^2", "-(2^2)");
        check("2^-1", "(2^-1)");
        check("--x", "--x");
    }

    #[test]
    fn calls() {
        check("max(1, 2+x, f())", "max[1;(2+x);f[]]");
    }

    #[test]
    fn refuses() {
        let cases = [
            ("", CalcError::End),
            ("1+", CalcError::End),
            ("(1", CalcError::End),
            ("1 2", CalcError::Unexpected(2)),
            ("(1+2))", CalcError::Unexpected(5)),
            ("max(1,)", CalcError::Unexpected(6)),
            ("*2", CalcError::Unexpected(0)),
        ];
        for (text, error) in cases {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert!(parse(&nested(39)).is_ok());
        assert_eq!(parse(&nested(40)), Err(CalcError::TooDeep));
        assert!(parse(&vec!["(1)"; 100].join("+")).is_ok());
    }
}
