//! Findings for people: the denominators first, then what blocks, then the rest.

use piton_guard::Finding;

use super::Compared;
use crate::output::{Output, clean_line};
use piton_view::words::count;

/// Longer excerpts are cut.
const EXCERPT_LINES_MAX: usize = 4;
/// What is shown of what was changed for a trial.
const EVIDENCE_LINES_MAX: usize = 8;

pub(super) fn print(compared: &Compared, out: &Output) {
    let report = &compared.report;
    let skipped = match report.tests.skipped {
        0 => String::new(),
        number => format!(" · {number} skipped"),
    };
    out.row(format!(
        "tests {} → {} · assertions {} → {}{skipped} · {} changed since {}",
        report.tests.before,
        report.tests.after,
        report.assertions.before,
        report.assertions.after,
        count(report.files_changed, "file"),
        &compared.base[..compared.base.len().min(10)],
    ));
    if let Some(proof) = &compared.proof {
        proof.print(out);
    }
    let allowed = |finding: &&Finding| finding.allowed.is_some();
    let blocking: Vec<_> = report.findings.iter().filter(|finding| finding.blocking).collect();
    let others: Vec<_> =
        report.findings.iter().filter(|finding| !finding.blocking && !allowed(finding)).collect();
    group(out, "blocking", &blocking);
    group(out, "worth a look", &others);
    let allowed: Vec<_> = report.findings.iter().filter(allowed).collect();
    group(out, "allowed", &allowed);
    out.row("");
    out.row(match (blocking.len(), others.len()) {
        (0, 0) => "ok: nothing makes the tests prove less".to_owned(),
        (0, number) => format!("ok: nothing blocks; {number} worth a look"),
        (1, _) => "blocked: 1 finding makes the tests prove less".to_owned(),
        (number, _) => format!("blocked: {number} findings make the tests prove less"),
    });
}

fn group(out: &Output, title: &str, findings: &[&Finding]) {
    if findings.is_empty() {
        return;
    }
    out.row("");
    out.heading(title);
    for finding in findings {
        one(out, finding);
    }
}

fn one(out: &Output, finding: &Finding) {
    out.row(clean_line(&format!("  {}:{}  {}", finding.file, finding.line, finding.message)));
    excerpt(out, "-", finding.before.as_deref());
    excerpt(out, "+", finding.after.as_deref());
    if let Some(evidence) = &finding.evidence {
        for line in evidence.change.lines().take(EVIDENCE_LINES_MAX) {
            out.row(clean_line(&format!("      {line}")));
        }
        out.row(clean_line(&format!("    seen   {}", evidence.saw)));
        if let Some(against) = &evidence.against {
            out.row(clean_line(&format!("    but    {against}")));
        }
        out.line(format!("    again  piton prove replay {}", finding.id));
    }
    out.row(clean_line(&format!("    rule   {} ({})", finding.rule, finding.severity.as_str())));
    match &finding.allowed {
        Some(reason) => out.row(clean_line(&format!("    allowed because {reason}"))),
        None => {
            out.row(clean_line(&format!("    undo   {}", finding.undo)));
            out.row(clean_line(&format!("    allow  piton guard allow {} --reason \"…\"", finding.id)));
        }
    }
}

fn excerpt(out: &Output, sign: &str, text: Option<&str>) {
    let Some(text) = text else { return };
    for line in text.lines().take(EXCERPT_LINES_MAX) {
        out.row(clean_line(&format!("      {sign} {line}")));
    }
    if text.lines().count() > EXCERPT_LINES_MAX {
        out.row(format!("      {sign} …"));
    }
}
