//! The block in which a role says what became of its phase.
//!
//! ```text
//! PHASE_RESULT:
//! - phase: vas
//! - status: completed
//! - test_pass_rate: 95
//! - failed_tests: [a, b]
//! ```
//!
//! It ends with a blank line. Only its lines `- key: value` count.

use piton_model::cycle::limits::RESULT_FIELDS_MAX;
use piton_model::cycle::{PhaseResult, PhaseStatus, RoleName};
use piton_model::limits::{TEXT_BYTES_MAX, clip};
use piton_model::workflow::shown;

/// The largest block that is read.
const BLOCK_BYTES_MAX: usize = 64 << 10;

/// What a block begins with.
const MARK: &str = "PHASE_RESULT:";

/// What a prompt offers for the status.
pub const STATUS_WORDS: [&str; 4] = ["completed", "partial", "blocked", "failed"];

/// What an output says of its phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing.
    Nothing,
    /// This. Of several blocks the last; `earlier` is how many others of this role there were.
    Result { result: PhaseResult, earlier: usize },
    /// Only of another phase.
    OfAnother { phase: String },
    /// More than anybody reads.
    TooLarge { bytes: usize },
}

/// Looks for the last block of this role.
pub fn phase_result(output: &str, role: &RoleName) -> Said {
    let (mut found, mut other, mut large) = (Vec::new(), None, None);
    for block in blocks(output) {
        if block.len() > BLOCK_BYTES_MAX {
            large = Some(block.len());
            continue;
        }
        let result = read(block);
        match &result.phase {
            Some(phase) if !is_of(phase, role) => other = Some(phase.clone()),
            _ => found.push(result),
        }
    }
    let earlier = found.len().saturating_sub(1);
    match (found.pop(), large, other) {
        (Some(result), ..) => Said::Result { result, earlier },
        (None, Some(bytes), _) => Said::TooLarge { bytes },
        (None, None, Some(phase)) => Said::OfAnother { phase },
        (None, None, None) => Said::Nothing,
    }
}

/// The result of this role, and what is wrong with it, in sentences that say what to do.
pub fn parse_phase_result(output: &str, role: &RoleName) -> (Option<PhaseResult>, Vec<String>) {
    let problem = match phase_result(output, role) {
        Said::Result { result, earlier } => {
            let count = earlier + 1;
            let several = format!(
                "there are {count} blocks `{MARK}` of {role}, and the last one counts; end with a single one"
            );
            let problems =
                (earlier > 0).then_some(several).into_iter().chain(no_status(output, role, &result));
            let problems = problems.collect();
            return (Some(result), problems);
        }
        Said::Nothing => format!("there is no block `{MARK}`; end with one, each line `- key: value`"),
        Said::OfAnother { phase } => {
            format!(
                "the block `{MARK}` is of `{}`, not of {role}; end with one that says `- phase: {role}`",
                shown(&phase)
            )
        }
        Said::TooLarge { bytes } => {
            format!(
                "the block `{MARK}` has {bytes} bytes, and {BLOCK_BYTES_MAX} is the most; put details into documents"
            )
        }
    };
    (None, vec![problem])
}

/// What is wrong with a status that says nothing.
fn no_status(output: &str, role: &RoleName, result: &PhaseResult) -> Option<String> {
    if !matches!(result.status, PhaseStatus::Unknown | PhaseStatus::Pending) {
        return None;
    }
    let is_of_role = |block: &&str| {
        block.len() <= BLOCK_BYTES_MAX && read(block).phase.is_none_or(|phase| is_of(&phase, role))
    };
    let last = blocks(output).filter(is_of_role).last().unwrap_or_default();
    let mut words = last.lines().rev().filter_map(field).filter(|(key, _)| key == "status");
    let said = match words.next() {
        Some((_, word)) => format!("says `- status: {}`, which nobody knows", shown(clip(&word, 64))),
        None => "has no line `- status:`".to_owned(),
    };
    Some(format!("the block `{MARK}` {said}; say `completed`, `partial`, `blocked` or `failed`"))
}

