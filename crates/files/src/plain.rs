//! What every format does to the few values that it could not show otherwise.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;

/// Readers know years of four digits; a broken clock must not make a file that they cannot read.
pub(crate) fn in_calendar(moment: Timestamp) -> Timestamp {
    const FIRST_OF_YEAR_0_MS: i64 = -62_167_219_200_000;
    const END_OF_YEAR_9999_MS: i64 = 253_402_128_000_000;
    Timestamp::from_millis(moment.as_millis().clamp(FIRST_OF_YEAR_0_MS, END_OF_YEAR_9999_MS))
}

/// JSON has no bytes that are not text.
pub(crate) fn text_path(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().into_owned())
}

/// Bytes without the mark that some editors begin a file with.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A file of JSON as it is written: the same value gives the same bytes.
pub(crate) fn json_file(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("a view is plain data with text keys");
    bytes.push(b'\n');
    bytes
}

/// Something that is written once, where it is made: the members of a JSON object in this order, each `name: value`. One
/// with a `?` behind its name is left out where it is `None`.
macro_rules! object {
    (@ {$($name:ident)*} {$($fields:tt)*} {$($values:tt)*}) => {{
        #[expect(non_camel_case_types, reason = "the type of a member is called like the member")]
        mod object {
            #[piton_record::shown]
            pub(super) struct Object<$($name),*> { $($fields)* }
        }
        object::Object { $($values)* }
    }};
    (@ {$($names:tt)*} {$($fields:tt)*} {$($values:tt)*} $name:ident?: $value:expr, $($rest:tt)*) => {
        object!(@ {$($names)* $name} {$($fields)* pub(super) $name: Option<$name>,} {$($values)* $name: $value,} $($rest)*)
    };
    (@ {$($names:tt)*} {$($fields:tt)*} {$($values:tt)*} $name:ident: $value:expr, $($rest:tt)*) => {
        object!(@ {$($names)* $name} {$($fields)* pub(super) $name: $name,} {$($values)* $name: $value,} $($rest)*)
    };
    ($($members:tt)*) => { object!(@ {} {} {} $($members)*) };
}

pub(crate) use object;
