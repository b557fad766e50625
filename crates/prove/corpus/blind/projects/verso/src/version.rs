use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pub pre: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseError {
    Empty,
    Parts(usize),
    Number(String),
    LeadingZero(String),
    Pre(String),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Empty => write!(f, "empty version"),
            ParseError::Parts(n) => write!(f, "expected 3 parts, found {n}"),
            ParseError::Number(text) => write!(f, "not a number: {text:?}"),
            ParseError::LeadingZero(text) => write!(f, "leading zero: {text:?}"),
            ParseError::Pre(text) => write!(f, "bad pre-release: {text:?}"),
        }
    }
}

impl Version {
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Version { major, minor, patch, pre: Vec::new() }
    }

    pub fn is_pre(&self) -> bool {
        !self.pre.is_empty()
    }

    /// The next version that may break: 1.2.3 -> 2.0.0, 0.2.3 -> 0.3.0, 0.0.3 -> 0.0.4.
    pub fn next_breaking(&self) -> Version {
        if self.major > 0 {
            Version::new(self.major + 1, 0, 0)
        } else if self.minor > 0 {
            Version::new(0, self.minor + 1, 0)
        } else {
            Version::new(0, 0, self.patch + 1)
        }
    }
}

fn number(text: &str) -> Result<u64, ParseError> {
    if text.len() > 1 && text.starts_with('0') {
        return Err(ParseError::LeadingZero(text.to_string()));
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::Number(text.to_string()));
    }
    text.parse().map_err(|_| ParseError::Number(text.to_string()))
}

impl FromStr for Version {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ParseError::Empty);
        }
        let (core, pre) = match text.split_once('-') {
            Some((core, pre)) => (core, Some(pre)),
            None => (text, None),
        };
        let parts: Vec<&str> = core.split('.').collect();
        if parts.len() != 3 {
            return Err(ParseError::Parts(parts.len()));
        }
        let mut version = Version::new(number(parts[0])?, number(parts[1])?, number(parts[2])?);
        if let Some(pre) = pre {
            let good = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if !pre.split('.').all(good) {
                return Err(ParseError::Pre(pre.to_string()));
            }
            version.pre = pre.split('.').map(str::to_string).collect();
        }
        Ok(version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.is_pre() {
            write!(f, "-{}", self.pre.join("."))?;
        }
        Ok(())
    }
}

fn compare_part(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch)
            .cmp(&(other.major, other.minor, other.patch))
            .then_with(|| match (self.is_pre(), other.is_pre()) {
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                _ => {
                    for (a, b) in self.pre.iter().zip(&other.pre) {
                        let order = compare_part(a, b);
                        if order != Ordering::Equal {
                            return order;
                        }
                    }
                    self.pre.len().cmp(&other.pre.len())
                }
            })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn parses_and_prints() {
        for text in ["0.0.0", "1.2.3", "10.20.30", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-x-y.7"] {
            assert_eq!(v(text).to_string(), text);
        }
    }

    #[test]
    fn trims() {
        assert_eq!(v(" 1.2.3\n"), Version::new(1, 2, 3));
    }

    #[test]
    fn refuses() {
        let cases = [
            ("", ParseError::Empty),
            ("1.2", ParseError::Parts(2)),
            ("1.2.3.4", ParseError::Parts(4)),
            ("1.x.3", ParseError::Number("x".into())),
            ("1..3", ParseError::Number("".into())),
            ("1.02.3", ParseError::LeadingZero("02".into())),
            ("1.2.3-", ParseError::Pre("".into())),
            ("1.2.3-a..b", ParseError::Pre("a..b".into())),
            ("1.2.3-a_b", ParseError::Pre("a_b".into())),
        ];
        for (text, error) in cases {
            assert_eq!(text.parse::<Version>(), Err(error), "{text}");
        }
    }

    #[test]
    fn order_of_pre_releases() {
        let rising = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
            "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
        ];
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                assert_eq!(v(a).cmp(&v(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn breaking() {
        assert_eq!(v("1.2.3").next_breaking(), v("2.0.0"));
        assert_eq!(v("0.2.3").next_breaking(), v("0.3.0"));
        assert_eq!(v("0.0.3").next_breaking(), v("0.0.4"));
    }
}
