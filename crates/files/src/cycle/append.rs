//! Bringing an append-only log up to date: each line once, in its order, whatever a crash or an agent left there.
//!
//! What is there is compared with what is to be there, from the first line that is known on. Where it is the beginning of
//! that, the rest is added, and a line that a crash cut off is completed. Where something else stands in between, as when an
//! agent wrote into the log itself, the log is written anew up to there and goes on as it should. A log that lacks nothing is
//! left alone.

use std::io::Write;
use std::path::Path;

use piton_model::cycle::RoleName;
use piton_sys::fault;
use piton_sys::file::{self, Durability, Error};
use serde_json::Value;

use super::changes::read_changes;
use super::discoveries::is_same_discovery;
use super::logs::Wanted;

/// Far more than the logs of a cycle need.
pub(super) const LOG_BYTES_MAX: u64 = 256 << 20;

/// What a log needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It lacks nothing.
    Nothing,
    /// These bytes at its end.
    Add(Vec<u8>),
    /// Only its first `keep` bytes count, and these follow them.
    Replace { keep: usize, add: Vec<u8> },
    /// It lacks lines from before those that are known.
    Unknown,
}

impl Step {
    /// What of a log goes by this.
    pub(super) fn dropped<'a>(&self, there: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Step::Replace { keep, .. } => Some(&there[*keep..]),
            Step::Nothing | Step::Add(_) | Step::Unknown => None,
        }
    }
}

/// Compares what a log holds below its head with what it should. A log without a head of ours is another's.
pub(super) fn compare_below(head: &[u8], there: &[u8], wanted: &Wanted, is_earlier: bool) -> Step {
    if let Some(rest) = head.strip_prefix(there) {
        // Nothing of it is there, or a crash cut it off.
        let lines = lines_of(&wanted.lines);
        return if wanted.before == 0 { Step::Add([rest, &lines].concat()) } else { Step::Unknown };
    }
    match there.strip_prefix(head) {
        None => compare(there, wanted, is_earlier),
        Some(below) => match compare(below, wanted, is_earlier) {
            Step::Replace { keep, add } => Step::Replace { keep: head.len() + keep, add },
            step => step,
        },
    }
}

/// How many lines of somebody else's come before these, in a log that was begun elsewhere.
pub(super) fn earlier(head: &[u8], there: &[u8], wanted: &Wanted) -> usize {
    let below = there.strip_prefix(head).unwrap_or(there);
    let whole = below.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = split(&below[..whole]);
    let first = wanted.lines.first();
    let place = first.and_then(|first| lines.iter().position(|line| is_same(line, first)));
    place.unwrap_or(lines.len())
}

/// Compares what a log holds with what it should. `is_earlier` says that what stands there and is none of these lines is
/// what another tool logged before.
fn compare(there: &[u8], wanted: &Wanted, is_earlier: bool) -> Step {
    let whole = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (lines, torn) = (split(&there[..whole]), &there[whole..]);
    let Some((first, right)) = align(&lines, wanted, is_earlier) else { return Step::Unknown };
    let Some(next) = wanted.lines.get(right) else { return Step::Nothing };
    let add = lines_of(&wanted.lines[right..]);
    if first + right < lines.len() {
        let keep = lines[..first + right].iter().map(|line| line.len() + 1).sum();
        return Step::Replace { keep, add };
    }
    match add.strip_prefix(torn) {
        Some(rest) if torn.len() <= next.len() => Step::Add(rest.to_vec()),
        _ if is_earlier => Step::Add([b"\n", add.as_slice()].concat()),
        _ => Step::Replace { keep: whole, add },
    }
}

