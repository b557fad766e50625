//! `ra/requirements.md` and `ra/edge-cases.md`.

use piton_model::Timestamp;
use piton_model::cycle::Requirements;
use piton_model::cycle::limits::DOCUMENT_BYTES_MAX;
use piton_model::limits::clip;

use super::header::{Header, page, split};
use super::markdown::{bounded, list, read_list, section, sections};
use super::zone::moment;

/// `requirements.md`: the specification below its header, word for word.
pub fn requirements_page(header: &Header, requirements: &Requirements) -> String {
    page("Requirements", header, &requirements.specification)
}

/// `edge-cases.md`.
pub fn edge_cases_page(header: &Header, requirements: &Requirements) -> String {
    page("Edge cases", header, &list(&requirements.edge_cases))
}

/// What the requirements analyst wrote, in this version and at this time.
///
/// The edge cases are those of their own file, unless that is of another version: then those of a section in the
/// requirements, as when an agent wrote one file and left the other.
pub fn parse_requirements(
    requirements: &str,
    edge_cases: Option<&str>,
    version: &str,
    at: Timestamp,
) -> Requirements {
    let (_, read) = read_requirements(requirements, edge_cases);
    Requirements { version: version.to_owned(), last_updated: at, ..read }
}

/// The same with the version and the time that stand there; an empty version where none does.
pub(super) fn read_requirements(requirements: &str, edge_cases: Option<&str>) -> (Header, Requirements) {
    let (header, specification) = split(requirements);
    let specification = clip(&specification, DOCUMENT_BYTES_MAX).trim_end().to_owned();
    let parts = sections(&specification);
    let own = section(&parts, &["edge case", "edge-case"]).map(|section| read_list(&section.text));
    let own = own.unwrap_or_default();
    let beside = edge_cases.map(split).filter(|(beside, _)| {
        let is_older = !beside.version.is_empty() && beside.version != header.version;
        !is_older || (header.version.is_empty() && own.is_empty())
    });
    let edge_cases = bounded(beside.map_or(own, |(_, body)| read_list(&body)));
    let (version, last_updated) = (header.version.clone(), moment(&header.date).unwrap_or_default());
    (header, Requirements { version, specification, edge_cases, last_updated })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements() -> Requirements {
        Requirements {
            version: "1.1.0".to_owned(),
            specification: "## Login\nwith OAuth\n\n## Edge cases\n- of the text".to_owned(),
            edge_cases: vec!["OAuth timeout handling".to_owned(), "PKCE\nvalidation".to_owned()],
            last_updated: moment("2026-01-22T11:00:00+08:00").unwrap(),
        }
    }

    fn header() -> Header {
        Header::of_iteration("c", 2, "2026-01-22T11:00:00+08:00", "")
    }

    #[test]
    fn both_files_give_back_what_they_were_made_of() {
        let known = requirements();
        let pages = (requirements_page(&header(), &known), edge_cases_page(&header(), &known));
        assert_eq!(read_requirements(&pages.0, Some(&pages.1)), (header(), known.clone()));
        let none = Requirements { edge_cases: Vec::new(), ..known };
        assert_eq!(read_requirements(&pages.0, Some(&edge_cases_page(&header(), &none))).1, none);
    }

    #[test]
    fn edge_cases_of_an_older_version_do_not_count() {
        let older = Header::of_iteration("c", 1, "", "");
        let old = edge_cases_page(&older, &requirements());
        let read =
            |text: &str| parse_requirements(text, Some(&old), "1.1.0", Timestamp::default()).edge_cases;
        assert_eq!(read(&requirements_page(&header(), &requirements())), ["of the text"]);
        assert_eq!(read("# Requirements\n\n## Edge Cases\n1. new"), ["new"]);
        assert_eq!(read("# Requirements\n"), requirements().edge_cases);
    }

    #[test]
    fn without_a_file_of_their_own_they_are_in_the_text() {
        let text = "## Edge Cases\n\n- a\n- b\n\n## More\n- c";
        assert_eq!(read_requirements(text, None).1.edge_cases, ["a", "b"]);
    }
}
