//! What failed assertions say that they got and wanted, from what runners print.
//!
//! One pass over the lines. Each runner has its own words, and a line that begins with none of them is passed over.

/// What a failed assertion says that it got and wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The test, as the runner names it.
    pub test: Option<String>,
    /// What came.
    pub got: String,
    /// What was expected.
    pub wanted: String,
}

/// What the failed assertions in the output of a runner say: unittest, pytest, node's `assert` and `node:test`, jest and
/// its like, `go test`, `cargo test`.
pub fn said(output: &str) -> Vec<Said> {
    let mut reader = Reader::default();
    for line in output.lines() {
        reader.line(&plain_text(line));
    }
    let mut found = reader.found;
    found.dedup();
    found
}

/// What a runner printed about the tests whose heading is `wanted`; empty where it has none.
pub(crate) fn of_test(output: &str, wanted: impl Fn(&str) -> bool) -> String {
    let (mut said, mut is_wanted) = (String::new(), false);
    for line in output.lines() {
        let line = plain_text(line);
        if let Some(heading) = heading(line.trim()) {
            is_wanted = wanted(&heading);
        }
        if is_wanted {
            said.push_str(&line);
            said.push('\n');
        }
    }
    said
}

#[derive(Default)]
struct Reader {
    found: Vec<Said>,
    test: Option<String>,
    /// One half of what is said on two lines.
    got: Option<String>,
    wanted: Option<String>,
    /// Lines since that half.
    age: usize,
}

/// Halves that are further apart do not belong together.
const AGE_MAX: usize = 6;

impl Reader {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        self.age += 1;
        if self.age > AGE_MAX {
            (self.got, self.wanted) = (None, None);
        }
        if let Some(test) = heading(trimmed) {
            self.test = Some(test);
            (self.got, self.wanted) = (None, None);
            return;
        }
        if let Some((got, wanted)) = halves(trimmed) {
            self.half(got, wanted);
        } else if let Some((got, wanted)) = whole(trimmed) {
            self.push(got, wanted);
        }
    }

    fn half(&mut self, got: Option<&str>, wanted: Option<&str>) {
        self.age = 0;
        self.got = got.map(value).or(self.got.take());
        self.wanted = wanted.map(value).or(self.wanted.take());
        if let (Some(got), Some(wanted)) = (&self.got, &self.wanted) {
            let (got, wanted) = (got.clone(), wanted.clone());
            (self.got, self.wanted) = (None, None);
            self.push(&got, &wanted);
        }
    }

    fn push(&mut self, got: &str, wanted: &str) {
        let (got, wanted) = (value(got), value(wanted));
        if !got.is_empty() && !wanted.is_empty() {
            self.found.push(Said { test: self.test.clone(), got, wanted });
        }
    }
}

/// The name of a test, where a line says which one is spoken of next.
fn heading(line: &str) -> Option<String> {
    let named = |start: &str| line.strip_prefix(start).map(str::trim);
    let first = |rest: &str| rest.split([' ', '(']).next().unwrap_or_default().to_owned();
    // unittest, go test.
    if let Some(rest) = named("FAIL: ").or(named("ERROR: ")).or(named("--- FAIL: ")) {
        return Some(first(rest));
    }
    // pytest: `____ test_x ____`, with nothing else on the line.
    if line.starts_with("____") && line.ends_with("____") {
        return Some(line.trim_matches(['_', ' ']).to_owned()).filter(|name| !name.is_empty());
    }
    // cargo test: `---- tests::x stdout ----` and `thread 'tests::x' panicked at`.
    if let Some(name) = named("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
        return Some(name.to_owned());
    }
    if let Some(rest) = named("thread '").filter(|rest| rest.contains("panicked at")) {
        return rest.split('\'').next().map(str::to_owned);
    }
    // node:test in TAP; jest; node:test and mocha as people read them.
    if let Some(rest) = named("not ok ") {
        return rest.split_once(" - ").map(|(_, name)| name.to_owned());
    }
    let rest = named("● ").or(named("✖ ")).or(named("✗ ")).or(named("× "))?;
    let name =
        rest.rsplit_once(" (").filter(|(_, time)| time.ends_with("ms)")).map_or(rest, |(name, _)| name);
    Some(name.trim().to_owned()).filter(|name| *name != "failing tests:")
}

