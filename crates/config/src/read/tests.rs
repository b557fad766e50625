//! What the file may say, and how everything else is refused.

use piton_model::loop_machine::{OnLost, PromptBy, SessionPolicy, StreamField, StreamFormat};
use proptest::prelude::*;

use super::*;
use crate::limit::Limit;

fn read_project(text: &str) -> (Settings, Vec<Problem>) {
    read(text, "piton.toml", Layer::Project)
}

pub(crate) fn accepted(text: &str) -> Settings {
    let (settings, problems) = read_project(text);
    assert_eq!(problems, [], "{text}");
    settings
}

/// What a loop is created with.
pub(crate) fn configured(text: &str) -> piton_model::loop_machine::LoopConfig {
    let settings = accepted(text);
    let mut config = piton_model::loop_machine::LoopConfig::default();
    crate::settings::entries().for_each(|entry| (entry.configure)(&settings, &mut config));
    settings.switch.configure(&mut config);
    config
}

pub(crate) fn problems(text: &str) -> String {
    let problems: Vec<_> = read_project(text).1.iter().map(ToString::to_string).collect();
    problems.join("\n")
}

#[test]
fn every_documented_key_is_read() {
    let settings = accepted(
        r#"
        [agent]
        use = "mine"
        [agents.mine]
        command = ["my-agent", "--headless"]
        [loop]
        prompt = "./tasks/PROMPT.md"
        session = "continue"
        max_iterations = 7
        max_duration = "1h30m"
        no_progress = 2
        failure_streak = 3
        max_cost_usd = 2.50
        max_tokens = 1_000_000
        attempt_timeout = "15 min"
        idle_timeout = "90s"
        max_files = 40
        max_lines = 5000
        max_reboots = 20
        on_lost = "restore_and_retry"
        [checks]
        test = "cargo test"
        slow = { command = "make e2e", timeout = "1h" }
        [views]
        ralph = false
        auto_save_interval = "1m"
        [redact]
        patterns = ["internal-hostname"]
        "#,
    );
    assert_eq!(settings.agent.name.unwrap().value, "mine");
    assert_eq!(settings.agents[0].value.run.command, ["my-agent", "--headless"]);
    assert_eq!(settings.loops.prompt.unwrap().value, "tasks/PROMPT.md");
    assert_eq!(settings.loops.session.unwrap().value, SessionPolicy::Continue);
    assert_eq!(settings.ends.on_lost.unwrap().value, OnLost::RestoreAndRetry);
    let limits: Vec<_> = Limit::ALL.iter().map(|limit| settings.limits[limit].value).collect();
    assert_eq!(limits, [7, 5_400_000, 2, 3, 2_500_000, 1_000_000, 900_000, 90_000, 40, 5_000, 20]);
    let checks: Vec<_> =
        settings.checks.iter().map(|check| (&*check.value.name, check.value.timeout_ms)).collect();
    assert_eq!(checks, [("test", 900_000), ("slow", 3_600_000)]);
    assert!(!settings.views.ralph.unwrap().value);
    assert_eq!(settings.views.auto_save_interval.unwrap().value, 60_000);
    assert_eq!(settings.redact[0].value, "internal-hostname");
}

#[test]
fn an_agent_that_is_like_another_says_only_what_differs() {
    let settings = accepted(
        "[agents.home]\nlike = 'claude'\nenv = { A = 'b' }\n[agents.third]\nlike = 'home'\nenv = { C = 'd' }\nlogin = 'ask Ann'\n",
    );
    let [home, third] = [0, 1].map(|index| settings.agents[index].value.clone());
    let claude = crate::agent::built_in("claude").unwrap();
    assert_eq!((home.run.name.as_str(), &home.run.command), ("home", &claude.run.command));
    assert_eq!((&home.run.stream, &home.run.login), (&claude.run.stream, &claude.run.login));
    let own = third.run.env.keys().filter(|name| !claude.run.env.contains_key(*name));
    assert_eq!(own.collect::<Vec<_>>(), ["A", "C"]);
    assert_eq!(third.run.login.as_deref(), Some("ask Ann"));
    assert!(problems("[agents.a]\nlike = 'b'\n").contains("there is no agent `b` above it"));
}

#[test]
fn a_value_knows_its_line_and_column() {
    let settings = accepted("# é\n[loop]\n\tmax_iterations = 7\n");
    let place = &settings.limits[&Limit::MaxIterations].place;
    assert_eq!(place.to_string(), "piton.toml:3:19");
}

