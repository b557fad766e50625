//! One field of a gap, from the text of a command line.

use super::gap::{Field, Gap, UnknownStatus};
use super::moment::Moment;
use crate::{ParseTimeError, Timestamp};

/// The text is no value of this field.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// Other gaps refer to it.
    #[error("an id cannot be changed; add a gap and remove the old one")]
    Id,
    /// It has no form on a command line.
    #[error("`evidence` cannot be given as text; edit the file")]
    Evidence,
    /// Not a whole number.
    #[error("`{field}` must be a whole number, got `{}`", .text.escape_debug())]
    NotAnInteger {
        field: Field,
        /// What was given.
        text: String,
    },
    /// Not a status.
    #[error(transparent)]
    Status(#[from] UnknownStatus),
    /// Not a time.
    #[error(transparent)]
    Time(#[from] ParseTimeError),
}

/// The gap with one field set. Empty text clears what is optional; lists are separated by commas.
pub fn set(gap: &Gap, field: Field, text: &str) -> Result<Gap, SetError> {
    let mut gap = gap.clone();
    match field {
        Field::Id => return Err(SetError::Id),
        Field::Evidence => return Err(SetError::Evidence),
        Field::Category => gap.category = text.to_owned(),
        Field::Status => gap.status = text.parse()?,
        Field::Priority => gap.priority = integer(field, text)?,
        Field::LastVerified => gap.last_verified = moment(text)?,
        Field::LastChecked => gap.last_checked = moment(text)?,
        Field::TtlDays if text.is_empty() => gap.ttl_days = None,
        Field::TtlDays => gap.ttl_days = Some(integer(field, text)?),
        Field::Blocks => gap.blocks = list(text),
        Field::BlockedBy => gap.blocked_by = list(text),
        Field::Findings => gap.findings = text.to_owned(),
        Field::Question => gap.question = text.to_owned(),
    }
    Ok(gap)
}

fn integer(field: Field, text: &str) -> Result<i64, SetError> {
    text.parse().map_err(|_| SetError::NotAnInteger { field, text: text.chars().take(80).collect() })
}

fn moment(text: &str) -> Result<Option<Timestamp>, SetError> {
    if text.is_empty() {
        return Ok(None);
    }
    Ok(Some(text.parse::<Moment>()?.at))
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}
