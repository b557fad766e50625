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

/// What the requirements analyst handed in, in this version and at this time. The edge cases are those of their own file,
/// where it lists any or says that there are none, else those of a section of the requirements.
pub fn parse_requirements(
    requirements: &str,
    edge_cases: Option<&str>,
    version: &str,
    at: Timestamp,
) -> Requirements {
    let body = split(requirements).1;
    let edge_cases = edge_cases.and_then(|text| listed(&split(text).1));
    made_of(&body, edge_cases, version, at)
}

/// What lies in both files, with the version and the time that stand there; an empty version where none does. Edge cases
/// of another version are not those of the requirements.
pub(super) fn read_requirements(requirements: &str, edge_cases: Option<&str>) -> Requirements {
    let (header, body) = split(requirements);
    let is_its = |version: &str| version.is_empty() || version == header.version;
    let beside = edge_cases.map(split).filter(|(beside, _)| is_its(&beside.version));
    let edge_cases = beside.and_then(|(_, body)| listed(&body));
    made_of(&body, edge_cases, &header.version, moment(&header.date).unwrap_or_default())
}

/// The edge cases that a file of their own lists; nothing where it has no list at all.
fn listed(body: &str) -> Option<Vec<String>> {
    let cases = read_list(body);
    let says_none = body.trim() == list::<&str>(&[]).trim();
    (!cases.is_empty() || says_none).then_some(cases)
}

fn made_of(
    body: &str,
    edge_cases: Option<Vec<String>>,
    version: &str,
    last_updated: Timestamp,
) -> Requirements {
    let specification = clip(body, DOCUMENT_BYTES_MAX).trim_end().to_owned();
    let own = || {
        let parts = sections(&specification);
        section(&parts, &["edge case", "edge-case"])
            .map(|section| read_list(&section.text))
            .unwrap_or_default()
    };
    let edge_cases = bounded(edge_cases.unwrap_or_else(own));
    Requirements { version: version.to_owned(), specification, edge_cases, last_updated }
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
        assert_eq!(read_requirements(&pages.0, Some(&pages.1)), known);
        let none = Requirements { edge_cases: Vec::new(), ..known };
        assert_eq!(read_requirements(&pages.0, Some(&edge_cases_page(&header(), &none))), none);
    }

    #[test]
    fn edge_cases_of_an_older_version_do_not_count() {
        let older = Header::of_iteration("c", 1, "", "");
        let old = edge_cases_page(&older, &requirements());
        let read = read_requirements(&requirements_page(&header(), &requirements()), Some(&old));
        assert_eq!(read.edge_cases, ["of the text"]);
    }

    #[test]
    fn what_was_handed_in_counts_whatever_its_header_says() {
        let old = edge_cases_page(&Header::of_iteration("c", 1, "", ""), &requirements());
        let read = parse_requirements(
            "# R v1.1.0\n\n## Edge Cases\n1. own",
            Some(&old),
            "1.1.0",
            Timestamp::default(),
        );
        assert_eq!(read.edge_cases, requirements().edge_cases);
    }

    #[test]
    fn a_file_of_their_own_without_a_list_is_no_list() {
        let text = "## Edge Cases\n\n- one\n- two\n";
        let prose = Some("# Edge cases\n\nProse only.\n");
        assert_eq!(parse_requirements(text, prose, "1.0.0", Timestamp::default()).edge_cases, ["one", "two"]);
        assert_eq!(read_requirements(text, prose).edge_cases, ["one", "two"]);
    }

    #[test]
    fn without_a_file_of_their_own_they_are_in_the_text() {
        let text = "## Edge Cases\n\n- a\n- b\n\n## More\n- c";
        assert_eq!(read_requirements(text, None).edge_cases, ["a", "b"]);
    }
}
