use crate::token::{describe, tokenize, Token};

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Number(f64),
    Name(String),
    Neg(Box<Expr>),
    Binary(char, Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError(pub String);

pub const MAX_DEPTH: usize = 64;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

pub fn parse(text: &str) -> Result<Expr, ParseError> {
    let tokens = tokenize(text).map_err(|error| {
        ParseError(format!(
            "unexpected {:?} at {}",
            error.found, error.position
        ))
    })?;
    let mut parser = Parser { tokens, at: 0 };
    let expr = parser.expr(0, 0)?;
    if let Some(token) = parser.peek() {
        return Err(ParseError(format!("trailing {}", describe(token))));
    }
    Ok(expr)
}

fn power(op: char) -> u8 {
    match op {
        '+' | '-' => 1,
        '*' | '/' => 2,
        _ => 0,
    }
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn expr(&mut self, least: u8, depth: usize) -> Result<Expr, ParseError> {
        if depth > MAX_DEPTH {
            return Err(ParseError("nested too deeply".to_owned()));
        }
        let mut left = self.atom(depth)?;
        while let Some(Token::Op(op)) = self.peek() {
            let op = *op;
            if power(op) <= least {
                break;
            }
            self.at += 1;
            let right = self.expr(power(op), depth + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn atom(&mut self, depth: usize) -> Result<Expr, ParseError> {
        match self.take() {
            Some(Token::Number(number)) => Ok(Expr::Number(number)),
            Some(Token::Name(name)) => Ok(Expr::Name(name)),
            Some(Token::Op('-')) => Ok(Expr::Neg(Box::new(self.atom(depth + 1)?))),
            Some(Token::Op('(')) => {
                let inner = self.expr(0, depth + 1)?;
                if self.take() != Some(Token::Op(')')) {
                    return Err(ParseError("expected ')'".to_owned()));
                }
                Ok(inner)
            }
            Some(token) => Err(ParseError(format!("unexpected {}", describe(&token)))),
            None => Err(ParseError("unexpected end".to_owned())),
        }
    }
}
