//! Tables of cases: rows that are gone, made the same, or say something else.

use std::collections::BTreeSet;

use super::Draft;
use super::deletion::{counted, literals_of_text, short};
use crate::comparison::{Comparison, Pair};

/// A table that lost rows which are nowhere else.
pub(super) fn fewer_cases(comparison: &Comparison, pair: &Pair<'_>) -> Option<Draft> {
    let Pair { before, after, .. } = pair;
    let (had, has) = (distinct(&before.cases), distinct(&after.cases));
    if has >= had || before.cases.len() < 2 || after.is_off() {
        return None;
    }
    let kept: BTreeSet<_> = after.cases.iter().collect();
    let lost: Vec<_> = before.cases.iter().filter(|case| !kept.contains(case)).collect();
    let elsewhere = |case: &str| {
        let literals = literals_of_text(case);
        comparison.new_inventories().any(|inventory| {
            inventory.tests.iter().filter(|test| test.id != after.id).any(|test| {
                test.cases.iter().any(|other| other == case) || {
                    let has = inventory.source.literals(&test.span);
                    comparison.followed.added.iter().any(|at| comparison.new_test(*at).id == test.id)
                        && !literals.is_empty()
                        && literals.iter().all(|literal| has.contains(literal))
                }
            })
        })
    };
    let lost: Vec<_> = lost.into_iter().filter(|case| !elsewhere(case)).cloned().collect();
    if lost.is_empty()
        || comparison.removed_names.iter().any(|name| lost.iter().all(|case| case.contains(name.as_str())))
    {
        return None;
    }
    let message = format!("test `{}` had {} and has {has} now", short(&after.id), counted(had, "case"));
    let draft = Draft::of(pair, "test-case-deleted", after.line, message).before(lost.join("\n"));
    // A table that is nowhere to be seen may come from somewhere else now.
    Some(draft.unsure_if(!after.has_table || comparison.may_follow_code()))
}

/// A table with as many rows, some of which say something else.
pub(super) fn other_values(comparison: &Comparison, pair: &Pair<'_>) -> Option<Draft> {
    let Pair { before, after, .. } = pair;
    if before.cases.len() != after.cases.len() || before.cases.len() < 2 || after.is_off() {
        return None;
    }
    let changed = |(was, is): &(&String, &String)| {
        let (had, has) = (values_of_text(was), values_of_text(is));
        let kept = had.iter().filter(|literal| has.contains(literal)).count();
        was != is
            && had.len() == has.len()
            && kept < had.len()
            && kept * 2 >= had.len()
            && kept > 0
            && skeleton(was) == skeleton(is)
    };
    let lost = before.cases.iter().filter(|case| !after.cases.contains(case));
    let gained = after.cases.iter().filter(|case| !before.cases.contains(case));
    let (was, is) = lost.zip(gained).find(changed)?;
    let follows = comparison.product_changed || comparison.data_changed || comparison.dependencies_changed;
    let rule = if follows { "expected-value-follows-code" } else { "expected-value-changed" };
    let message = format!("a case of test `{}` has another value", short(&after.id));
    Some(Draft::of(pair, rule, after.line, message).before(was.clone()).after(is.clone()))
}

/// The texts of a row, and the numbers that are not part of one.
fn values_of_text(row: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, part) in row.split('"').enumerate() {
        if index % 2 == 1 {
            found.push(format!("\"{part}\""));
            continue;
        }
        let words =
            part.split(|character: char| !character.is_alphanumeric() && !matches!(character, '.' | '_'));
        let is_value = |word: &&str| {
            word.starts_with(|first: char| first.is_ascii_digit()) || crate::words::is_value(word)
        };
        found.extend(words.filter(is_value).map(str::to_owned));
    }
    found
}

/// A row without its values.
fn skeleton(row: &str) -> String {
    let mut quoted = false;
    let keep = |character: &char| {
        quoted ^= *character == '"';
        !quoted && !character.is_alphanumeric() && !matches!(character, '.' | '-' | '_' | '"')
    };
    row.chars().filter(keep).collect()
}

/// How many rows differ, by more than what they are called.
fn distinct(rows: &[String]) -> usize {
    let named: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
    let unnamed: BTreeSet<&str> = rows.iter().map(|row| without_name(row)).collect();
    named.len().min(unnamed.len())
}

/// A row without the text that it begins with, where enough is left.
fn without_name(row: &str) -> &str {
    let inner = row.trim_start_matches(['{', '(', '[']);
    match inner.split_once([',', ':']) {
        Some((name, rest)) if name.starts_with('"') && rest.contains(',') => rest,
        Some((key, rest)) if key == "name" || key == "Name" => {
            rest.split_once(',').map_or(row, |(_, rest)| rest)
        }
        _ => row,
    }
}
