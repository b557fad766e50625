//! What holds for any file and any change: the same gaps give the same bytes, and one changed gap leaves the rest.

use std::fmt::Write as _;

use piton_files::Problem;
use piton_files::gaps::{Document, Invalid, render};
use piton_model::Timestamp;
use piton_model::ledger::{Field, Gap, GapStatus, Source, SourceKind, validate};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::NOW;

/// Text that YAML has opinions about.
fn any_text() -> BoxedStrategy<String> {
    let nasty = select(vec![
        "no",
        "null",
        "~",
        "12",
        "1e3",
        "2026-02-15",
        "a: b",
        "a #b",
        "- x",
        "'",
        "\"",
        "it's",
        "\\",
        "[x]",
        "{",
        "}",
        ",",
        "#",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "%",
        "@",
        "`",
        "?",
        ":",
        "a:",
        " a",
        "a ",
        "\t",
        "é",
        "日本",
        "\u{feff}",
        "\u{2028}",
        "one\ntwo",
        "one\n\n two\n",
        "a\n\n",
        "\n",
        "\r\n",
        "x\ty",
        "\u{1b}",
        "\u{85}",
        "😀",
        "---",
        "...",
        "=",
        "<<",
        "y",
        "0x1F",
    ])
    .prop_map(str::to_owned);
    let mixed = proptest::collection::vec(nasty.clone(), 1..4).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => "[a-z]{1,8}( [a-z,.]{1,8}){0,3}", 2 => nasty, 2 => mixed, 1 => ".{0,12}"].boxed()
}

fn time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![Just(NOW), (0..4_000_000_000_000_i64).prop_map(Timestamp::from_millis)]
}

fn source() -> impl Strategy<Value = Source> {
    let words = any_text().prop_filter("a source has a name", |text| !text.is_empty());
    let hash = prop::option::of("blake3:[0-9a-f]{4}");
    let kind = prop_oneof![
        (words.clone(), hash).prop_map(|(path, hash)| SourceKind::File { path, hash }),
        words.clone().prop_map(SourceKind::Command),
        words.clone().prop_map(SourceKind::Commit),
        words.prop_map(SourceKind::Url),
    ];
    (kind, prop::option::of(time())).prop_map(|(kind, at)| Source { kind, at })
}

/// A gap, sound by itself, whose id ends in this number.
fn any_gap(number: usize) -> BoxedStrategy<Gap> {
    let id = any_text().prop_map(move |text| format!("{text}{number}"));
    let category = any_text().prop_map(|text| format!("c{text}"));
    let numbers = (1..=5_i64, prop::option::of(1..99_i64));
    let times = (prop::option::of(time()), prop::option::of(time()));
    let texts = (
        prop_oneof![Just(String::new()), any_text()],
        prop_oneof![3 => Just(String::new()), 1 => any_text()],
    );
    let status = select(GapStatus::ALL.to_vec());
    let evidence = prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(source(), 1..3)];
    (id, category, status, numbers, times, texts, evidence)
        .prop_map(
            |(
                id,
                category,
                status,
                (priority, ttl_days),
                (verified, last_checked),
                (findings, question),
                evidence,
            )| {
                let last_verified = match status {
                    GapStatus::Verified | GapStatus::Stale => Some(verified.unwrap_or(NOW)),
                    GapStatus::Unknown => None,
                    GapStatus::Blocked => verified,
                };
                let gap = Gap::new(id, category);
                gap.with(|gap| {
                    gap.status = status;
                    gap.priority = priority;
                    gap.last_verified = last_verified;
                    gap.last_checked = last_checked;
                    gap.ttl_days = ttl_days;
                    gap.findings = findings;
                    gap.question = question;
                    gap.evidence = evidence;
                })
            },
        )
        .boxed()
}

