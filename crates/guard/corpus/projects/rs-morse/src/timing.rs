//! How long a message takes.

use crate::code::MorseError;

pub const SLOWEST: u32 = 5;
pub const FASTEST: u32 = 60;

/// Units of a sign string: a dot is one, a dash three, the gaps one, three and seven.
pub fn units(code: &str) -> u32 {
    let words: Vec<&str> = code.split(" / ").collect();
    let mut total = 7 * (words.len() as u32 - 1);
    for word in words {
        let letters: Vec<&str> = word.split(' ').filter(|letter| !letter.is_empty()).collect();
        total += 3 * (letters.len() as u32).saturating_sub(1);
        for letter in letters {
            let marks: u32 = letter.chars().map(|mark| if mark == '-' { 3 } else { 1 }).sum();
            total += marks + letter.len() as u32 - 1;
        }
    }
    total
}

fn check_speed(speed: u32) -> Result<u32, MorseError> {
    if !(SLOWEST..=FASTEST).contains(&speed) {
        return Err(MorseError::Speed(speed));
    }
    Ok(speed)
}

/// Milliseconds at a speed in words per minute; the word is PARIS, of 50 units.
pub fn duration_ms(code: &str, speed: u32) -> Result<f64, MorseError> {
    let speed = check_speed(speed)?;
    Ok(f64::from(units(code)) * 1200.0 / f64::from(speed))
}

/// The speed at which a code of some length was keyed.
pub fn words_per_minute(code: &str, milliseconds: f64) -> Result<u32, MorseError> {
    let speed = (f64::from(units(code)) * 1200.0 / milliseconds).round() as u32;
    check_speed(speed)
}

/// `1:05` for people.
pub fn clock(milliseconds: f64) -> String {
    let seconds = (milliseconds / 1000.0).round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_signs() {
        assert_eq!(units("."), 1);
        assert_eq!(units("-"), 3);
        assert_eq!(units(".-"), 5);
        assert_eq!(units(". ."), 5);
        assert_eq!(units(". / ."), 9);
    }

    #[test]
    fn paris_has_fifty_units_with_its_gap() {
        assert_eq!(units(".--. .- .-. .. ...") + 7, 50);
    }

    #[test]
    fn clocks_have_two_digits() {
        assert_eq!(clock(65_000.0), "1:05");
        assert_eq!(clock(59_600.0), "1:00");
    }
}
