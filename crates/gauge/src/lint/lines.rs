//! Tools that write text: one pass over the lines, every tool looks at each.

use super::cargo::Cargo;
use super::location::{Located, code, locate, trailing_word};
use super::{Lint, Tool};
use crate::text::{each_line, number, number_before};

/// What one tool said: findings one by one, or summed up by itself.
#[derive(Clone, Copy, Default)]
struct Tally {
    errors: u64,
    warnings: u64,
    /// In its own words; several runs are added.
    summed: Option<(u64, Option<u64>)>,
    /// It knows warnings.
    has_warnings: bool,
    /// The line in which it was first seen.
    first: usize,
}

impl Tally {
    fn sum(&mut self, errors: u64, warnings: Option<u64>) {
        let (known, known_warnings) = self.summed.unwrap_or_default();
        let warnings = match (warnings, known_warnings) {
            (Some(new), known) => Some(known.unwrap_or(0).saturating_add(new)),
            (None, known) => known,
        };
        self.summed = Some((known.saturating_add(errors), warnings));
    }
}

/// All tools at once.
#[derive(Default)]
struct Reading {
    cargo: Cargo,
    cargo_first: Option<usize>,
    tallies: [Option<Tally>; Tool::ALL.len()],
    /// Lines that look like flake8's, which ruff writes too.
    line: usize,
}

pub(super) fn read(text: &str) -> Vec<Lint> {
    let mut reading = Reading::default();
    each_line(text, |line| reading.line(line));
    reading.finish()
}

impl Reading {
    fn line(&mut self, line: &str) {
        self.line += 1;
        if self.cargo.line(line) {
            self.cargo_first.get_or_insert(self.line);
            return;
        }
        let Some(first) = line.as_bytes().first() else { return };
        if self.summary(line, *first) {
            return;
        }
        if let Some(located) = locate(line) {
            self.located(&located);
        } else if line.contains("error TS") {
            if line.starts_with("error TS") || line.contains("): error TS") {
                self.error(Tool::Tsc);
            }
        } else if line.contains("SC") {
            self.shellcheck_terminal(line);
        }
    }

    /// Lines in which a tool sums up.
    fn summary(&mut self, line: &str, first: u8) -> bool {
        match first {
            b'F' if line.starts_with("Found ") => self.found(line),
            b'A' if line == "All checks passed!" => self.tally(Tool::Ruff).sum(0, None),
            b'S' if line.starts_with("Success: no issues found in ") => self.tally(Tool::Mypy).sum(0, None),
            b'0'..=b'9' => return self.counted(line),
            b'Y' if line.starts_with("Your code has been rated at ") => {
                self.tally(Tool::Pylint).has_warnings = true;
            }
            0xe2 if line.starts_with("✖ ") && line.contains(" problem") => {
                let errors = number_before(line, " error").unwrap_or(0);
                let warnings = number_before(line, " warning").unwrap_or(0);
                self.tally(Tool::Eslint).sum(errors, Some(warnings));
            }
            _ => return false,
        }
        true
    }

    /// `Found 3 errors…`: ruff and mypy say it in their own ways, tsc in a third.
    fn found(&mut self, line: &str) {
        let Some((count, rest)) = number(&line["Found ".len()..]) else { return };
        let Some(rest) = rest.strip_prefix(" errors").or_else(|| rest.strip_prefix(" error")) else { return };
        if rest.contains(" remaining)") {
            self.tally(Tool::Ruff).sum(number_before(rest, " remaining").unwrap_or(count), None);
        } else if rest == "." || rest.contains(" fixed)") {
            let fixed = number_before(rest, " fixed").unwrap_or(0);
            self.tally(Tool::Ruff).sum(count.saturating_sub(fixed), None);
        } else if rest.contains("(checked ") || rest.contains("(errors prevented") {
            self.tally(Tool::Mypy).sum(count, None);
        } else if rest.starts_with(" in ") {
            self.tally(Tool::Tsc).sum(count, None);
        }
    }

    /// `3 errors, 1 warning, 0 informations` of pyright, `3 issues:` of golangci-lint.
    fn counted(&mut self, line: &str) -> bool {
        let Some((count, rest)) = number(line) else { return false };
        if rest.starts_with(" error") && rest.contains(" information") {
            let warnings = number_before(rest, " warning").unwrap_or(0);
            self.tally(Tool::Pyright).sum(count, Some(warnings));
            return true;
        }
        if matches!(rest, " issues." | " issues:" | " issue:" | " issue.") {
            self.tally(Tool::GolangciLint).sum(count, None);
            return true;
        }
        false
    }

