use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: i32,
    pub month: u32,
    pub day: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weekday {
    Workday,
    Weekend,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateError {
    NoMonth(u32),
    NoDay(u32),
    Format(String),
}

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DateError::NoMonth(month) => write!(f, "no month {month}"),
            DateError::NoDay(day) => write!(f, "no day {day}"),
            DateError::Format(text) => write!(f, "cannot read {text:?}"),
        }
    }
}

pub fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Date {
    pub fn new(year: i32, month: u32, day: u32) -> Result<Self, DateError> {
        if !(1..=12).contains(&month) {
            return Err(DateError::NoMonth(month));
        }
        if day == 0 || day > days_in_month(year, month) {
            return Err(DateError::NoDay(day));
        }
        Ok(Date { year, month, day })
    }

    pub fn parse(text: &str) -> Result<Self, DateError> {
        let mut parts = text.split('-').map(|part| part.parse::<u32>().ok());
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(year)), Some(Some(month)), Some(Some(day)), None) => {
                Date::new(year as i32, month, day)
            }
            _ => Err(DateError::Format(text.to_owned())),
        }
    }

    pub fn add_months(self, months: i32) -> Self {
        let index = self.year * 12 + self.month as i32 - 1 + months;
        let year = index.div_euclid(12);
        let month = index.rem_euclid(12) as u32 + 1;
        let day = self.day.min(days_in_month(year, month));
        Date { year, month, day }
    }

    /// Days since 1 March of the year 0.
    pub fn number(self) -> i64 {
        let (year, month) = if self.month > 2 {
            (i64::from(self.year), i64::from(self.month) - 3)
        } else {
            (i64::from(self.year) - 1, i64::from(self.month) + 9)
        };
        365 * year + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (month * 306 + 5) / 10
            + i64::from(self.day)
            - 1
    }

    pub fn weekday(self) -> Weekday {
        if (self.number() + 2).rem_euclid(7) >= 5 {
            Weekday::Weekend
        } else {
            Weekday::Workday
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn fourth_years_are_leap() {
        assert!(is_leap(2024));
    }

    #[test]
    fn centuries_are_not() {
        assert!(!is_leap(1900));
        assert!(is_leap(2000));
    }

    #[test]
    fn february() {
        assert_eq!(days_in_month(2023, 2), 28);
    }

    #[test]
    fn february_of_leap_year() {
        assert_eq!(days_in_month(2024, 2), 29);
    }

    #[test]
    fn april() {
        assert_eq!(days_in_month(2024, 4), 30);
    }

    #[test]
    fn months_are_checked() {
        assert_eq!(Date::new(2024, 13, 1), Err(DateError::NoMonth(13)));
        assert_eq!(DateError::NoMonth(13).to_string(), "no month 13");
    }

    #[test]
    fn days_are_checked() {
        assert_eq!(Date::new(2023, 2, 29), Err(DateError::NoDay(29)));
        assert!(Date::new(2024, 2, 29).is_ok());
    }

    #[test]
    fn reads_text() {
        assert_eq!(
            date("2024-07-04"),
            Date {
                year: 2024,
                month: 7,
                day: 4
            }
        );
    }

    #[test]
    fn rejects_other_text() {
        for text in ["", "2024-07", "2024-07-04-1", "July"] {
            assert!(matches!(Date::parse(text), Err(DateError::Format(_))));
        }
    }

    #[test]
    fn adding_months_clamps() {
        assert_eq!(date("2024-01-31").add_months(1), date("2024-02-29"));
        assert_eq!(date("2024-01-31").add_months(-2), date("2023-11-30"));
    }

    #[test]
    fn days_are_counted() {
        assert_eq!(
            date("2024-03-01").number() - date("2024-02-01").number(),
            29
        );
    }

    #[test]
    fn weekends() {
        assert_eq!(date("2024-07-06").weekday(), Weekday::Weekend);
        assert_eq!(date("2024-07-08").weekday(), Weekday::Workday);
    }
}
