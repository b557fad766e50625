//! `[gaps]`: where the ledger is, and how it is kept.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Reader, entries};
use crate::condition::inside_tree;
use crate::settings::{Settings, Sourced};

const KEYS: [&str; 6] =
    ["file", "audit_log", "default_ttl_days", "max_gaps_per_run", "require", "prompt_tokens"];

pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, settings: &mut Settings) {
    for (name, key, value) in entries(table) {
        let gaps = &mut settings.gaps;
        match name {
            "file" => gaps.file = path(reader, name, value),
            "audit_log" => gaps.audit_log = path(reader, name, value),
            "default_ttl_days" => gaps.default_ttl_days = at_least_one(reader, name, value),
            "max_gaps_per_run" => gaps.max_gaps_per_run = at_least_one(reader, name, value),
            "require" => gaps.require = reader.list(name, value),
            "prompt_tokens" => gaps.prompt_tokens = at_least_one(reader, name, value),
            _ => reader.unknown(key.span().start, "key in `[gaps]`:", name, &KEYS),
        }
    }
}

fn path(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<String>> {
    let said = reader.text(key, value)?;
    match inside_tree(&said.value) {
        Ok(path) => Some(Sourced { value: path, ..said }),
        Err(why) => {
            reader.problem(value.span().start, format!("`{key}`: {why}"));
            None
        }
    }
}

fn at_least_one(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Sourced<u32>> {
    let start = value.span().start;
    let DeValue::Integer(number) = value.get_ref() else {
        reader.whole(key, value);
        return None;
    };
    match u32::from_str_radix(number.as_str(), number.radix()) {
        Ok(number) if number >= 1 => Some(reader.sourced(number, start)),
        _ => {
            reader.problem(start, format!("`{key}` must be >= 1, got {}", number.as_str()));
            None
        }
    }
}