    fn located(&mut self, located: &Located<'_>) {
        let rest = located.rest;
        let is_python = located.path.ends_with(".py") || located.path.ends_with(".pyi");
        if rest.starts_with("error TS") {
            self.error(Tool::Tsc);
        } else if let Some(level) = level(rest) {
            let tool = if rest.contains("[SC") && rest.ends_with(']') {
                Tool::Shellcheck
            } else if located.dashed {
                Tool::Pyright
            } else if is_python {
                Tool::Mypy
            } else {
                Tool::Gcc
            };
            self.levelled(tool, level);
        } else if located.path.ends_with(".go") {
            self.go(located);
        } else if let Some((code, after)) = code(rest, 4, 6) {
            self.coded(code, after);
        }
    }

    fn levelled(&mut self, tool: Tool, level: Level) {
        let knows_warnings = tool != Tool::Mypy;
        let tally = self.tally(tool);
        tally.has_warnings |= knows_warnings;
        match level {
            Level::Error => tally.errors += 1,
            Level::Warning => tally.warnings += 1,
            Level::Note => {}
        }
    }

    fn go(&mut self, located: &Located<'_>) {
        let tool = match trailing_word(located.rest) {
            Some(word) if code(word, 3, 4).is_some_and(|(_, rest)| rest.is_empty()) => Tool::Staticcheck,
            Some("compile") => Tool::Staticcheck,
            Some(word) if word.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase()) => {
                Tool::GolangciLint
            }
            _ => Tool::Go,
        };
        self.error(tool);
    }

    /// `C0114: …` of pylint, `E501 …` of flake8.
    fn coded(&mut self, code: &str, after: &str) {
        if after.starts_with(": ") && code.len() == 5 {
            let is_error = matches!(code.as_bytes()[0], b'E' | b'F');
            let tally = self.tally(Tool::Pylint);
            tally.has_warnings = true;
            if is_error {
                tally.errors += 1;
            } else {
                tally.warnings += 1;
            }
        } else if after.starts_with(' ') && code.len() >= 3 {
            self.error(Tool::Flake8);
        }
    }

    /// `   ^-- SC2086 (info): …`.
    fn shellcheck_terminal(&mut self, line: &str) {
        let Some((marks, rest)) = line.trim_start().split_once(" SC") else { return };
        if !marks.starts_with('^') || !marks.bytes().all(|byte| matches!(byte, b'^' | b'-')) {
            return;
        }
        let Some((_, rest)) = number(rest) else { return };
        let level = match rest.strip_prefix(" (").and_then(|rest| rest.split_once(')')) {
            Some(("error", _)) => Level::Error,
            Some(("warning", _)) => Level::Warning,
            _ => Level::Note,
        };
        self.levelled(Tool::Shellcheck, level);
    }

    fn error(&mut self, tool: Tool) {
        self.tally(tool).errors += 1;
    }

    fn tally(&mut self, tool: Tool) -> &mut Tally {
        let first = self.line;
        self.tallies[tool as usize].get_or_insert_with(|| Tally { first, ..Tally::default() })
    }

    fn finish(mut self) -> Vec<Lint> {
        // What looks like flake8's is ruff's where ruff sums up.
        if self.tallies[Tool::Ruff as usize].is_some() {
            self.tallies[Tool::Flake8 as usize] = None;
        }
        // golangci-lint runs Go's own tools, and sums up what they say as well.
        if self.tallies[Tool::GolangciLint as usize].is_some_and(|tally| tally.summed.is_some()) {
            self.tallies[Tool::Go as usize] = None;
            self.tallies[Tool::Staticcheck as usize] = None;
        }
        let mut found = Vec::new();
        for (tool, tally) in Tool::ALL.into_iter().zip(self.tallies) {
            let Some(tally) = tally else { continue };
            let (errors, warnings) = match tally.summed {
                Some((errors, warnings)) => (errors, warnings),
                None => (tally.errors, tally.has_warnings.then_some(tally.warnings)),
            };
            found.push((tally.first, Lint::new(tool, Some(errors), warnings)));
        }
        if let Some(lint) = self.cargo.finish() {
            found.push((self.cargo_first.unwrap_or(0), lint));
        }
        found.sort_by_key(|(first, _)| *first);
        found.into_iter().map(|(_, lint)| lint).collect()
    }
}

#[derive(Clone, Copy)]
enum Level {
    Error,
    Warning,
    Note,
}

fn level(rest: &str) -> Option<Level> {
    let word = rest.split_once(": ").map_or(rest, |(word, _)| word);
    match word {
        "error" | "fatal error" => Some(Level::Error),
        "warning" => Some(Level::Warning),
        "note" | "information" | "info" => Some(Level::Note),
        _ => None,
    }
}