fn any_gaps() -> impl Strategy<Value = Vec<Gap>> {
    let gaps = (any_gap(0), any_gap(1), any_gap(2), any_gap(3), 0..=4_usize);
    let edges = proptest::collection::vec((any::<Index>(), any::<Index>(), any::<bool>()), 0..6);
    (gaps, edges).prop_map(|((a, b, c, d, count), edges)| {
        let mut gaps = vec![a, b, c, d];
        gaps.truncate(count);
        let ids: Vec<String> = gaps.iter().map(|gap| gap.id.clone()).collect();
        for (from, to, forward) in edges.into_iter().filter(|_| count > 1) {
            let (from, to) = (from.index(count), to.index(count));
            if from != to {
                let list = if forward { &mut gaps[from].blocks } else { &mut gaps[from].blocked_by };
                list.push(ids[to].clone());
            }
        }
        gaps
    })
}

/// How somebody writes a file.
#[derive(Clone, Debug)]
struct Hand {
    seed: u64,
    crlf: bool,
    mark: bool,
    last_break: bool,
    dash: usize,
    gap: usize,
}

fn any_hand() -> impl Strategy<Value = Hand> {
    (any::<u64>(), any::<bool>(), any::<bool>(), any::<bool>(), 0..4_usize, 1..3_usize).prop_map(
        |(seed, crlf, mark, last_break, dash, gap)| Hand { seed, crlf, mark, last_break, dash, gap },
    )
}

impl Hand {
    fn choose(&mut self, count: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % count
    }

    /// Any way to write text; double quotes hold everything.
    fn text(&mut self, text: &str) -> String {
        let plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ') && text.len() > 5;
        let simple = text.chars().all(|c| (' '..='~').contains(&c) || ('à'..='ü').contains(&c));
        match self.choose(4) {
            0 if plain && !text.starts_with(' ') && !text.ends_with(' ') => text.to_owned(),
            1 | 2 if simple => format!("'{}'", text.replace('\'', "''")),
            _ => {
                let escape = |c: char| match c {
                    '"' | '\\' => format!("\\{c}"),
                    ' '..='~' => c.to_string(),
                    c => format!("\\U{:08x}", u32::from(c)),
                };
                format!("\"{}\"", text.chars().map(escape).collect::<String>())
            }
        }
    }

    fn comment(&mut self) -> String {
        match self.choose(3) {
            0 => format!(" # c{}", self.choose(1000)),
            1 => " ".repeat(self.choose(3) as usize),
            _ => String::new(),
        }
    }

    fn pairs(&mut self, gap: &Gap) -> Vec<(String, Vec<String>)> {
        let time = |hand: &mut Hand, at: Timestamp| match hand.choose(3) {
            0 => at.to_string(),
            1 => format!("\"{at}\""),
            _ => format!("'{at}'"),
        };
        let mut pairs = Vec::new();
        for field in Field::ALL.into_iter().filter(|field| *field != Field::Evidence) {
            if gap.is_default(field) && self.choose(5) > 0 {
                continue;
            }
            let many =
                |hand: &mut Hand, list: &[String]| list.iter().map(|id| hand.text(id)).collect::<Vec<_>>();
            let value = match field {
                Field::Id => vec![self.text(&gap.id)],
                Field::Category => vec![self.text(&gap.category)],
                Field::Status => vec![gap.status.to_string()],
                Field::Priority => vec![gap.priority.to_string()],
                Field::LastVerified => vec![gap.last_verified.map_or(String::new(), |at| time(self, at))],
                Field::LastChecked => vec![gap.last_checked.map_or("~".to_owned(), |at| time(self, at))],
                Field::TtlDays => vec![gap.ttl_days.map_or("null".to_owned(), |days| days.to_string())],
                Field::Blocks => many(self, &gap.blocks),
                Field::BlockedBy => many(self, &gap.blocked_by),
                Field::Findings => vec![self.text(&gap.findings)],
                Field::Question | Field::Evidence => vec![self.text(&gap.question)],
            };
            pairs.push((field.as_str().to_owned(), value));
        }
        if self.choose(3) == 0 {
            pairs.push(("owner".to_owned(), vec!["{x: [1, 2]}".to_owned()]));
        }
        let turn = self.choose(pairs.len() as u64) as usize;
        pairs.rotate_left(turn);
        pairs
    }

