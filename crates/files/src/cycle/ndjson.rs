//! Logs of JSON lines, as they are read: what cannot be understood is counted, and a last line that was torn is passed by.

use serde_json::Value;

/// The lines of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// What was understood, in its order.
    pub values: Vec<Value>,
    /// The numbers of lines that are no JSON, counted from 1; a torn one is not among them.
    pub unreadable: Vec<usize>,
    /// The last line is cut off.
    pub torn: bool,
}

/// Reads a log. What stands on a last line without a line break counts if it is whole.
pub fn read_lines(bytes: &[u8]) -> Lines {
    let mut lines = Lines::default();
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(value) => lines.values.push(value),
            Err(_) if line.last() != Some(&b'\n') => lines.torn = true,
            Err(_) => lines.unreadable.push(index + 1),
        }
    }
    lines
}

/// What stands behind the first `count` whole lines.
pub fn after_lines(bytes: &[u8], count: u64) -> &[u8] {
    let mut rest = bytes;
    for _ in 0..count {
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => rest = &rest[end + 1..],
            None => return &[],
        }
    }
    rest
}

/// A value as a line of a log, without its line break.
pub(super) fn line(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("a line of a log is plain data with text keys")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_torn_last_line_is_passed_by() {
        let lines = read_lines(b"{\"a\":1}\n\nnonsense\n{\"b\":2}\n{\"c\":");
        assert_eq!(lines.values, [json!({"a": 1}), json!({"b": 2})]);
        assert_eq!((lines.unreadable, lines.torn), (vec![3], true));
        let whole = read_lines(b"{\"a\":1}\r\n{\"b\":2}");
        assert_eq!((whole.values.len(), whole.torn), (2, false));
        assert_eq!(read_lines(b""), Lines::default());
    }

    #[test]
    fn lines_are_counted_from_the_beginning() {
        assert_eq!(after_lines(b"a\nb\nc", 2), b"c");
        assert_eq!(after_lines(b"a\nb\nc", 3), b"");
        assert_eq!(after_lines(b"a\n", 0), b"a\n");
    }
}
