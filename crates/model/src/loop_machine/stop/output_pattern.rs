//! The agent's last output holds a text: `--until output:/REGEX/`.

use piton_record::record;

use super::{Probe, Rule, Table, Until};

/// The agent's last output holds a text.
#[record(Eq)]
pub struct OutputPattern {
    /// The text, or a regular expression.
    pub pattern: String,
    /// It is a regular expression.
    #[serde(default)]
    pub is_regex: bool,
}

impl Rule for OutputPattern {
    const TYPE: &'static str = "output_pattern";
    const KEYS: &'static [&'static str] = &["pattern", "is_regex"];
    const PRIORITY: u8 = 50;
    const UNTIL: Option<Until> = Some(Until {
        form: "output:/REGEX/",
        without: "has no pattern",
        fields: |rest| {
            let pattern = rest.strip_prefix('/')?.strip_suffix('/').filter(|inner| !inner.is_empty())?;
            Some(vec![("pattern", pattern), ("is_regex", "true")])
        },
    });

    fn read(table: &mut dyn Table) -> Option<Self> {
        let is_regex = table.flag("is_regex").unwrap_or(false);
        Some(Self { pattern: table.pattern("pattern", is_regex)?, is_regex })
    }

    fn words(&self) -> String {
        match self.is_regex {
            false => format!("output_pattern({})", self.pattern),
            true => format!("output_pattern(/{}/)", self.pattern),
        }
    }

    fn until(&self) -> Option<String> {
        self.is_regex.then(|| format!("output:/{}/", self.pattern))
    }

    fn probe(&self) -> Option<Probe<'_>> {
        Some(Probe::Printed { pattern: &self.pattern, is_regex: self.is_regex })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn a_text_and_a_pattern_are_told_apart() {
        let text = OutputPattern { pattern: "x".to_owned(), is_regex: false };
        assert!(!text.is_met(&after_three().state));
        assert_ne!(text.words(), OutputPattern { is_regex: true, ..text.clone() }.words());
    }
}
