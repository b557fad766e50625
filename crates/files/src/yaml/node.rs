//! Values that know where they stand.

use std::borrow::Cow;

use granit_parser::ScalarStyle;

/// A value and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    /// First byte. A block scalar begins with its content, not with its `|`; a list without brackets with its first
    /// entry, not with the dash.
    pub(crate) start: usize,
    /// After the last byte that says something: blank lines behind a block scalar do not count.
    pub(crate) end: usize,
    pub(crate) line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Scalar(Cow<'a, str>, ScalarStyle),
    List {
        flow: bool,
        items: Vec<Node<'a>>,
    },
    Map {
        flow: bool,
        entries: Vec<Entry<'a>>,
    },
    /// Reported as a problem already.
    Unreadable,
}

impl Value<'_> {
    /// What it is, for messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Value::Scalar(..) => "a single value",
            Value::List { .. } => "a list",
            Value::Map { .. } => "a mapping",
            Value::Unreadable => "unreadable",
        }
    }
}

/// One key of a mapping, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) key_start: usize,
    pub(crate) key_end: usize,
    pub(crate) line: usize,
    pub(crate) node: Node<'a>,
}
