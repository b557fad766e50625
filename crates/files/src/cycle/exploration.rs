//! `ep/exploration.md`: what there is already, where the work touches it, and what may go wrong.

use super::format::Exploration;
use super::header::{Header, page, split};
use super::markdown::{below_heading, list, read_list, section, sections};

/// `exploration.md`: summary, integration points, risks.
pub fn exploration_page(header: &Header, exploration: &Exploration) -> String {
    let body = format!(
        "## Summary\n\n{}\n\n## Integration points\n\n{}\n## Risks\n\n{}",
        below_heading(&exploration.architecture_summary),
        list(exploration.integration_points.iter().map(String::as_str)),
        list(exploration.identified_risks.iter().map(String::as_str)),
    );
    page("Exploration", header, &body)
}

/// What the planner found. Where it has no summary, what stands before its other sections is one.
pub fn read_exploration(text: &str) -> Exploration {
    let (header, body) = split(text);
    let parts = sections(&body);
    let items = |words: &[&str]| section(&parts, words).map(|part| read_list(&part.text)).unwrap_or_default();
    let (points, risks) = (["integration point", "integration"], ["risk"]);
    let summary = section(&parts, &["summary", "architecture", "overview"]).or(parts.first());
    Exploration {
        version: header.version,
        architecture_summary: summary.map(|part| part.text.trim().to_owned()).unwrap_or_default(),
        integration_points: items(&points),
        identified_risks: items(&risks),
        last_updated: header.date,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_back_what_it_was_made_of() {
        let known = Exploration {
            version: "1.0.0".to_owned(),
            architecture_summary: "layers\n\n### detail\nmore".to_owned(),
            integration_points: vec!["src/app.ts".to_owned(), "src/routes.ts".to_owned()],
            identified_risks: Vec::new(),
            last_updated: "2026-01-22T10:20:00+08:00".to_owned(),
        };
        let header = Header::of_iteration("c", 1, &known.last_updated, "");
        assert_eq!(read_exploration(&exploration_page(&header, &known)), known);
    }

    #[test]
    fn a_summary_with_headings_of_its_own_stays_one() {
        let known = Exploration {
            version: "1.0.0".to_owned(),
            architecture_summary: "## Risks\n- none of these".to_owned(),
            integration_points: Vec::new(),
            identified_risks: vec!["the real one".to_owned()],
            last_updated: String::new(),
        };
        let header = Header::of_iteration("c", 1, "", "");
        assert_eq!(read_exploration(&exploration_page(&header, &known)).identified_risks, ["the real one"]);
    }

    #[test]
    fn an_agents_own_words_are_found() {
        let text = "# Exploration v1.1.0\n\nIt is a web server.\n\n## Integration Points\n* a\n\n## Identified Risks\n1. b\n";
        let read = read_exploration(text);
        assert_eq!(read.version, "1.1.0");
        assert!(read.architecture_summary.ends_with("It is a web server."));
        assert_eq!((read.integration_points, read.identified_risks), (vec!["a".to_owned()], vec!["b".to_owned()]));
    }
}