/// The blocks that somebody filled in: one that still offers all four words is the prompt's own, said again.
fn blocks(output: &str) -> impl Iterator<Item = &str> {
    let is_offer = |line: &str| {
        field(line).is_some_and(|(key, value)| {
            let words: Vec<&str> = value.split('|').map(str::trim).collect();
            key == "status" && words == STATUS_WORDS
        })
    };
    all_blocks(output).filter(move |block| !block.lines().any(is_offer))
}

/// The texts behind each mark, up to the next blank line.
fn all_blocks(output: &str) -> impl Iterator<Item = &str> {
    let is_mark = |line: &str| line.trim_matches(['*', '#', '`', ' ', '\t', '\r']) == MARK;
    let mut places = Vec::new();
    let mut place = 0;
    for line in output.split_inclusive('\n') {
        place += line.len();
        if is_mark(line.trim_end_matches('\n')) {
            places.push(place);
        }
    }
    places.into_iter().map(move |start| {
        let text = &output[start..];
        let mut end = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            // Some leave a line free below the mark.
            let is_end = line.trim().is_empty() && index > 0;
            if is_end || line.trim_start().starts_with("```") || is_mark(line.trim_end_matches('\n')) {
                break;
            }
            end += line.len();
        }
        &text[..end]
    })
}

fn read(block: &str) -> PhaseResult {
    let mut result = PhaseResult::default();
    for line in block.lines() {
        let Some((key, value)) = field(line) else { continue };
        match key.as_str() {
            "phase" => result.phase = Some(value),
            "status" => result.status = status(&value),
            _ if result.fields.len() < RESULT_FIELDS_MAX => {
                result.fields.insert(key, value);
            }
            _ => {}
        }
    }
    result
}

/// `- key: value`. A key is a word of a program's.
fn field(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let (key, value) = line.strip_prefix("- ").or(line.strip_prefix("* "))?.split_once(':')?;
    let key = key.trim().trim_matches(['*', '`']).to_ascii_lowercase().replace([' ', '-'], "_");
    let is_word = !key.is_empty()
        && key.len() <= 64
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = value.trim().trim_start_matches("**").trim();
    is_word.then(|| (key, clip(value, TEXT_BYTES_MAX).to_owned()))
}

/// One of the words of the format, however it is set; what else somebody says is not known.
fn status(word: &str) -> PhaseStatus {
    let word = word.trim_matches(['`', '*', '"', '.', ' ']).to_ascii_lowercase();
    PhaseStatus::from_word(&word).unwrap_or_default()
}

