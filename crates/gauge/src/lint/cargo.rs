//! cargo, rustc and clippy: the headers of their diagnostics, in text or as one JSON object per line.
//!
//! The lines that sum up (`generated 3 warnings`, `could not compile`) are not findings themselves. What cargo builds
//! twice it reports once in text but twice in JSON, where it is told apart by how it is rendered.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;

use super::{Lint, Tool};
use crate::text::digest;

#[derive(Default)]
pub(super) struct Cargo {
    errors: u64,
    warnings: u64,
    /// Something only rustc or cargo writes was seen.
    recognised: bool,
    /// The build came to an end, good or bad.
    ended: bool,
    seen: HashSet<u64>,
}

#[derive(Deserialize)]
struct Message<'j> {
    #[serde(default, borrow)]
    reason: Option<Cow<'j, str>>,
    message: Option<Inner<'j>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Inner<'j> {
    Cargo(#[serde(borrow)] Diagnostic<'j>),
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Diagnostic<'j> {
    #[serde(borrow)]
    level: Cow<'j, str>,
    #[serde(borrow)]
    message: Cow<'j, str>,
    #[serde(default, borrow)]
    rendered: Option<Cow<'j, str>>,
}

impl Cargo {
    /// Takes a line; says whether it was one of cargo's.
    pub(super) fn line(&mut self, line: &str) -> bool {
        match line.as_bytes().first() {
            Some(b'e') => self.header(line, "error"),
            Some(b'w') => self.header(line, "warning"),
            Some(b' ') => self.indented(line.trim_start()),
            Some(b'{') => self.json(line),
            _ => false,
        }
    }

    fn header(&mut self, line: &str, level: &str) -> bool {
        let Some(rest) = line.strip_prefix(level) else { return false };
        let has_code = rest.starts_with('[');
        let Some(message) = (if has_code {
            rest.split_once("]: ").map(|(_, message)| message)
        } else {
            rest.strip_prefix(": ")
        }) else {
            return false;
        };
        if is_summary(message) {
            self.recognised = true;
            self.ended |= level == "error" || message.ends_with(" emitted");
            return true;
        }
        self.recognised |= has_code && rest.starts_with("[E");
        match level {
            "error" => self.errors += 1,
            _ => self.warnings += 1,
        }
        false
    }

    fn indented(&mut self, line: &str) -> bool {
        let is_place = line.starts_with("--> ");
        let is_status = ["Compiling ", "Checking ", "Documenting "].iter().any(|word| line.starts_with(word));
        let is_end =
            line.starts_with("Finished ") && (line.contains(" target(s)") || line.contains("profile"));
        self.recognised |= is_place || is_status || is_end;
        self.ended |= is_end;
        is_place || is_status || is_end
    }

    fn json(&mut self, line: &str) -> bool {
        let is_cargo = line.starts_with("{\"reason\":");
        let is_rustc = line.starts_with("{\"$message_type\":");
        if is_cargo && !line.starts_with("{\"reason\":\"compiler-message\"") {
            self.recognised = true;
            self.ended |= line.starts_with("{\"reason\":\"build-finished\"");
            return true;
        }
        if is_cargo {
            if let Ok(Message { reason: Some(_), message: Some(Inner::Cargo(diagnostic)) }) =
                serde_json::from_str(line)
            {
                self.diagnostic(&diagnostic);
            }
            return true;
        }
        if is_rustc {
            self.recognised = true;
            if let Ok(diagnostic) = serde_json::from_str(line) {
                self.diagnostic(&diagnostic);
            }
        }
        is_rustc
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>) {
        self.recognised = true;
        if is_summary(&diagnostic.message) {
            self.ended = true;
            return;
        }
        if let Some(rendered) = &diagnostic.rendered
            && !self.seen.insert(digest(&[rendered.as_bytes()]))
        {
            return;
        }
        match &*diagnostic.level {
            "error" | "error: internal compiler error" => self.errors += 1,
            "warning" => self.warnings += 1,
            _ => {}
        }
    }

    pub(super) fn finish(self) -> Option<Lint> {
        let known = |count: u64| (count > 0 || self.ended).then_some(count);
        let (errors, warnings) = (known(self.errors), known(self.warnings));
        (self.recognised && (errors.is_some() || warnings.is_some()))
            .then(|| Lint::new(Tool::Cargo, errors, warnings))
    }
}

/// Whether a message sums up others.
fn is_summary(message: &str) -> bool {
    let begins = [
        "could not compile ",
        "aborting due to ",
        "build failed",
        "test failed, to rerun",
        "doctest failed, to rerun",
        "could not document ",
    ];
    begins.iter().any(|begin| message.starts_with(begin))
        || message.ends_with(" emitted") && message.contains(" warning")
        || message.contains("` (") && message.contains(" generated ")
        || message.contains(" target failed:")
        || message.contains(" targets failed:")
}
