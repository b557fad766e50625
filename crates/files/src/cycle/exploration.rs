//! `ep/exploration.md`: what there is already, where the work touches it, and what may go wrong.

use piton_model::Timestamp;
use piton_model::cycle::Exploration;
use piton_model::cycle::limits::DOCUMENT_BYTES_MAX;
use piton_model::limits::clip;

use super::header::{Header, page, split};
use super::markdown::{below_heading, bounded, list, read_list, section, sections};
use super::zone::moment;

/// `exploration.md`: summary, integration points, risks.
pub fn exploration_page(header: &Header, exploration: &Exploration) -> String {
    let body = format!(
        "## Summary\n\n{}\n\n## Integration points\n\n{}\n## Risks\n\n{}",
        below_heading(&exploration.architecture_summary),
        list(&exploration.integration_points),
        list(&exploration.identified_risks),
    );
    page("Exploration", header, &body)
}

/// What the planner found, in this version and at this time. Where it has no summary, what stands before its other
/// sections is one.
pub fn parse_exploration(text: &str, version: &str, at: Timestamp) -> Exploration {
    Exploration { version: version.to_owned(), last_updated: at, ..read_exploration(text) }
}

/// The same with the version and the time that stand there.
pub(super) fn read_exploration(text: &str) -> Exploration {
    let (header, body) = split(text);
    let parts = sections(clip(&body, DOCUMENT_BYTES_MAX));
    let items = |words: &[&str]| section(&parts, words).map(|part| read_list(&part.text)).unwrap_or_default();
    let summary = section(&parts, &["summary", "architecture", "overview"]).or(parts.first());
    Exploration {
        version: header.version,
        architecture_summary: summary.map(|part| part.text.trim().to_owned()).unwrap_or_default(),
        integration_points: bounded(items(&["integration"])),
        identified_risks: bounded(items(&["risk"])),
        last_updated: moment(&header.date).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Exploration {
        Exploration {
            version: "1.0.0".to_owned(),
            architecture_summary: "layers\n\n### detail\nmore".to_owned(),
            integration_points: vec!["src/app.ts".to_owned(), "src/routes.ts".to_owned()],
            identified_risks: Vec::new(),
            last_updated: moment("2026-01-22T10:20:00+08:00").unwrap(),
        }
    }

    fn page_of(exploration: &Exploration) -> String {
        exploration_page(&Header::of_iteration("c", 1, "2026-01-22T10:20:00+08:00", ""), exploration)
    }

    #[test]
    fn it_gives_back_what_it_was_made_of() {
        assert_eq!(read_exploration(&page_of(&known())), known());
    }

    #[test]
    fn a_summary_with_headings_of_its_own_stays_one() {
        let summary = "## Risks\n- none of these".to_owned();
        let known = Exploration {
            architecture_summary: summary,
            identified_risks: vec!["real".to_owned()],
            ..known()
        };
        assert_eq!(read_exploration(&page_of(&known)).identified_risks, ["real"]);
    }

    #[test]
    fn an_agents_own_words_are_found() {
        let text = "# Exploration v1.1.0\n\nIt is a web server.\n\n## Integration Points\n* a\n\n## Identified Risks\n1. b\n";
        let read = read_exploration(text);
        assert_eq!(read.version, "1.1.0");
        assert!(read.architecture_summary.ends_with("It is a web server."));
        assert_eq!(
            (read.integration_points, read.identified_risks),
            (vec!["a".to_owned()], vec!["b".to_owned()])
        );
    }
}
