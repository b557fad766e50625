//! What is so in every ordinary run: variables that nobody set, numbers that cannot be zero, and what compares how.

use super::ordinary::Value;
use crate::text::starts_with_any;
use crate::vocabulary::{GIVEN_MEMBERS, GLOBAL_OBJECTS, LOOKUPS, POSITIVE_NUMBERS};

/// What an expression is, where every run knows it.
pub(super) fn known(flat: &str) -> Option<Value> {
    if let Some(set) = looked_up(flat) {
        return set;
    }
    match flat {
        "cfg!(test)" | "cfg!(debug_assertions)" | "process.version.startsWith(\"v\")" => {
            Some(Value::Boolean(true))
        }
        "cfg!(not(test))" | "cfg!(not(debug_assertions))" | "cfg!(any())" | "testing.Verbose()" => {
            Some(Value::Boolean(false))
        }
        "TYPE_CHECKING" | "typing.TYPE_CHECKING" => Some(Value::Boolean(false)),
        _ if flat.starts_with("cfg!(feature=") => Some(Value::Boolean(false)),
        _ if flat.starts_with("cfg!(not(feature=") => Some(Value::Boolean(true)),
        "sys.version_info.major" | "sys.version_info[0]" => Some(Value::Number(3.0)),
        "Infinity" | "math.inf" | "float(\"inf\")" => Some(Value::Positive),
        _ if POSITIVE_NUMBERS.contains(&flat) => Some(Value::Positive),
        _ => None,
    }
}

/// What a look-up of a setting gives where nobody set it, with what is asked of the answer.
fn looked_up(flat: &str) -> Option<Option<Value>> {
    let flat = flat.trim_start_matches("std::").trim_start_matches("request.");
    if let Some(start) = LOOKUPS.iter().find(|start| flat.starts_with(**start)) {
        let close = closing(flat, start.len())?;
        let arguments: Vec<_> = flat[start.len()..close].split(',').collect();
        if arguments.first().is_some_and(|name| GIVEN_MEMBERS.contains(&name.trim_matches('"'))) {
            return Some(None);
        }
        let default = match (start.starts_with("flag."), arguments.get(1)) {
            (_, Some(default)) => text_value(default.trim_start_matches("default=")),
            (true, None) => None,
            (false, None) => Some(Value::Nothing),
        };
        return Some(asked(default?, &flat[close + 1..]));
    }
    if flat.starts_with("process.env[\"") || flat.starts_with("globalThis[\"") {
        return Some(Some(Value::Nothing));
    }
    let rest = GLOBAL_OBJECTS.iter().find_map(|start| flat.strip_prefix(start))?;
    let name = rest.trim_end_matches('!').replace("?.", ".");
    let first = name.split('.').next().unwrap_or_default();
    let is_type = first.starts_with(|character: char| character.is_uppercase())
        && first.chars().any(|character| character.is_lowercase());
    if GIVEN_MEMBERS.contains(&first) || is_type || name.contains('(') {
        return Some(None);
    }
    Some(Some(Value::Nothing))
}

fn text_value(text: &str) -> Option<Value> {
    match text.trim() {
        "None" | "nil" | "null" | "undefined" => Some(Value::Nothing),
        "false" | "False" => Some(Value::Boolean(false)),
        "true" | "True" => Some(Value::Boolean(true)),
        quoted if quoted.starts_with('"') => Some(Value::Text(quoted.trim_matches('"').to_owned())),
        number => number.parse().ok().map(Value::Number),
    }
}

/// What is asked of the answer of a look-up: `.is_ok()`, `.unwrap_or_default()`, `.as_deref()==Ok("1")`.
fn asked(value: Value, rest: &str) -> Option<Value> {
    let there = value != Value::Nothing;
    match rest {
        "" => Some(value),
        ".is_ok()" | ".is_some()" => Some(Value::Boolean(there)),
        ".is_err()" | ".is_none()" => Some(Value::Boolean(!there)),
        ".unwrap_or_default()" | ".ok()" | ".as_deref()" => Some(value),
        ".lower()" | ".toLowerCase()" => Some(value),
        _ if starts_with_any(rest, &[".is_ok_and(", ".is_some_and("]) => Some(Value::Boolean(false)),
        _ if rest.starts_with(".map_or(false,") => Some(Value::Boolean(false)),
        _ => rest
            .strip_prefix(".unwrap_or(")
            .and_then(|rest| text_value(rest.trim_end_matches(')')))
            .filter(|_| !there),
    }
}

