use crate::version::{ParseError, Version};

/// From `low` (included) to `high` (not included).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    low: Version,
    high: Option<Version>,
}

impl Range {
    /// `*`, `1.2.3` (exact), `^1.2.3`, `~1.2.3`, `>=1.2.3`, `>=1.2.3 <2.0.0`.
    pub fn parse(text: &str) -> Result<Range, ParseError> {
        let text = text.trim();
        if text == "*" {
            return Ok(Range { low: Version::new(0, 0, 0), high: None });
        }
        if let Some(rest) = text.strip_prefix('^') {
            let low: Version = rest.parse()?;
            let high = Some(low.next_breaking());
            return Ok(Range { low, high });
        }
        if let Some(rest) = text.strip_prefix('~') {
            let low: Version = rest.parse()?;
            let high = Some(Version::new(low.major, low.minor + 1, 0));
            return Ok(Range { low, high });
        }
        if let Some(rest) = text.strip_prefix(">=") {
            return match rest.split_once('<') {
                Some((low, high)) => Ok(Range { low: low.parse()?, high: Some(high.parse()?) }),
                None => Ok(Range { low: rest.parse()?, high: None }),
            };
        }
        let low: Version = text.parse()?;
        let high = Some(Version::new(low.major, low.minor, low.patch + 1));
        Ok(Range { low, high })
    }

    /// Pre-releases only fit when the range names one of the same core.
    pub fn contains(&self, version: &Version) -> bool {
        if version.is_pre() {
            let core = |v: &Version| (v.major, v.minor, v.patch);
            if !self.low.is_pre() || core(&self.low) != core(version) {
                return false;
            }
        }
        *version >= self.low && self.high.as_ref().map_or(true, |high| version < high)
    }

    pub fn best<'a>(&self, versions: &'a [Version]) -> Option<&'a Version> {
        versions.iter().filter(|v| self.contains(v)).max()
    }
}
