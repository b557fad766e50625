use std::time::Duration;

pub const MAX_ATTEMPTS: u32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    base: Duration,
    cap: Duration,
}

impl Backoff {
    pub fn new(base: Duration, cap: Duration) -> Result<Self, String> {
        if base.is_zero() {
            return Err("base must not be zero".to_owned());
        }
        if cap < base {
            return Err("cap is below base".to_owned());
        }
        Ok(Backoff { base, cap })
    }

    pub fn delay(&self, attempt: u32) -> Duration {
        self.cap.min(self.base * 2u32.pow(attempt.min(16)))
    }
}

pub fn describe(delay: Duration) -> String {
    if delay < Duration::from_secs(1) {
        format!("{}ms", delay.as_millis())
    } else {
        format!("{}s", delay.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backoff() -> Backoff {
        Backoff::new(Duration::from_millis(100), Duration::from_secs(2)).unwrap()
    }

    #[test]
    fn delay_doubles() {
        assert_eq!(backoff().delay(0), Duration::from_millis(100));
        assert_eq!(backoff().delay(3), Duration::from_millis(800));
    }

    #[test]
    fn delay_is_capped() {
        assert_eq!(backoff().delay(10), Duration::from_secs(2));
    }

    #[test]
    fn base_must_not_be_zero() {
        let error = Backoff::new(Duration::ZERO, Duration::from_secs(1)).unwrap_err();
        assert_eq!(error, "base must not be zero");
    }

    #[test]
    fn cap_must_be_above_base() {
        assert!(Backoff::new(Duration::from_secs(2), Duration::from_secs(1)).is_err());
    }

    #[test]
    fn describes_milliseconds() {
        assert_eq!(describe(Duration::from_millis(250)), "250ms");
    }

    #[test]
    fn describes_seconds() {
        assert_eq!(describe(Duration::from_secs(3)), "3s");
    }
}
