use std::fmt;
use std::str::FromStr;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    Gram,
    Millilitre,
    Piece,
}

/// A number of grams, millilitres or pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    pub value: u32,
    pub unit: Unit,
}

#[derive(Debug, PartialEq, Eq)]
pub enum AmountError {
    NoNumber(String),
    UnknownUnit(String),
    NotWhole(String),
    TooMuch,
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AmountError::NoNumber(text) => write!(f, "no number in '{text}'"),
            AmountError::UnknownUnit(unit) => write!(f, "unknown unit '{unit}'"),
            AmountError::NotWhole(text) => write!(f, "'{text}' is no whole number"),
            AmountError::TooMuch => write!(f, "too much"),
        }
    }
}

impl std::error::Error for AmountError {}

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let (unit, factor) = match unit.trim() {
            "g" => (Unit::Gram, 1),
            "kg" => (Unit::Gram, 1000),
            "ml" => (Unit::Millilitre, 1),
            "l" => (Unit::Millilitre, 1000),
            "pcs" | "" => (Unit::Piece, 1),
            other => return Err(AmountError::UnknownUnit(other.to_string())),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        let scaled: u64 = digits.parse().map_err(|_| AmountError::NoNumber(text.to_string()))?;
        let scale = 10u64.checked_pow(fraction.len() as u32).ok_or(AmountError::TooMuch)?;
        let value = scaled.checked_mul(factor).ok_or(AmountError::TooMuch)?;
        if value % scale != 0 {
            return Err(AmountError::NotWhole(text.to_string()));
        }
        let value = u32::try_from(value / scale).map_err(|_| AmountError::TooMuch)?;
        Ok(Amount { value, unit })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Gram => " g",
            Unit::Millilitre => " ml",
            Unit::Piece => "",
        };
        write!(f, "{}{unit}", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(value: u32, unit: Unit) -> Amount {
        Amount { value, unit }
    }

    #[test]
    fn reads_units() {
        assert_eq!("250 g".parse(), Ok(amount(250, Unit::Gram)));
        assert_eq!("1.5kg".parse(), Ok(amount(1500, Unit::Gram)));
        assert_eq!("0.33 l".parse(), Ok(amount(330, Unit::Millilitre)));
        assert_eq!("6".parse(), Ok(amount(6, Unit::Piece)));
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        let cases = [
            ("g", AmountError::NoNumber("g".into())),
            ("1.2.3 g", AmountError::NoNumber("1.2.3 g".into())),
            ("2 KG", AmountError::UnknownUnit("KG".into())),
            ("1.5 pcs", AmountError::NotWhole("1.5 pcs".into())),
            ("0.0005 kg", AmountError::NotWhole("0.0005 kg".into())),
            ("5000000 kg", AmountError::TooMuch),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<Amount>(), Err(expected), "{text}");
        }
    }

    #[test]
    fn prints_what_it_reads() {
        for text in ["1 g", "999 ml", "12"] {
            let read: Amount = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
