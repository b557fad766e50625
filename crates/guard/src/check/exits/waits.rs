//! Limits of time that no longer limit anything, and tests that wait many times longer.

use super::{Places, place};
use crate::check::Draft;
use crate::comparison::ChangedFile;
use crate::language::Class;
use crate::source::Source;
use crate::vocabulary::TIMEOUT_SETTERS;
use crate::words;

/// A limit of this many milliseconds, or none, is no limit any more.
const TIMEOUT_MS_MAX: f64 = 60_000.0;

/// Limits of time that no longer limit anything.
pub(super) fn endless(source: &Source) -> Places {
    let mut found = Vec::new();
    for piece in source.pieces_of(Class::Call) {
        let callee = source.flat(&piece.name);
        let operands = source.split(&source.inside(&piece.arguments));
        let limit = match (TIMEOUT_SETTERS.contains(&callee.as_str()), operands.last()) {
            (true, Some(last)) => last,
            (false, Some(_))
                if operands.get(1).is_some_and(|options| source.word(options.start) == "{")
                    && words::is_test_call(source.word(piece.name.start)) =>
            {
                let options = source.split(&source.inside(&operands[1]));
                match options.iter().find(|option| source.word(option.start) == "timeout") {
                    Some(option) => &(option.start + 2..option.end),
                    None => continue,
                }
            }
            (false, Some(last))
                if operands.len() > 2 && words::is_test_call(source.word(piece.name.start)) =>
            {
                last
            }
            _ => continue,
        };
        let numbers = source
            .literals(limit)
            .into_iter()
            .filter_map(|number| number.replace('_', "").parse::<f64>().ok());
        let is_number = limit.clone().all(|index| source.tokens[index].kind != crate::source::Kind::Word)
            || callee == "vi.setConfig";
        let product: Vec<f64> = numbers.collect();
        let milliseconds = product.iter().product::<f64>();
        if is_number && !product.is_empty() && (milliseconds >= TIMEOUT_MS_MAX || milliseconds == 0.0) {
            found.push(place(source, limit));
        }
    }
    found
}

/// A wait that grew by less than this factor is an adjustment.
const WAIT_FACTOR_MIN: f64 = 5.0;
/// A wait below so many seconds hides nothing.
const WAIT_SECONDS_MIN: f64 = 30.0;

/// Tests that wait many times longer for something.
pub(super) fn longer(file: &ChangedFile) -> Option<Draft> {
    let (old, new) = file.inventories()?;
    let (had, has) = (waits(&old.source), waits(&new.source));
    // One more duration is something new, not a longer wait.
    if had.len() != has.len() {
        return None;
    }
    let longest = |waits: Vec<(u32, f64)>| waits.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (_, before) = longest(had)?;
    let (line, after) = longest(has)?;
    (after >= before.max(0.001) * WAIT_FACTOR_MIN && after >= WAIT_SECONDS_MIN).then(|| {
        let message = format!("a test waits {after} s where it waited {before} s at most");
        Draft::new("timeout-widened", file.path(), line, message)
    })
}

/// How long a file waits for things, in seconds, by what names durations in each language.
fn waits(source: &Source) -> Vec<(u32, f64)> {
    let mut found = Vec::new();
    for index in 0..source.tokens.len() {
        let seconds = match source.word(index) {
            "Hour" => 3600.0,
            "Minute" => 60.0,
            "Second" => 1.0,
            "Millisecond" => 0.001,
            "from_secs" => 1.0,
            "from_millis" => 0.001,
            "timeout" if source.word(index + 1) == "=" => 1.0,
            // rstest: no limit at all.
            "MAX" if source.word(index.saturating_sub(2)) == "Duration" => {
                found.push((source.line(index), f64::MAX));
                continue;
            }
            _ => continue,
        };
        let near = match source.word(index) {
            "Hour" | "Minute" | "Second" | "Millisecond" => index.checked_sub(4),
            _ => Some(index + 2),
        };
        let number = near.and_then(|near| source.word(near).replace('_', "").parse::<f64>().ok());
        let unit_alone = near.is_some_and(|near| near < index) && number.is_none();
        found.extend(
            number.or(unit_alone.then_some(1.0)).map(|number| (source.line(index), number * seconds)),
        );
    }
    found
}