    fn is_list(key: &str) -> bool {
        key == "blocks" || key == "blocked_by"
    }

    fn flow_gap(&mut self, gap: &Gap) -> String {
        let pairs = self.pairs(gap).into_iter().map(|(key, value)| match Self::is_list(&key) {
            true => format!("{key}: [{}]", value.join(", ")),
            false => format!("{key}: {}", value[0]),
        });
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    }

    fn block_gap(&mut self, gap: &Gap, into: &mut String) {
        let indent = " ".repeat(self.dash + 1 + self.gap);
        let mut before = format!("{}-{}", " ".repeat(self.dash), " ".repeat(self.gap));
        if self.choose(6) == 0 {
            let comment = self.comment();
            let _ = writeln!(into, "{}-{comment}", " ".repeat(self.dash));
            before.clone_from(&indent);
        }
        for (key, value) in self.pairs(gap) {
            if self.choose(8) == 0 && before == indent {
                let _ = writeln!(into, "{}# c{}", " ".repeat(self.choose(8) as usize), self.choose(1000));
            }
            let comment = self.comment();
            if !Self::is_list(&key) {
                let _ = writeln!(into, "{before}{key}: {}{comment}", value[0]);
            } else if value.is_empty() || self.choose(2) == 0 {
                let _ = writeln!(into, "{before}{key}: [{}]{comment}", value.join(", "));
            } else {
                let _ = writeln!(into, "{before}{key}:{comment}");
                let deeper = " ".repeat(self.choose(3) as usize);
                for item in value {
                    let comment = self.comment();
                    let _ = writeln!(into, "{indent}{deeper}- {item}{comment}");
                }
            }
            before.clone_from(&indent);
        }
    }

    fn file(&mut self, gaps: &[Gap]) -> String {
        let mut file = String::new();
        if self.choose(2) == 0 {
            file.push_str("# head\nversion: 1\n");
        }
        if gaps.is_empty() {
            file.push_str(["gaps: []\n", "gaps:\n", "gaps: ~ # none\n"][self.choose(3) as usize]);
        } else if self.choose(6) == 0 {
            let gaps: Vec<String> = gaps.iter().map(|gap| self.flow_gap(gap)).collect();
            let _ = writeln!(file, "gaps: [{}]", gaps.join([", ", ",\n  "][self.choose(2) as usize]));
        } else {
            let comment = self.comment();
            let _ = writeln!(file, "gaps:{comment}");
            for gap in gaps {
                if self.choose(5) == 0 {
                    let flow = self.flow_gap(gap);
                    let comment = self.comment();
                    let _ = writeln!(file, "{}- {flow}{comment}", " ".repeat(self.dash));
                } else {
                    self.block_gap(gap, &mut file);
                }
                file.push_str(["", "\n", "# between\n"][self.choose(3) as usize]);
            }
        }
        if self.choose(3) == 0 {
            file.push_str("other: {a: b} # tail\n");
        }
        if !self.last_break {
            file.truncate(file.trim_end().len());
        }
        let file = if self.crlf { file.replace('\n', "\r\n") } else { file };
        if self.mark { format!("\u{feff}{file}") } else { file }
    }
}

fn read(text: &str) -> Result<Document, TestCaseError> {
    Document::parse(text.as_bytes()).map_err(|invalid| TestCaseError::fail(format!("{text}\n{invalid}")))
}

fn without_evidence(gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.into_iter().map(|gap| gap.with(|gap| gap.evidence = Vec::new())).collect()
}