/// Where the wanted lines begin, and how many of them are there; `None` where that cannot be known.
fn align(lines: &[&[u8]], wanted: &Wanted, is_earlier: bool) -> Option<(usize, usize)> {
    let before = usize::try_from(wanted.before).ok().filter(|before| *before <= lines.len())?;
    let right = |from: usize| {
        let pairs = lines[from..].iter().zip(&wanted.lines);
        pairs.take_while(|(line, wanted)| is_same(line, wanted)).count()
    };
    if lines.len() == before || right(before) > 0 {
        return Some((before, right(before)));
    }
    // What another tool logged may stand before them, and nobody counted it. Of equal lines the place counts where most of them fit.
    let first = wanted.lines.first().map(String::as_bytes);
    let places = (before..lines.len()).filter(|place| Some(lines[*place]) == first);
    let best = places
        .map(|place| (place, right(place)))
        .reduce(|best, other| if other.1 > best.1 { other } else { best });
    let nothing = (before == 0).then_some(if is_earlier { (lines.len(), 0) } else { (0, 0) });
    best.or(nothing)
}

/// Lines, each with its line break.
fn lines_of<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Vec<u8> {
    lines.into_iter().flat_map(|line| [line.as_ref().as_bytes(), b"\n"].concat()).collect()
}

/// The lines of text that ends with a line break, without their breaks.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]).collect()
}

/// Whether a line says what it should, in whatever way it is written.
fn is_same(line: &[u8], wanted: &str) -> bool {
    if line == wanted.as_bytes() {
        return true;
    }
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
    let (Some(theirs), Some(ours)) = (parsed(line), parsed(wanted.as_bytes())) else { return false };
    let nobody = RoleName::default();
    let entries = |bytes: &[u8]| {
        let read = read_changes(bytes, &nobody);
        (!read.changes.is_empty() || !read.documents.is_empty() || !read.markers.is_empty()).then_some(read)
    };
    // One that does not say who found it, and when, is written anew.
    let is_signed = ["ts", "agent"].iter().all(|field| theirs.get(field).is_some());
    let is_it = theirs == ours || is_signed && is_same_discovery(&theirs, &ours);
    is_it || entries(line).is_some_and(|read| entries(wanted.as_bytes()) == Some(read))
}

/// Does what a log needs.
pub(super) fn perform(path: &Path, there: &[u8], step: Step, durability: Durability) -> Result<(), Error> {
    match step {
        Step::Nothing | Step::Unknown => Ok(()),
        Step::Add(bytes) if there.is_empty() => file::write_shared(path, &bytes, durability),
        Step::Add(bytes) => {
            let mut log = file::open_append(path)?;
            fault::point("files.cycle.append");
            log.write_all(&bytes).map_err(|error| Error::new("write to", path, error))?;
            if durability == Durability::Synced { file::sync_file(&log, path) } else { Ok(()) }
        }
        Step::Replace { keep, add } => file::write_shared(path, &[&there[..keep], &add].concat(), durability),
    }
}

/// What a log in any order needs so that it has each of these lines.
pub(super) fn missing(there: &[u8], wanted: &[String]) -> Step {
    let whole = there.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (lines, torn) = (split(&there[..whole]), &there[whole..]);
    let missing = wanted.iter().filter(|wanted| !lines.iter().any(|line| is_same(line, wanted)));
    let add = lines_of(missing);
    if add.is_empty() {
        return Step::Nothing;
    }
    match add.strip_prefix(torn) {
        Some(rest) => Step::Add(rest.to_vec()),
        // What somebody else left without a line break is theirs.
        None => Step::Add([b"\n", add.as_slice()].concat()),
    }
}

/// The lines of what was dropped that say something that the log does not: a change of a file that is not in it, a discovery, or
/// words. What a crash cut off says nothing.
pub(super) fn untold(dropped: &[u8], log: &[String]) -> Vec<u8> {
    let is_told = |text: &str| {
        let quoted = Value::from(text).to_string();
        text.is_empty() || log.iter().any(|line| line.contains(&quoted))
    };
    let says_more = |line: &&[u8]| {
        if line.trim_ascii().is_empty() || log.iter().any(|known| says_the_same(line, known)) {
            return false;
        }
        let read = read_changes(line, &RoleName::default());
        let changes = read.changes.iter().all(|change| is_told(&change.file));
        let documents = read.documents.iter().all(|document| is_told(&document.change));
        !(read.unreadable == 0 && changes && documents)
    };
    dropped.split_inclusive(|byte| *byte == b'\n').filter(says_more).flatten().copied().collect()
}

