//! Durations as people write them: `8h`, `90s`, `1h30m`, `15 min`.

const UNITS: [(u64, &str, &[&str]); 6] = [
    (7 * 24 * 3_600_000, "w", &["w", "week", "weeks"]),
    (24 * 3_600_000, "d", &["d", "day", "days"]),
    (3_600_000, "h", &["h", "hr", "hrs", "hour", "hours"]),
    (60_000, "m", &["m", "min", "mins", "minute", "minutes"]),
    (1_000, "s", &["s", "sec", "secs", "second", "seconds"]),
    (1, "ms", &["ms", "millisecond", "milliseconds"]),
];

/// The milliseconds that `text` means; otherwise why it means none.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("it is empty; write a duration such as `8h` or `1h30m`".to_owned());
    }
    if rest.starts_with('-') {
        return Err("a duration cannot be negative".to_owned());
    }
    let mut total: u64 = 0;
    let mut smallest = u64::MAX;
    while !rest.is_empty() {
        let (millis, unit, after) = piece(rest)?;
        if unit >= smallest {
            return Err("its units must get smaller from left to right, each at most once".to_owned());
        }
        smallest = unit;
        total = total.checked_add(millis).ok_or_else(too_long)?;
        rest = after.trim_start();
    }
    Ok(total)
}

/// `millis` in the largest units that say it exactly; what [`parse_duration`] reads back.
pub fn format_duration(millis: u64) -> String {
    let mut rest = millis;
    let mut text = String::new();
    // A week is read, but "56d" says more to people than "8w".
    for (size, name, _) in &UNITS[1..] {
        if rest >= *size {
            text.push_str(&format!("{}{name}", rest / size));
            rest %= size;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// The first number with its unit: its milliseconds, the size of the unit, and what follows.
fn piece(text: &str) -> Result<(u64, u64, &str), String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if number.is_empty() {
        return Err("a number is missing; write a duration such as `8h` or `1h30m`".to_owned());
    }
    if rest.starts_with('.') {
        return Err("fractions are not read; write `1h30m` for one and a half hours".to_owned());
    }
    let number: u64 = number.parse().map_err(|_| too_long())?;
    let rest = rest.trim_start();
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, after) = rest.split_at(letters);
    if unit.is_empty() {
        return Err("a unit is missing; write `s`, `m`, `h` or `d` after the number".to_owned());
    }
    let lower = unit.to_ascii_lowercase();
    let Some((size, ..)) = UNITS.iter().find(|(_, _, names)| names.contains(&lower.as_str())) else {
        return Err(format!("`{unit}` is not a unit; use `ms`, `s`, `m`, `h`, `d` or `w`"));
    };
    Ok((number.checked_mul(*size).ok_or_else(too_long)?, *size, after))
}

fn too_long() -> String {
    "it is longer than piton can count".to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, millis) in [
            ("8h", 28_800_000),
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("15 min", 900_000),
            (" 1 hour 30 minutes ", 5_400_000),
            ("2d 12h", 216_000_000),
            ("250ms", 250),
            ("1W", 604_800_000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(millis), "{text}");
        }
    }

    #[test]
    fn what_could_mean_anything_is_refused() {
        for text in [
            "",
            " ",
            "8",
            "h",
            "-1h",
            "1.5h",
            "8 hrz",
            "30m1h",
            "1h1h",
            "1h,30m",
            "99999999999999999999s",
            "∞",
            "9999999999999999d",
            "1h é",
        ] {
            assert!(parse_duration(text).is_err(), "{text:?} was accepted");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(millis in any::<u64>()) {
            prop_assert_eq!(parse_duration(&format_duration(millis)), Ok(millis));
        }

        #[test]
        fn no_text_is_a_panic(text in ".{0,40}") {
            let _ = parse_duration(&text);
        }
    }
}