/// Comments that must survive: all but those inside of the changed gap's lists.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.trim_start().starts_with("# ")).map(str::trim).collect()
}

/// At least so many, and more where the environment asks for it.
fn cases(least: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(least), max_global_rejects: 1 << 20, ..config }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_file_written_whole_reads_back(gaps in any_gaps()) {
        prop_assume!(validate(&gaps).is_empty());
        let text = render(&gaps);
        let document = read(&text)?;
        prop_assert_eq!(document.gaps(), gaps);
        prop_assert_eq!(document.rewrite(document.gaps()).unwrap(), text);
    }

    #[test]
    fn a_file_written_by_hand_reads_as_meant_and_keeps_its_bytes(gaps in any_gaps(), mut hand in any_hand()) {
        prop_assume!(validate(&gaps).is_empty());
        let gaps = without_evidence(gaps);
        let text = hand.file(&gaps);
        let document = read(&text)?;
        prop_assert_eq!(document.gaps(), gaps, "{}", text);
        prop_assert_eq!(document.rewrite(document.gaps()).unwrap(), text);
    }

    /// A file that begins with a marker is read by the parser alone, one that does not, by lines where that will do.
    #[test]
    fn the_short_way_reads_what_the_long_way_reads(gaps in any_gaps(), mut hand in any_hand()) {
        for text in [hand.file(&without_evidence(gaps.clone())), render(&gaps)] {
            let (mark, rest) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
            let marker = if rest.contains("\r\n") { "---\r\n" } else { "---\n" };
            let long_text = format!("{mark}{marker}{rest}");
            match (Document::parse(text.as_bytes()), Document::parse(long_text.as_bytes())) {
                (Ok(short), Ok(long)) => {
                    prop_assert_eq!(short.gaps(), long.gaps(), "{}", &text);
                    let lines = |document: &Document| -> Vec<usize> {
                        (0..gaps.len()).filter_map(|index| document.line_of(index)).collect()
                    };
                    let below = lines(&short).into_iter().map(|line| line + 1).collect::<Vec<_>>();
                    prop_assert_eq!(below, lines(&long), "{}", &text);
                    // An edit is put where the gap stands.
                    let mut target = short.gaps().to_vec();
                    target.iter_mut().for_each(|gap| gap.priority = 1 + gap.priority % 5);
                    let (short, long) = (short.rewrite(&target), long.rewrite(&target));
                    let short = short.map(|text| text.replacen(mark, &format!("{mark}{marker}"), 1));
                    prop_assert_eq!(short.ok(), long.ok(), "{}", &text);
                }
                (short, long) => {
                    let said = |document: Result<Document, Invalid>, below| {
                        let problems = document.map_or_else(|invalid| invalid.problems, |_| Vec::new());
                        let said = |problem: Problem| (problem.line.map(|line| line + below), problem.message);
                        problems.into_iter().map(said).collect::<Vec<_>>()
                    };
                    prop_assert_eq!(said(short, 1), said(long, 0), "{}", &text);
                }
            }
        }
    }

    /// Lines that are read by the short way, and some that are not, in any order.
    #[test]
    fn the_short_way_says_of_a_wrong_file_what_the_long_way_says(pieces in proptest::collection::vec(select(vec![
        "- id: a\n", "  category: c\n", "- id: b # x\n", "  category: 'd: e'\n", "  status: stale\n", "  status: done\n", "  priority: 4\n", "  priority: no\n",
        "  ttl_days: 9\n", "  blocks:\n", "  - b\n", "  blocks: [a, b]\n", "  blocked_by: []\n", "  blocked_by: x\n", "  findings: |\n    one\n", "  findings: |-\n    # x\n",
        "# comment\n", "\n", "  findings: a b\n", "  findings: 12\n", "   c\n", "  question: it's\n", "  question: x: y\n", "  last_verified: 2026-02-15T12:00:00Z\n",
        "  last_checked: 2026-02-15\n", "  last_checked: soon\n", "  colour: red\n", "  evidence:\n", "  - url: x\n", "    at: 2026-02-15T12:00:00Z\n", "  - file: y\n    hash: z\n",
        "other: 1\n", "  question:\n", "  question: ~\n", "- id: no\n", "- c\n", "  priority: 1\r\n",
    ]), 0..14)) {
        let text = format!("gaps:\n- id: a\n  category: c\n{}", pieces.concat());
        let said = |text: &str| match Document::parse(text.as_bytes()) {
            Ok(document) => (document.gaps().to_vec(), document.warnings().to_vec()),
            Err(invalid) => (Vec::new(), invalid.problems),
        };
        let (gaps, mut notes) = said(&text);
        notes.iter_mut().for_each(|note| note.line = note.line.map(|line| line + 1));
        prop_assert_eq!((gaps, notes), said(&format!("---\n{text}")), "{}", text);
    }

    #[test]
    fn one_changed_gap_leaves_all_other_bytes(
        gaps in any_gaps(), other in any_gap(7), mut hand in any_hand(), which in any::<Index>(),
    ) {
        prop_assume!(!gaps.is_empty());
        let gaps = without_evidence(gaps);
        let text = hand.file(&gaps);
        let document = read(&text)?;
        let place = which.index(gaps.len());
        let mut target = gaps.clone();
        let (blocks, blocked_by) = (target[place].blocked_by.clone(), target[place].blocks.clone());
        target[place] = other.with(|gap| { gap.id = gaps[place].id.clone(); gap.blocks = blocks; gap.blocked_by = blocked_by; });
        prop_assume!(validate(&target).is_empty());
        let changed = document.rewrite(&target)
            .map_err(|error| TestCaseError::fail(format!("{text}\n{:?}\n{error}", target[place])))?;
        let reread = read(&changed)?;
        prop_assert_eq!(reread.gaps(), &target[..], "{}\n=>\n{}", text, changed);
        let begin = document.line_of(place).unwrap() - 1;
        prop_assert_eq!(lines(&text, ..begin), lines(&changed, ..begin), "{}\n=>\n{}", text, changed);
        if let (Some(next), Some(now)) = (document.line_of(place + 1), reread.line_of(place + 1)) {
            prop_assert_eq!(lines(&text, next..), lines(&changed, now..), "{}\n=>\n{}", text, changed);
        }
        prop_assert_eq!(text.contains("# tail"), changed.contains("# tail"));
        for comment in comments(&text) {
            prop_assert!(comments(&changed).contains(&comment), "{} lost from\n{}\n=>\n{}", comment, text, changed);
        }
    }

    #[test]
    fn gaps_come_and_go(gaps in any_gaps(), new in any_gap(8), mut hand in any_hand(), stay in proptest::collection::vec(any::<bool>(), 4)) {
        let gaps: Vec<Gap> = without_evidence(gaps)
            .into_iter().map(|gap| gap.with(|gap| { gap.blocks = Vec::new(); gap.blocked_by = Vec::new(); })).collect();
        prop_assume!(validate(&gaps).is_empty());
        let text = hand.file(&gaps);
        let mut target: Vec<Gap> =
            gaps.iter().zip(stay).filter(|(_, stay)| *stay).map(|(gap, _)| gap.clone()).collect();
        target.push(new);
        let changed = read(&text)?.rewrite(&target)
            .map_err(|error| TestCaseError::fail(format!("{text}\n{error}")))?;
        let reread = read(&changed)?;
        prop_assert_eq!(reread.gaps(), &target[..], "{}\n=>\n{}", text, changed);
    }
}

/// Some lines, with their line breaks.
fn lines(text: &str, range: impl std::ops::RangeBounds<usize>) -> String {
    let lines = text.split_inclusive('\n').enumerate().filter(|(number, _)| range.contains(number));
    lines.map(|(_, line)| line).collect()
}
