//! Findings as annotations of GitHub Actions: a line per finding, shown at its place in the pull request.

use super::Compared;
use crate::output::{Output, clean};

pub(super) fn print(compared: &Compared, out: &Output) {
    let report = &compared.report;
    for finding in report.findings.iter().filter(|finding| finding.allowed.is_none()) {
        let level = if finding.blocking { "error" } else { "warning" };
        let tried = finding
            .evidence
            .as_ref()
            .map(|evidence| format!("\n\nTried:\n{}\nThen {}", evidence.change, evidence.outcome()));
        let body = format!(
            "{}. Undo: {}. Allow: piton guard allow {}{}",
            finding.message,
            finding.undo,
            finding.id,
            tried.unwrap_or_default()
        );
        out.line(format!(
            "::{level} file={},line={},title={}::{}",
            property(&finding.file),
            finding.line,
            property(&finding.rule),
            message(&body)
        ));
    }
    out.line(format!(
        "::notice title=piton guard::tests {} → {}, assertions {} → {}",
        report.tests.before, report.tests.after, report.assertions.before, report.assertions.after
    ));
}

/// A line break would begin another command.
fn message(text: &str) -> String {
    clean(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
