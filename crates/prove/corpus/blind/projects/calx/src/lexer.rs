use crate::error::CalcError;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Name(String),
    /// One of `+ - * / % ^ ( ) , =`.
    Sign(char),
}

/// Tokens with the place (in characters, from 0) where each starts. `#` starts a comment.
pub fn tokens(text: &str) -> Result<Vec<(Token, usize)>, CalcError> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        if c == '#' {
            break;
        }
        if c.is_whitespace() {
            at += 1;
        } else if c.is_ascii_digit() || c == '.' {
            while at < chars.len() && (chars[at].is_ascii_digit() || chars[at] == '.' || chars[at] == '_') {
                at += 1;
            }
            let written: String = chars[start..at].iter().collect();
            let number = written.replace('_', "").parse().map_err(|_| CalcError::Number(written))?;
            found.push((Token::Number(number), start));
        } else if c.is_alphabetic() {
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            found.push((Token::Name(chars[start..at].iter().collect()), start));
        } else if "+-*/%^(),=".contains(c) {
            found.push((Token::Sign(c), start));
            at += 1;
        } else {
            return Err(CalcError::Char(c, at));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<Token> {
        tokens(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn numbers() {
        assert_eq!(plain("1 2.5 .5 1_000"), [1.0, 2.5, 0.5, 1000.0].map(Token::Number));
    }

    #[test]
    fn names_and_signs() {
        let want = [Token::Name("max_2".into()), Token::Sign('('), Token::Name("x".into()), Token::Sign(')')];
        assert_eq!(plain("max_2(x)"), want);
    }

    #[test]
    fn places() {
        let places: Vec<usize> = tokens("ab + 12*(c)").unwrap().into_iter().map(|(_, at)| at).collect();
        assert_eq!(places, [0, 3, 5, 7, 8, 9, 10]);
    }

    #[test]
    fn comments_end_the_line() {
        assert_eq!(plain("1 # + 2"), [Token::Number(1.0)]);
        assert_eq!(plain("# nothing"), []);
    }

    #[test]
    fn refuses() {
        assert_eq!(tokens("2 $ 3"), Err(CalcError::Char('$', 2)));
        assert_eq!(tokens("1.2.3"), Err(CalcError::Number("1.2.3".into())));
    }
}