/// What came, or what was expected, where a line says one of them.
fn halves(line: &str) -> Option<(Option<&str>, Option<&str>)> {
    const GOT: &[&str] =
        &["left:", "actual:", "actual  :", "Received:", "received:", "got:", "Actual:", "Got:"];
    const WANTED: &[&str] = &["right:", "expected:", "Expected:", "want:", "wanted:", "Want:"];
    let line = line.strip_prefix("E ").map_or(line, str::trim);
    let after = |starts: &[&str]| {
        let start = starts.iter().find(|start| line.starts_with(**start))?;
        Some(line[start.len()..].trim())
    };
    match (after(GOT), after(WANTED)) {
        (None, None) => None,
        halves => Some(halves),
    }
}

/// Both, where one line says them.
fn whole(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("E ").map_or(line, str::trim);
    let error = ["AssertionError: ", "AssertionError [ERR_ASSERTION]: ", "Error: "];
    let said = error.iter().find_map(|start| Some(&line[line.find(start)? + start.len()..])).unwrap_or(line);
    let is_error = said.len() < line.len();
    // pytest.
    if let Some(rest) = said.strip_prefix("assert ") {
        return rest
            .split_once(" == ")
            .or_else(|| rest.split_once(" is "))
            .map(|(got, wanted)| (got, until_comma(wanted)));
    }
    if let Some((_, rest)) = line.split_once(" - assert ").filter(|_| line.starts_with("FAILED ")) {
        return rest.split_once(" == ");
    }
    // chai and vitest.
    if let Some(rest) = said.strip_prefix("expected ") {
        let words = [" to deeply equal ", " to strictly equal ", " to equal ", " to deep equal ", " to be "];
        return words
            .iter()
            .find_map(|word| rest.split_once(word))
            .map(|(got, wanted)| (got, without_note(wanted)));
    }
    // node's assert.
    if let Some((got, wanted)) = said.split_once(" !== ") {
        return Some((got, wanted));
    }
    // unittest: what came is the first.
    if let Some((got, wanted)) = said.split_once(" != ").filter(|_| is_error) {
        return Some((got, wanted.split(" : ").next().unwrap_or(wanted)));
    }
    of_go(line)
}

/// `a_test.go:12: Square(3) = 9, want 16`, `got 3, want 4`, `expected 4, got 3`, in any of the words people use.
fn of_go(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once(".go:")?;
    let (_, said) = rest.split_once(": ")?;
    const WANTED: &[&str] =
        &["want ", "wanted ", "expected ", "expect ", "want: ", "expected: ", "want=", "wanted: "];
    const GOT: &[&str] = &["got ", "got: ", "actual ", "got=", "have ", "was ", "but got "];
    let find = |words: &[&'static str]| {
        let found = words.iter().filter_map(|word| Some((find_word(said, word)?, *word)));
        found.min_by_key(|(at, word)| (*at, usize::MAX - word.len()))
    };
    let (wanted_at, wanted) = find(WANTED)?;
    let wanted_start = wanted_at + wanted.len();
    match find(GOT) {
        Some((at, got)) if at < wanted_at => {
            Some((separated(&said[at + got.len()..wanted_at]), &said[wanted_start..]))
        }
        Some((at, got)) => Some((&said[at + got.len()..], separated(said.get(wanted_start..at)?))),
        // `Square(3) = 9, want 16`.
        None => {
            let before = separated(&said[..wanted_at]);
            let got = before.rsplit_once(" = ").or_else(|| before.rsplit_once(": ")).map(|(_, got)| got)?;
            Some((got, &said[wanted_start..]))
        }
    }
}

/// Where a word begins that is not part of another.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_start =
        |at: &usize| !text[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
    text.match_indices(word).map(|(at, _)| at).find(is_start)
}

/// A value without what joins it to the next.
fn separated(text: &str) -> &str {
    let text = text.trim().trim_end_matches("but").trim_end();
    text.trim_end_matches([',', ';', '(', '|']).trim_end_matches(" and").trim()
}

/// A value as it is compared: no quotes of the runner's own, no comma or note at its end.
fn value(text: &str) -> String {
    let text = text.trim().trim_end_matches([',', ';']).trim_end();
    // `left: `3`` of older compilers.
    text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(text).to_owned()
}

/// What a comparison says besides its values comes behind a comma in none of the forms that people read.
fn until_comma(wanted: &str) -> &str {
    wanted.strip_suffix(',').unwrap_or(wanted)
}

/// vitest says how it compared: `4 // Object.is equality`.
fn without_note(wanted: &str) -> &str {
    wanted.split(" // ").next().unwrap_or(wanted)
}

/// A line without colours.
fn plain_text(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
            continue;
        }
        // An escape of colours ends with a letter.
        if letters.clone().next() == Some('[') {
            letters.by_ref().find(|letter| letter.is_ascii_alphabetic());
        }
    }
    plain
}
