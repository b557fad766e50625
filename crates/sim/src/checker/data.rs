//! The data of an event, by the checker's own reading of the JSON: values by their JSON pointer.

use serde::Deserialize;
use serde_json::Value;

use super::Violation;
use crate::history::RawEvent;

/// What an event says.
pub(super) struct Data<'a> {
    event: &'a RawEvent,
    value: Value,
}

impl<'a> Data<'a> {
    pub(super) fn of(event: &'a RawEvent) -> Result<Self, Violation> {
        match serde_json::from_slice(&event.data) {
            Ok(value) => Ok(Self { event, value }),
            Err(error) => Err(misshapen(event, &error)),
        }
    }

    pub(super) fn kind(&self) -> &'a str {
        &self.event.kind
    }

    pub(super) fn seq(&self) -> u64 {
        self.event.seq
    }

    pub(super) fn at_ms(&self) -> i64 {
        self.event.at_ms
    }

    /// What is said here; nothing where it is left out.
    pub(super) fn maybe<'d, T: Deserialize<'d>>(&'d self, pointer: &str) -> Result<Option<T>, Violation> {
        let value = self.value.pointer(pointer).unwrap_or(&Value::Null);
        Option::<T>::deserialize(value).map_err(|error| misshapen(self.event, &error))
    }

    /// What must be said here.
    pub(super) fn get<'d, T: Deserialize<'d>>(&'d self, pointer: &str) -> Result<T, Violation> {
        self.maybe(pointer)?.ok_or_else(|| misshapen(self.event, &format!("there is no `{pointer}`")))
    }

    /// Whether this is said to be so; what is left out is not.
    pub(super) fn is(&self, pointer: &str) -> Result<bool, Violation> {
        Ok(self.maybe(pointer)?.unwrap_or(false))
    }

    /// What each member of a list says here.
    pub(super) fn each<'d, T: Deserialize<'d>>(
        &'d self,
        list: &str,
        member: &str,
    ) -> Result<Vec<T>, Violation> {
        let count = self.get::<Vec<serde::de::IgnoredAny>>(list)?.len();
        (0..count).map(|index| self.get(&format!("{list}/{index}/{member}"))).collect()
    }

    /// Whether anything is said here.
    pub(super) fn has(&self, pointer: &str) -> bool {
        self.value.pointer(pointer).is_some_and(|value| !value.is_null())
    }
}

fn misshapen(event: &RawEvent, error: &dyn std::fmt::Display) -> Violation {
    let what = format!("event {} ({}) does not have its shape: {error}", event.seq, event.kind);
    Violation { rule: "I2", what }
}
