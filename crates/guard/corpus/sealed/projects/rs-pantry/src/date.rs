use std::fmt;
use std::str::FromStr;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

#[derive(Debug, PartialEq, Eq)]
pub struct DayError(pub String);

impl fmt::Display for DayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is no day", self.0)
    }
}

impl std::error::Error for DayError {}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, DayError> {
        let wrong = || DayError(text.to_string());
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else {
            return Err(wrong());
        };
        if year.len() != 4 || month.len() != 2 || day.len() != 2 {
            return Err(wrong());
        }
        let number = |part: &str| part.parse::<i32>().map_err(|_| wrong());
        let (year, month, day) = (number(year)?, number(month)?, number(day)?);
        if year < 1970 || !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
            return Err(wrong());
        }
        let years: i32 = (1970..year).map(|y| if is_leap(y) { 366 } else { 365 }).sum();
        let months: i32 = (1..month).map(|m| days_in(year, m)).sum();
        Ok(Day(years + months + day - 1))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut year, mut month, mut left) = (1970, 1, self.0);
        while left >= 365 + i32::from(is_leap(year)) {
            left -= 365 + i32::from(is_leap(year));
            year += 1;
        }
        while left >= days_in(year, month) {
            left -= days_in(year, month);
            month += 1;
        }
        write!(f, "{year:04}-{month:02}-{:02}", left + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days() {
        assert_eq!("1970-01-01".parse(), Ok(Day(0)));
        assert_eq!("2000-03-01".parse(), Ok(Day(11017)));
        assert_eq!("2024-02-29".parse(), Ok(Day(19782)));
    }

    #[test]
    fn refuses_days_that_there_are_not() {
        for text in ["", "2023-02-29", "2024-13-01", "2024-04-31", "2024-4-1", "1969-12-31", "2024-01-00"] {
            assert_eq!(text.parse::<Day>(), Err(DayError(text.into())));
        }
    }

    #[test]
    fn every_day_survives_a_round_trip() {
        for number in 0..40_000 {
            let text = Day(number).to_string();
            assert_eq!(text.parse(), Ok(Day(number)), "{text}");
        }
    }
}
