#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Name(String),
    Op(char),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexError {
    pub position: usize,
    pub found: char,
}

pub const MAX_TOKENS: usize = 1000;

pub fn tokenize(text: &str) -> Result<Vec<Token>, LexError> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_whitespace() {
            at += 1;
        } else if c.is_ascii_digit() {
            let start = at;
            while at < chars.len() && (chars[at].is_ascii_digit() || chars[at] == '.') {
                at += 1;
            }
            let digits: String = chars[start..at].iter().collect();
            let number = digits.parse().map_err(|_| LexError {
                position: start,
                found: '.',
            })?;
            tokens.push(Token::Number(number));
        } else if c.is_alphabetic() {
            let start = at;
            while at < chars.len() && chars[at].is_alphanumeric() {
                at += 1;
            }
            tokens.push(Token::Name(chars[start..at].iter().collect()));
        } else if "+-*/()".contains(c) {
            tokens.push(Token::Op(c));
            at += 1;
        } else {
            return Err(LexError {
                position: at,
                found: c,
            });
        }
    }
    Ok(tokens)
}

pub fn is_operator(c: char) -> bool {
    "+-*/".contains(c)
}

pub fn describe(token: &Token) -> String {
    match token {
        Token::Number(number) => format!("number {number}"),
        Token::Name(name) => format!("name {name}"),
        Token::Op(op) => format!("'{op}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Token {
        Token::Name(text.to_owned())
    }

    #[test]
    fn numbers() {
        assert_eq!(
            tokenize("1 2.5"),
            Ok(vec![Token::Number(1.0), Token::Number(2.5)])
        );
    }

    #[test]
    fn names() {
        assert_eq!(tokenize("rate2"), Ok(vec![name("rate2")]));
    }

    #[test]
    fn nothing() {
        assert_eq!(tokenize("   "), Ok(vec![]));
    }

    #[test]
    fn unexpected_character() {
        let error = tokenize("1 $ 2").unwrap_err();
        assert_eq!(error.position, 2);
        assert_eq!(error.found, '$');
    }

    #[test]
    fn bad_number() {
        assert!(tokenize("1.2.3").is_err());
    }

    #[test]
    fn describes_a_name() {
        assert_eq!(describe(&name("x")), "name x");
    }

    #[test]
    fn describes_an_operator() {
        assert_eq!(describe(&Token::Op('+')), "'+'");
    }

    #[test]
    fn operators() {
        assert!(is_operator('*'));
        assert!(!is_operator('('));
    }
}
