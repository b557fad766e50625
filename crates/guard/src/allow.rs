//! `piton.allow.toml`: findings that a person looked at and allowed, with a reason.
//!
//! The file counts as it stands in the old tree: whoever makes a change cannot allow it in the same breath.

use serde::{Deserialize, Serialize};

use crate::report::Finding;

/// The name of the file, at the top of the tree.
pub const FILE: &str = "piton.allow.toml";

/// What a person allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowances {
    /// One entry per finding.
    #[serde(default)]
    pub allow: Vec<Allowance>,
}

/// One allowed finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowance {
    /// The finding's id.
    pub finding: String,
    /// Why it is right as it is.
    pub reason: String,
    /// From this day on it no longer counts, as `YYYY-MM-DD`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<String>,
}

/// The file does not say what it should.
#[derive(Debug, thiserror::Error)]
#[error("`{FILE}` does not parse")]
pub struct ParseError(#[from] toml::de::Error);

impl Allowances {
    /// Reads the file.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(toml::from_str(text)?)
    }

    /// The entry as it is appended to the file.
    pub fn entry(allowance: &Allowance) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut entry = format!(
            "\n[[allow]]\nfinding = {}\nreason = {}\n",
            quoted(&allowance.finding),
            quoted(&allowance.reason)
        );
        if let Some(expires) = &allowance.expires {
            entry.push_str(&format!("expires = {}\n", quoted(expires)));
        }
        entry
    }

    /// What a tree allows; nothing where it has no such file.
    pub(crate) fn of_file(bytes: Option<&[u8]>) -> Result<Self, ParseError> {
        bytes.map_or(Ok(Self::default()), |bytes| Self::parse(&String::from_utf8_lossy(bytes)))
    }

    /// Takes the block off a finding that is allowed.
    pub(crate) fn apply(&self, finding: &mut Finding, today: Option<&str>) {
        // Dates of this form sort as text.
        let holds = |allowance: &&Allowance| match (&allowance.expires, today) {
            (Some(expires), Some(today)) => today < expires.as_str(),
            _ => true,
        };
        let allowance =
            self.allow.iter().find(|allowance| allowance.finding == finding.id && holds(allowance));
        if let Some(allowance) = allowance {
            finding.allowed = Some(allowance.reason.clone());
            finding.blocking = false;
        }
    }
}