#[test]
fn checks_keep_the_order_of_the_file() {
    let settings = accepted(
        "[checks]\nzebra = 'z'\nmiddle = { command = 'm' }\nalpha = 'a'\n[checks.between]\ncommand = 'b'\n[checks.a2]\ncommand = 'c'\n",
    );
    let names: Vec<_> = settings.checks.iter().map(|check| check.value.name.as_str()).collect();
    assert_eq!(names, ["zebra", "middle", "alpha", "between", "a2"]);
}

#[test]
fn a_number_out_of_its_range_is_told_the_range() {
    for (text, said) in [
        ("[session]\nmin_iterations = -1", "must be a whole number from 0 to 4294967295, got -1"),
        (
            "[session]\nmin_iterations = 4294967296",
            "must be a whole number from 0 to 4294967295, got 4294967296",
        ),
        ("[progress]\nmin_score = 7", "`min_score` must be from 0 to 1, got 7"),
        ("[progress]\nmin_score = -0.5", "`min_score` must be a number, zero or more"),
    ] {
        assert!(problems(text).ends_with(said), "{}", problems(text));
    }
    accepted("[progress]\nmin_score = 1");
}

#[test]
fn every_problem_is_reported_at_once() {
    insta::assert_snapshot!(problems(
        r#"
max_iterations = 3
[agent]
use = "mine"
comand = "x"
[agents.mine]
command = "my-agent --headless"
[agents.exec]
command = ["x"]
[agents.other]
args = []
[loop]
prompt = "../PROMPT.md"
session = "fersh"
max_iteration = 5
max_iterations = 0
max_duration = 8
no_progress = -1
max_cost_usd = "15"
max_tokens = 1.5
attempt_timeout = "0s"
idle_timeout = "soon"
deadline = "07:00"
[checks]
"a b" = "true"
empty = " "
number = 5
coverage = { command = "x", format = "lcov", path = "lcov.info" }
nothing = { timeout = "1m" }
[views]
ralph = "yes"
aiwg = "auto"
[redact]
patterns = ["short"]
[guard]
mode = "bloc"
[check]
x = 1
"#
    ), @r#"
    piton.toml:2:1: `max_iterations` does not belong here; it belongs into the section `[loop]`
    piton.toml:5:1: unknown key in `[agent]`: `comand`; known here: `use`, `inject`, `fallback`, `fallback_after`, `fallback_on`, `pass`
    piton.toml:7:11: `command` of an agent must be a list: the program and its arguments; write `["program", "argument"]`, or `["sh", "-c", "…"]` for a shell
    piton.toml:8:9: `exec` is the name of the agent given by `--exec`; take another one
    piton.toml:10:9: the agent `other` has no `command`
    piton.toml:11:1: unknown key in `[agents.other]`: `args`; known here: `like`, `command`, `tail`, `title`, `prompt`, `stream`, `fields`, `session_named_by`, `session_start`, `session_resume`, `session_fork`, `session_totals`, `model`, `mode`, `modes`, `env`, `inject`, `writes`, `settings`, `idle`, `version`, `login`, `permit`, `credentials`, `reports`
    piton.toml:13:10: `prompt`: `../PROMPT.md` is not a path inside the repository
    piton.toml:14:11: unknown value for `session`: `fersh`; did you mean `fresh`?
    piton.toml:15:1: unknown key in `[loop]`: `max_iteration`; did you mean `max_iterations`?
    piton.toml:16:18: `max_iterations = 0`: it must be more than zero: a run always has an exit
    piton.toml:17:16: `max_duration` must be a duration in quotes such as `"8h"`, not a whole number
    piton.toml:18:15: `no_progress = -1`: it must be more than zero: a run always has an exit
    piton.toml:19:16: `max_cost_usd` must be a number of dollars, not a text
    piton.toml:20:14: `max_tokens` must be a whole number, not a number with a fraction
    piton.toml:21:19: `attempt_timeout = 0s`: it must be more than zero: a run always has an exit
    piton.toml:22:16: `idle_timeout = soon`: a number is missing; write a duration such as `8h` or `1h30m`
    piton.toml:25:1: `a b` cannot name a check: a name has 1 to 64 letters, digits, `-`, `_` or `.`, and starts with a letter or digit
    piton.toml:26:9: check `empty`: the command is empty
    piton.toml:27:10: `number` must be a text in quotes, not a whole number
    piton.toml:29:1: the check `nothing` has no `command`
    piton.toml:31:9: `ralph` must be `true` or `false`, not a text
    piton.toml:34:12: a pattern needs at least 8 bytes, or it would hit everywhere
    piton.toml:36:8: unknown value for `mode`: `bloc`; did you mean `block`?
    piton.toml:37:2: unknown section `check`; did you mean `checks`?
    "#);
}

#[test]
fn names_of_a_later_version_say_so() {
    let text = problems("[views]\npaths = \"x\"\n");
    assert_eq!(text, "piton.toml:2:1: `paths` is not supported yet by this version; remove it for now");
}

#[test]
fn broken_toml_is_reported_with_what_else_is_wrong() {
    insta::assert_snapshot!(problems("[loop]\nmax_iterations = \npromt = 'x'\n[checks]\ntest = \"cargo\nlint = 'x'\nlint = 'y'\n"), @r#"
    piton.toml:2:18: this is not TOML: string values must be quoted, expected literal string
    piton.toml:3:1: unknown key in `[loop]`: `promt`; did you mean `prompt`?
    piton.toml:5:14: this is not TOML: invalid basic string, expected `"`
    piton.toml:7:1: this is not TOML: duplicate key
    "#);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_read() {
    let settings = accepted("\u{feff}[loop]\r\nno_progress = 2\r\n");
    assert_eq!(settings.limits[&Limit::NoProgress].value, 2);
    assert_eq!(accepted(""), Settings::default());
}

#[test]
fn a_hostile_name_cannot_draw_on_the_terminal() {
    let text = problems("\"\\u001b[2J\" = 1\n[checks]\n\"a\\u202eb\" = 'x'\n");
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
}

proptest! {
    #[test]
    fn no_text_is_a_panic_and_every_problem_has_its_place(text in "[\\[\\]a-z\"'={},.\n 0-9#é]{0,80}") {
        let lines = text.split('\n').count();
        for problem in read_project(&text).1 {
            let Place::File { line, column, .. } = problem.place else { panic!("{problem}") };
            prop_assert!(line >= 1 && line <= lines && column >= 1, "{problem}");
        }
    }
}

#[test]
fn an_agent_can_be_described_without_rust() {
    let text = r#"
        [agents.mine]
        command = ["mine", "--json"]
        tail = ["--go"]
        prompt = "argument"
        stream = "lines"
        fields = { text = "/say", cost_usd = "/usd" }
        session_named_by = "us"
        session_start = ["--id", "{session}"]
        session_resume = ["--continue", "{session}"]
        model = ["--model", "{model}"]
        modes = { full = ["--yes"], ask = [] }
        mode = "full"
        env = { MINE = "1" }
        idle = "5m"
        login = "run `mine login`"
    "#;
    let (settings, problems) = read(text, "piton.toml", Layer::Project);
    assert_eq!(problems, []);
    let agent = &settings.agents[0].value;
    assert_eq!(agent.run.prompt, PromptBy::Argument);
    assert_eq!(agent.run.sessions.start, ["--id", "{session}"]);
    assert_eq!(agent.idle_ms, Some(300_000));
    assert_eq!(agent.modes["full"], ["--yes"]);
    let StreamFormat::Lines(fields) = &agent.run.stream else { panic!("{:?}", agent.run.stream) };
    assert_eq!(fields[&StreamField::CostUsd], "/usd");
}

#[test]
fn an_agent_that_does_not_fit_together_is_told_all_at_once() {
    let text = "[agents.a]\ncommand = ['a']\nsession_named_by = 'us'\nmode = 'x'\nstream = 'lines'\n\
                fields = { txt = '/a', text = 'a' }\nreports = ['mood']";
    let (_, problems) = read(text, "piton.toml", Layer::Project);
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(said.join("\n"), @r#"
    piton.toml:1:9: the agent `a` needs `session_start` to be told the name of its session
    piton.toml:1:9: the agent `a` has no mode `x` under `modes`
    piton.toml:1:9: the agent `a` prints `lines`, and nothing is known of them; say where things are: `fields = { text = "/message" }`
    piton.toml:6:12: unknown field: `txt`; did you mean `text`?
    piton.toml:6:31: `a` is no JSON pointer; one begins with `/`: `/usage/input`
    piton.toml:7:11: unknown report `mood`; known here: `session`, `tokens`, `cost`, `context`, `limits`
    "#);
}