/// Whether a block says that it is of this role, by its name or by its title.
fn is_of(phase: &str, role: &RoleName) -> bool {
    let bare = |text: &str| {
        text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let title = match role.as_str() {
        "ra" => "requirementsanalyst",
        "ep" => "explorationplanner",
        "cd" => "codedeveloper",
        "vas" => "validationarchivist",
        _ => "",
    };
    let phase = bare(phase);
    phase == bare(role.as_str()) || (!title.is_empty() && phase == title)
}

/// The items of a value that is a list: `[a, b]`, or `a, b`. `none` and `[]` have none.
pub fn items(value: &str) -> Vec<String> {
    let inner = value.trim().trim_start_matches('[').trim_end_matches(']');
    let bare = |item: &str| item.trim().trim_matches(['"', '\'', '`']).to_owned();
    let is_item = |item: &String| {
        !item.is_empty() && !matches!(item.to_ascii_lowercase().as_str(), "none" | "n/a" | "-")
    };
    inner.split(',').map(bare).filter(is_item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vas() -> RoleName {
        RoleName::from("vas")
    }

    #[test]
    fn a_block_ends_with_a_blank_line() {
        let output = "words\n\n**PHASE_RESULT:**\n- phase: vas\n- status: **Completed**.\n- test_pass_rate: 95\n- Failed-Tests: [a, \"b\"]\nnoise\n\n- status: failed\n";
        let Said::Result { result, earlier: 0 } = phase_result(output, &vas()) else { panic!("a result") };
        assert_eq!(result.status, PhaseStatus::Completed);
        assert_eq!(result.fields["test_pass_rate"], "95");
        assert_eq!(items(&result.fields["failed_tests"]), ["a", "b"]);
        assert_eq!(items("[]"), Vec::<String>::new());
        assert_eq!(items("none"), Vec::<String>::new());
    }

    #[test]
    fn without_one_nothing_is_known() {
        assert_eq!(phase_result("I said PHASE_RESULT: somewhere", &vas()), Said::Nothing);
        let (result, problems) = parse_phase_result("", &vas());
        assert!(result.is_none() && problems[0].contains("no block"));
    }

    #[test]
    fn a_status_that_nobody_knows_is_said_to_be_one() {
        for (block, expected) in [
            ("- status: rejected", "`- status: rejected`, which nobody knows"),
            ("- status: unknown", "`- status: unknown`, which nobody knows"),
            ("- status: pending", "`- status: pending`, which nobody knows"),
            ("- status: done", "`- status: done`, which nobody knows"),
            ("- status: ok", "`- status: ok`, which nobody knows"),
            ("- status: success", "`- status: success`, which nobody knows"),
            ("- status: in_progress", "`- status: in_progress`, which nobody knows"),
            ("- summary: fine", "has no line `- status:`"),
        ] {
            let output = format!(
                "PHASE_RESULT:\n- phase: cd\n- status: done\n\nPHASE_RESULT:\n- phase: vas\n{block}\n"
            );
            let (result, problems) = parse_phase_result(&output, &vas());
            assert!(result.is_some() && problems.len() == 1, "{block}: {problems:?}");
            assert!(problems[0].contains(expected), "{block}: {problems:?}");
        }
        for word in STATUS_WORDS {
            let (_, problems) = parse_phase_result(&format!("PHASE_RESULT:\n- status: {word}\n"), &vas());
            assert_eq!(problems, Vec::<String>::new(), "{word}");
        }
    }

    #[test]
    fn the_prompt_said_again_is_no_result() {
        let offer = STATUS_WORDS.join(" | ");
        let prompt = format!("PHASE_RESULT:\n- phase: vas\n- status: {offer}\n- blockers: [what is it]\n\n");
        assert_eq!(phase_result(&prompt, &vas()), Said::Nothing);
        let filled = "PHASE_RESULT:\n- phase: vas\n- status: partial\n\n";
        for output in [format!("{prompt}{filled}"), format!("{filled}{prompt}")] {
            let (result, problems) = parse_phase_result(&output, &vas());
            assert_eq!((result.unwrap().status, problems), (PhaseStatus::Partial, Vec::new()), "{output}");
        }
    }

    #[test]
    fn one_of_another_role_is_no_result() {
        let output = "PHASE_RESULT:\n- phase: cd\n- status: completed\n";
        assert_eq!(phase_result(output, &vas()), Said::OfAnother { phase: "cd".to_owned() });
        let titled = "PHASE_RESULT:\n- phase: Validation Archivist\n- status: partial";
        assert!(matches!(phase_result(titled, &vas()), Said::Result { .. }));
    }

    #[test]
    fn of_several_the_last_one_counts() {
        let output = "PHASE_RESULT:\n- status: failed\n\nPHASE_RESULT:\n- phase: cd\n\nPHASE_RESULT:\n\n- status: partial\n";
        let (result, problems) = parse_phase_result(output, &vas());
        assert_eq!(result.unwrap().status, PhaseStatus::Partial);
        assert!(problems[0].contains("2 blocks"), "{problems:?}");
    }

    #[test]
    fn a_huge_one_is_not_read() {
        let output = format!("PHASE_RESULT:\n- summary: {}\n", "x".repeat(BLOCK_BYTES_MAX));
        assert!(matches!(phase_result(&output, &vas()), Said::TooLarge { .. }));
        let many: String = (0..1_000).map(|number| format!("- key{number}: v\n")).collect();
        let Said::Result { result, .. } = phase_result(&format!("PHASE_RESULT:\n{many}"), &vas()) else {
            panic!()
        };
        assert_eq!(result.fields.len(), RESULT_FIELDS_MAX);
    }

    #[test]
    fn many_marks_take_no_more_time_than_their_text() {
        let output = "PHASE_RESULT:\n".repeat(100_000);
        assert!(matches!(phase_result(&output, &vas()), Said::Result { earlier: 99_999, .. }));
    }
}
