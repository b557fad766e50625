//! XML as a stream of elements.
//!
//! Owns what every reader of XML refuses: a document that declares entities, one nested too deep, one that ends
//! before its elements do. Text between elements is never kept. Several documents one after the other are read
//! as one.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements nested deeper than this are refused.
const DEPTH_MAX: usize = 100;

/// Why a document was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not UTF-8.
    #[error("expected UTF-8, found another encoding at byte {at}")]
    Encoding { at: usize },
    /// It is not well-formed.
    #[error("expected well-formed XML, found {found} at byte {at}")]
    Syntax {
        /// What the parser says.
        found: String,
        at: u64,
    },
    /// It declares entities, which could blow it up.
    #[error("expected a document type without declarations of its own, found entities")]
    Entities,
    /// It is nested too deep.
    #[error("expected at most {DEPTH_MAX} nested elements, found more")]
    Depth,
    /// It ends in the middle.
    #[error("expected the end of {open} open element(s), found the end of the input")]
    Unclosed {
        /// How many elements are still open.
        open: usize,
    },
    /// It holds no element at all.
    #[error("expected an element, found none")]
    Empty,
}

/// One tag.
pub(crate) enum Tag<'t> {
    /// An element begins at this depth; the root is at 0.
    Open(Element<'t>, usize),
    /// The element at this depth ends.
    Close(usize),
}

/// An opening tag.
pub(crate) struct Element<'t> {
    start: &'t BytesStart<'t>,
}

impl Element<'_> {
    /// Its name without a namespace.
    pub(crate) fn name(&self) -> &str {
        let name = self.start.name().0;
        name.rsplit_once(':').map_or(name, |(_, local)| local)
    }

    /// Calls `visit` with each attribute's name and raw value.
    pub(crate) fn attributes(&self, mut visit: impl FnMut(&str, &str)) {
        for attribute in self.start.attributes().with_checks(false).flatten() {
            visit(attribute.key.0, &attribute.value);
        }
    }

    /// One attribute, with its character references resolved.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut found = None;
        self.attributes(|key, value| {
            if key == name {
                found = Some(unescape(value).into_owned());
            }
        });
        found
    }
}

/// A value with its character references resolved; as it stands where one is unknown.
pub(crate) fn unescape(value: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    quick_xml::escape::unescape(value).unwrap_or(Cow::Borrowed(value))
}

/// Calls `visit` with every tag of a document.
pub(crate) fn walk<E: From<Error>>(
    bytes: &[u8],
    mut visit: impl FnMut(Tag<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let text = std::str::from_utf8(bytes).map_err(|error| Error::Encoding { at: error.valid_up_to() })?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    let (mut depth, mut seen) = (0, false);
    loop {
        let event = reader.read_event().map_err(|error| Error::Syntax {
            found: crate::text::clip(&error.to_string(), 160).to_owned(),
            at: reader.error_position(),
        })?;
        match event {
            Event::Start(start) => {
                if depth == DEPTH_MAX {
                    return Err(Error::Depth.into());
                }
                visit(Tag::Open(Element { start: &start }, depth))?;
                (depth, seen) = (depth + 1, true);
            }
            Event::Empty(start) => {
                visit(Tag::Open(Element { start: &start }, depth))?;
                visit(Tag::Close(depth))?;
                seen = true;
            }
            Event::End(_) => {
                depth -= 1;
                visit(Tag::Close(depth))?;
            }
            Event::DocType(declaration) if declaration.contains('[') => return Err(Error::Entities.into()),
            Event::Eof => break,
            Event::DocType(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::GeneralRef(_) => {}
        }
    }
    match (depth, seen) {
        (0, true) => Ok(()),
        (0, false) => Err(Error::Empty.into()),
        (open, _) => Err(Error::Unclosed { open }.into()),
    }
}

/// The name of the first element, without reading further.
pub(crate) fn root(bytes: &[u8]) -> Option<String> {
    struct Stop;
    impl From<Error> for Stop {
        fn from(_: Error) -> Self {
            Stop
        }
    }
    let mut name = None;
    let _: Result<(), Stop> = walk(bytes, |tag| {
        if let Tag::Open(element, _) = tag {
            name = Some(element.name().to_owned());
        }
        Err(Stop)
    });
    name
}

#[cfg(test)]
mod unit {
    use super::*;

    fn check(text: &str) -> Result<(), Error> {
        walk(text.as_bytes(), |_| Ok(()))
    }

    #[test]
    fn a_document_that_could_blow_up_is_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbb\">]><a>&b;</a>";
        assert_eq!(check(bomb), Err(Error::Entities));
        assert_eq!(check("<!DOCTYPE a SYSTEM \"a.dtd\"><a/>"), Ok(()));
    }

    #[test]
    fn nesting_is_bounded_and_ends_must_come() {
        assert_eq!(check(&"<a>".repeat(1_000)), Err(Error::Depth));
        assert_eq!(check("<a><b></b>"), Err(Error::Unclosed { open: 1 }));
        assert_eq!(check(" "), Err(Error::Empty));
        assert!(matches!(check("<a></b>"), Err(Error::Syntax { .. })));
        assert!(matches!(check("</a>"), Err(Error::Syntax { .. })));
    }

    #[test]
    fn the_root_is_found_behind_a_prolog() {
        let text = "\u{feff}<?xml version=\"1.0\"?><!-- x --><!DOCTYPE r SYSTEM \"x\"><x:report/>";
        assert_eq!(root(text.as_bytes()).as_deref(), Some("report"));
    }
}
