//! `ra/requirements.md` and `ra/edge-cases.md`.

use super::format::Requirements;
use super::header::{Header, page, split};
use super::markdown::{list, read_list, section, sections};

/// `requirements.md`: the specification below its header, word for word.
pub fn requirements_page(header: &Header, requirements: &Requirements) -> String {
    page("Requirements", header, &requirements.specification)
}

/// `edge-cases.md`.
pub fn edge_cases_page(header: &Header, requirements: &Requirements) -> String {
    page("Edge cases", header, &list(requirements.edge_cases.iter().map(String::as_str)))
}

/// What the requirements analyst wrote. A version or a time that it does not say is empty.
///
/// The edge cases are those of their own file, unless that is of another version: then those of a section in the
/// requirements, as when an agent wrote one file and left the other.
pub fn read_requirements(requirements: &str, edge_cases: Option<&str>) -> Requirements {
    let (header, specification) = split(requirements);
    let parts = sections(&specification);
    let own = section(&parts, &["edge case", "edge-case"]).map(|section| read_list(&section.text));
    let own = own.unwrap_or_default();
    let beside = edge_cases.map(split).filter(|(beside, _)| {
        let is_older = !beside.version.is_empty() && beside.version != header.version;
        !is_older || (header.version.is_empty() && own.is_empty())
    });
    let edge_cases = beside.map_or(own, |(_, body)| read_list(&body));
    Requirements { version: header.version, specification, edge_cases, last_updated: header.date }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements() -> Requirements {
        Requirements {
            version: "1.1.0".to_owned(),
            specification: "## Login\nwith OAuth\n\n## Edge cases\n- of the text".to_owned(),
            edge_cases: vec!["OAuth timeout handling".to_owned(), "PKCE\nvalidation".to_owned()],
            last_updated: "2026-01-22T11:00:00+08:00".to_owned(),
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
        let read = |text: &str| read_requirements(text, Some(&old)).edge_cases;
        assert_eq!(read(&requirements_page(&header(), &requirements())), ["of the text"]);
        assert_eq!(read("# Requirements\n\n## Edge Cases\n1. new"), ["new"]);
        assert_eq!(read("# Requirements\n"), requirements().edge_cases);
    }

    #[test]
    fn without_a_file_of_their_own_they_are_in_the_text() {
        assert_eq!(read_requirements("## Edge Cases\n\n- a\n- b\n\n## More\n- c", None).edge_cases, ["a", "b"]);
    }
}
