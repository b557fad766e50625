//! Letters and their signs.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MorseError {
    NoSign(char),
    NoLetter(String),
    Speed(u32),
    Line(String),
}

impl fmt::Display for MorseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSign(letter) => write!(f, "no sign for {letter:?}"),
            Self::NoLetter(sign) => write!(f, "no letter for {sign}"),
            Self::Speed(speed) => write!(f, "speed {speed} is out of range"),
            Self::Line(text) => write!(f, "line is down: {text}"),
        }
    }
}

impl std::error::Error for MorseError {}

const SIGNS: [(char, &str); 36] = [
    ('A', ".-"),
    ('B', "-..."),
    ('C', "-.-."),
    ('D', "-.."),
    ('E', "."),
    ('F', "..-."),
    ('G', "--."),
    ('H', "...."),
    ('I', ".."),
    ('J', ".---"),
    ('K', "-.-"),
    ('L', ".-.."),
    ('M', "--"),
    ('N', "-."),
    ('O', "---"),
    ('P', ".--."),
    ('Q', "--.-"),
    ('R', ".-."),
    ('S', "..."),
    ('T', "-"),
    ('U', "..-"),
    ('V', "...-"),
    ('W', ".--"),
    ('X', "-..-"),
    ('Y', "-.--"),
    ('Z', "--.."),
    ('0', "-----"),
    ('1', ".----"),
    ('2', "..---"),
    ('3', "...--"),
    ('4', "....-"),
    ('5', "....."),
    ('6', "-...."),
    ('7', "--..."),
    ('8', "---.."),
    ('9', "----."),
];

/// The sign of a letter or digit.
pub fn sign(letter: char) -> Result<&'static str, MorseError> {
    let upper = letter.to_ascii_uppercase();
    SIGNS.iter().find(|(known, _)| *known == upper).map(|(_, sign)| *sign).ok_or(MorseError::NoSign(letter))
}

/// Words are divided by ` / `, letters by a space.
pub fn encode(text: &str) -> Result<String, MorseError> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        let signs: Result<Vec<_>, _> = word.chars().map(sign).collect();
        words.push(signs?.join(" "));
    }
    Ok(words.join(" / "))
}

/// The inverse of [`encode`], in upper case.
pub fn decode(code: &str) -> Result<String, MorseError> {
    let mut text = String::new();
    for sign in code.split_whitespace() {
        if sign == "/" {
            text.push(' ');
            continue;
        }
        let found = SIGNS.iter().find(|(_, known)| *known == sign);
        match found {
            Some((letter, _)) => text.push(*letter),
            None => return Err(MorseError::NoLetter(sign.to_string())),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_signs() {
        assert_eq!(sign('Q'), Ok("--.-"));
        assert_eq!(sign('q'), Ok("--.-"));
        assert_eq!(sign('7'), Ok("--..."));
    }

    #[test]
    fn umlauts_have_none() {
        assert_eq!(sign('ä'), Err(MorseError::NoSign('ä')));
        assert_eq!(sign('ä').unwrap_err().to_string(), "no sign for 'ä'");
    }

    #[test]
    fn no_two_letters_share_a_sign() {
        for (index, (_, left)) in SIGNS.iter().enumerate() {
            for (_, right) in &SIGNS[index + 1..] {
                assert_ne!(left, right);
            }
        }
    }

    #[test]
    fn words_are_divided() {
        assert_eq!(encode("sos now").unwrap(), "... --- ... / -. --- .--");
        assert_eq!(encode("  a  b ").unwrap(), ".- / -...");
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(encode(""), Ok(String::new()));
        assert_eq!(decode(""), Ok(String::new()));
    }
}