/// Where the bracket before `from` is closed.
fn closing(flat: &str, from: usize) -> Option<usize> {
    let mut depth = 1;
    for (at, character) in flat.char_indices().skip_while(|(at, _)| *at < from) {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Comparisons whose sides are no values of their own.
pub(super) fn compared(left: &str, word: &str, right: &str) -> Option<bool> {
    let equal = matches!(word, "==" | "===" | "is");
    let unequal = matches!(word, "!=" | "!==");
    if let Some(name) = left.strip_prefix("typeof ").or_else(|| left.strip_prefix("typeof(")) {
        let kind = match name.trim_end_matches(')') {
            "process" | "globalThis" | "console" | "module" => "\"object\"",
            "require" | "describe" | "it" | "expect" | "test" => "\"function\"",
            _ => return None,
        };
        let is_same = right == kind;
        let is_other = right == "\"undefined\"";
        return match (is_same || is_other, equal, unequal) {
            (true, true, _) => Some(is_same),
            (true, _, true) => Some(!is_same),
            _ => None,
        };
    }
    // Checks run on Linux: what leaves out every other system leaves out nothing there, and the reverse.
    let systems = ["runtime.GOOS", "sys.platform", "process.platform", "os.name", "std::env::consts::OS"];
    if systems.contains(&left) && right.starts_with('"') && (equal || unequal) {
        let name = right.trim_matches('"').to_lowercase();
        let is_linux = name.starts_with("linux") || left == "os.name" && name == "posix";
        return Some(is_linux == equal);
    }
    let is_environment = ["os.environ", "process.env"].contains(&right.trim_end_matches(".keys()"));
    let name = left.trim_matches('"');
    let is_there = if is_environment && !GIVEN_MEMBERS.contains(&name) {
        Some(false)
    } else {
        (right == "sys.modules" && ["pytest", "unittest"].contains(&name)).then_some(true)
    };
    match word {
        "in" => is_there,
        "not in" => is_there.map(|is_there| !is_there),
        _ if left == "sys.version_info" => version(word, right),
        _ if left == "__name__" && right == "\"__main__\"" && (equal || unequal) => Some(unequal),
        _ => None,
    }
}

/// Python before this has not been in use for years.
const PYTHON_MINOR_MIN: u32 = 7;

fn version(word: &str, tuple: &str) -> Option<bool> {
    let mut numbers = tuple.trim_matches(['(', ')']).split(',').map(|part| part.trim().parse::<u32>().ok());
    let (major, minor) = (numbers.next()??, numbers.next().flatten().unwrap_or_default());
    let is_old = major < 3 || major == 3 && minor < PYTHON_MINOR_MIN;
    let is_far = major > 3 || major == 3 && minor > 40;
    match word {
        ">=" | ">" if is_old || is_far => Some(is_old),
        "<" | "<=" if is_old || is_far => Some(is_far),
        _ => None,
    }
}

/// Compares two values.
pub(super) fn compare(a: &Value, word: &str, b: &Value) -> Option<bool> {
    let equal = |same: bool| match word {
        "==" | "===" | "is" => Some(same),
        "!=" | "!==" => Some(!same),
        _ => None,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match word {
            "<" => Some(a < b),
            ">" => Some(a > b),
            "<=" => Some(a <= b),
            ">=" => Some(a >= b),
            _ => equal(a == b),
        },
        // Known where the least and the greatest of them agree.
        (Value::Positive, Value::Number(_)) => {
            let [least, most] = [1.0, f64::INFINITY].map(|number| compare(&Value::Number(number), word, b));
            least.filter(|_| least == most)
        }
        (Value::Nothing, Value::Text(text)) | (Value::Text(text), Value::Nothing) => equal(text.is_empty()),
        (Value::Positive, _) | (_, Value::Positive) => None,
        (Value::Nothing, _) | (_, Value::Nothing) => equal(a == b),
        _ if std::mem::discriminant(a) == std::mem::discriminant(b) => equal(a == b),
        _ => None,
    }
}

/// Whether every bracket of a normalised text is closed in it.
pub(super) fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    for character in text.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