/// Whether a line says what one of ours does, which may have more to it: who found something out, and when.
fn says_the_same(line: &[u8], known: &str) -> bool {
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes.trim_ascii()).ok();
    let (Some(theirs), Some(ours)) = (parsed(line), parsed(known.as_bytes())) else { return false };
    theirs == ours || is_same_discovery(&theirs, &ours)
}

/// The same without a last line that was cut off; one that only lacks its line break has it.
pub(super) fn with_whole_lines(log: &[u8]) -> Vec<u8> {
    let whole = log.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let last = &log[whole..];
    match serde_json::from_slice::<Value>(last) {
        Ok(_) => [log, b"\n"].concat(),
        Err(_) => log[..whole].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(before: u64, lines: &[&str]) -> Wanted {
        Wanted { before, lines: lines.iter().map(|line| (*line).to_owned()).collect() }
    }

    fn after(there: &str, wanted: &Wanted) -> Option<String> {
        match compare(there.as_bytes(), wanted, false) {
            Step::Nothing => Some(there.to_owned()),
            Step::Add(bytes) => Some(there.to_owned() + std::str::from_utf8(&bytes).unwrap()),
            Step::Replace { keep, add } => {
                Some(there[..keep].to_owned() + std::str::from_utf8(&add).unwrap())
            }
            Step::Unknown => None,
        }
    }

    #[test]
    fn whatever_a_crash_left_becomes_the_whole_log() {
        let whole = "{\"a\":1}\n{\"b\":2}\n{\"b\":2}\n{\"c\":3}\n";
        let all = wanted(0, &["{\"a\":1}", "{\"b\":2}", "{\"b\":2}", "{\"c\":3}"]);
        for cut in 0..=whole.len() {
            assert_eq!(after(&whole[..cut], &all).as_deref(), Some(whole), "cut at {cut}");
        }
        let window = wanted(2, &["{\"b\":2}", "{\"c\":3}"]);
        for cut in 16..=whole.len() {
            assert_eq!(after(&whole[..cut], &window).as_deref(), Some(whole), "cut at {cut}");
        }
        for cut in 0..16 {
            assert_eq!(after(&whole[..cut], &window), None, "cut at {cut}");
        }
    }

    #[test]
    fn what_an_agent_wrote_itself_is_replaced_by_what_was_taken_of_it() {
        let all = wanted(0, &["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(after("{\"a\":1}\ntheirs\nand {", &all).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(after("{\"a\":1}\nthei", &all).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
        let complete = wanted(0, &["{\"a\":1}"]);
        assert_eq!(after("{\"a\":1}\nthei", &complete).unwrap(), "{\"a\":1}\nthei", "it may be at work");
    }

    #[test]
    fn the_same_in_other_words_is_the_same() {
        assert_eq!(
            compare(b"{ \"b\": 2, \"a\": 1 }\n", &wanted(0, &["{\"a\":1,\"b\":2}"]), false),
            Step::Nothing
        );
        let theirs = "{\"timestamp\":\"2026-01-22T02:00:00Z\",\"file\":\"f\",\"action\":\"modify\",\"agent\":\"cd\",\"iteration\":1}\n";
        let ours = "{\"timestamp\":\"2026-01-22T10:00:00+08:00\",\"iteration\":1,\"file\":\"f\",\"action\":\"modify\",\"agent\":\"cd\",\"description\":\"\",\"lines_added\":0,\"lines_removed\":0}";
        assert_eq!(compare(theirs.as_bytes(), &wanted(0, &[ours]), false), Step::Nothing);
    }

    #[test]
    fn where_the_order_does_not_matter_only_what_is_missing_is_added() {
        let wanted = ["a", "b"].map(str::to_owned);
        let after = |there: &str| match missing(there.as_bytes(), &wanted) {
            Step::Add(bytes) => there.to_owned() + std::str::from_utf8(&bytes).unwrap(),
            _ => there.to_owned(),
        };
        assert_eq!(after("b\ntheirs\n"), "b\ntheirs\na\n");
        assert_eq!(after("b\ntheirs"), "b\ntheirs\na\n");
        assert_eq!(after("a"), "a\nb\n");
        assert_eq!(after("b\na\n"), "b\na\n");
    }

    #[test]
    fn lines_of_others_before_the_known_ones_are_noticed() {
        assert_eq!(after("x\ny\nz\n", &wanted(1, &["a", "b"])), None);
    }

    #[test]
    fn what_another_tool_logged_before_stays() {
        let ours = wanted(0, &["a", "b"]);
        assert_eq!(compare(b"x\ny\n", &ours, true), Step::Add(b"a\nb\n".to_vec()));
        assert_eq!(compare(b"x\ny", &ours, true), Step::Add(b"\na\nb\n".to_vec()));
        for is_earlier in [true, false] {
            assert_eq!(compare(b"x\ny\na\n", &ours, is_earlier), Step::Add(b"b\n".to_vec()));
            assert_eq!(compare(b"x\na\nx\na\nb\n", &ours, is_earlier), Step::Nothing);
            assert_eq!(compare(b"x\na\nb\n", &wanted(1, &["b"]), is_earlier), Step::Nothing);
        }
    }

    #[test]
    fn a_head_stands_above_what_is_compared() {
        let ours = wanted(0, &["a", "b"]);
        let step = |there: &[u8]| compare_below(b"# head\n\n", there, &ours, false);
        assert_eq!(step(b""), Step::Add(b"# head\n\na\nb\n".to_vec()));
        assert_eq!(step(b"# he"), Step::Add(b"ad\n\na\nb\n".to_vec()));
        assert_eq!(step(b"# head\n\na\n"), Step::Add(b"b\n".to_vec()));
        assert_eq!(step(b"# head\n\na\nx\n"), Step::Replace { keep: 10, add: b"b\n".to_vec() });
    }

    #[test]
    fn of_what_is_dropped_the_lines_are_kept_that_say_more() {
        let board = r#"{"ts":"2026-01-22T10:00:00+08:00","agent":"cd","type":"utility","data":{"name":"n"}}"#;
        let log = ["{\"file\":\"src/a.ts\",\"description\":\"d\"}", "{\"issue_id\":\"BUG-001\"}", board]
            .map(str::to_owned);
        let line = |file: &str| format!("{{\"file\":\"{file}\",\"action\":\"modify\"}}\n");
        let kept = |dropped: &str| String::from_utf8(untold(dropped.as_bytes(), &log)).unwrap();
        assert_eq!(kept(&line("src/a.ts")), "");
        assert_eq!(kept(&line("src/b.ts")), line("src/b.ts"));
        assert_eq!(kept("words\n{ \"issue_id\": \"BUG-001\" }\n"), "words\n");
        assert_eq!(kept("{\"type\":\"utility\",\"data\":{\"name\":\"n\"}}\n"), "");
        assert_eq!(kept("{\"torn"), "");
    }

    #[test]
    fn a_last_line_that_was_cut_off_is_left_out() {
        assert_eq!(with_whole_lines(b"{\"a\":1}\n{\"b\":"), b"{\"a\":1}\n");
        assert_eq!(with_whole_lines(b"{\"a\":1}\n{\"b\":2}"), b"{\"a\":1}\n{\"b\":2}\n");
        assert_eq!(with_whole_lines(b"{\"a\":1}\n"), b"{\"a\":1}\n");
        assert_eq!(with_whole_lines(b""), b"");
    }
}
