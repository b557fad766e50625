//! Which layer wins, and what a loop is created with.

use std::collections::BTreeMap;

use piton_model::loop_machine::stop::{Done, FileCreated, until};
use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, Prompt};
use piton_model::{RunId, loop_machine};

use super::*;
use crate::agent::KNOWN_AGENTS;
use crate::plan::{Plan, Task, plan};

/// Everything that is said, by layer.
#[derive(Clone, Default)]
struct Said {
    user: &'static str,
    project: &'static str,
    variables: Vec<(&'static str, &'static str)>,
    flags: Overrides,
    task: Task,
}

impl Said {
    fn files(&self) -> Files {
        let document = |name: &str, text: &str| {
            (!text.is_empty()).then(|| Document { name: name.to_owned(), content: text.as_bytes().to_vec() })
        };
        Files { user: document("config.toml", self.user), project: document("piton.toml", self.project) }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    fn resolve(&self) -> Resolved {
        resolve(&self.files(), &|name| self.variable(name), &self.flags).unwrap()
    }

    fn plan(&self) -> Result<Plan, Problems> {
        plan(&self.files(), &|name| self.variable(name), &self.flags, &self.task)
    }

    fn config(&self) -> LoopConfig {
        self.plan().unwrap().config
    }

    fn problems(&self) -> String {
        self.plan().unwrap_err().to_string()
    }

    fn limit(&self, limit: Limit) -> (u64, Layer) {
        let value = &self.resolve().settings.limits[&limit];
        (value.value, value.layer)
    }
}

/// What is enough for a loop.
fn enough() -> Said {
    Said {
        flags: Overrides {
            exec: Some("my-agent".to_owned()),
            checks: vec!["cargo test".to_owned()],
            ..Overrides::default()
        },
        task: Task { text: Some("do it".to_owned()), ..Task::default() },
        ..Said::default()
    }
}

fn flags(limits: &[(Limit, &str)]) -> Overrides {
    let limits: BTreeMap<_, _> = limits.iter().map(|(limit, text)| (*limit, (*text).to_owned())).collect();
    Overrides { limits, ..Overrides::default() }
}

#[test]
fn a_later_layer_wins() {
    let mut said = Said::default();
    assert_eq!(said.limit(Limit::MaxIterations), (50, Layer::Default));
    said.project = "[loop]\nmax_iterations = 20";
    assert_eq!(said.limit(Limit::MaxIterations), (20, Layer::Project));
    said.variables = vec![("PITON_MAX_ITERATIONS", "30"), ("PITON_NO_PROGRESS", " ")];
    assert_eq!(said.limit(Limit::MaxIterations), (30, Layer::Environment));
    assert_eq!(said.limit(Limit::NoProgress), (5, Layer::Default));
    said.flags = flags(&[(Limit::MaxIterations, "40")]);
    assert_eq!(said.limit(Limit::MaxIterations), (40, Layer::Flag));
}

#[test]
fn the_users_limits_are_caps_and_the_smaller_wins() {
    let mut said = Said { user: "[loop]\nmax_iterations = 60\nmax_cost_usd = 5", ..Said::default() };
    assert_eq!(said.limit(Limit::MaxIterations), (60, Layer::User), "a default gives way");
    said.project = "[loop]\nmax_iterations = 100\nmax_cost_usd = 3";
    assert_eq!(said.limit(Limit::MaxIterations), (60, Layer::User));
    assert_eq!(said.limit(Limit::MaxCost), (3_000_000, Layer::Project));
    said.flags = flags(&[(Limit::MaxIterations, "200")]);
    assert_eq!(said.limit(Limit::MaxIterations), (60, Layer::User));
    let notes: Vec<_> = said.resolve().notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["`max_iterations` is 60, not 200 (--max-iterations): your own limits are caps (config.toml:2:18)"]
    );
    said.flags = flags(&[(Limit::MaxIterations, "10")]);
    assert_eq!(said.limit(Limit::MaxIterations), (10, Layer::Flag));
    assert_eq!(said.resolve().notes, []);
}

#[test]
fn checks_are_merged_by_name_in_order_and_patterns_add_up() {
    let said = Said {
        user: "[checks]\nz = 'user z'\n[redact]\npatterns = ['user-secret']",
        project: "[checks]\ny = 'project y'\nz = 'project z'\n[redact]\npatterns = ['project-secret']",
        flags: Overrides { checks: vec!["y=flag y".to_owned(), "x".to_owned()], ..Overrides::default() },
        ..Said::default()
    };
    let settings = said.resolve().settings;
    let checks: Vec<_> =
        settings.checks.iter().map(|check| (&*check.value.name, &*check.value.command)).collect();
    assert_eq!(checks, [("z", "project z"), ("y", "flag y"), ("x", "x")]);
    assert_eq!(settings.redact.len(), 2);
}

#[test]
fn every_documented_variable_sets_what_it_says() {
    for (name, key) in variables() {
        let value = match name {
            "PITON_AGENT" => "mine",
            "PITON_SESSION" => "continue",
            "PITON_ON_LOST" => "ask",
            "PITON_MAX_DURATION" | "PITON_ATTEMPT_TIMEOUT" | "PITON_IDLE_TIMEOUT" => "7m",
            _ => "7",
        };
        let said = Said {
            project: "[agents.mine]\ncommand = ['x']",
            variables: vec![(name, value)],
            ..Said::default()
        };
        let shown = crate::show(&said.resolve());
        let changed: Vec<_> = shown.values.iter().filter(|value| value.layer == Layer::Environment).collect();
        assert_eq!(changed.len(), 1, "{name}");
        assert_eq!(format!("{}.{}", changed[0].section, changed[0].key), key);
        assert_eq!(changed[0].place.as_deref(), Some(name));
    }
    assert!(Limit::ALL.iter().all(|limit| variables().any(|(name, _)| name == limit.variable())));
}

#[test]
fn flags_alone_are_enough_for_a_loop() {
    let config = enough().config();
    assert_eq!(config.prompt, Prompt::Text("do it".to_owned()));
    let command = ["sh", "-c", "my-agent"].map(str::to_owned).to_vec();
    assert_eq!(config.agent, AgentConfig { name: "exec".to_owned(), command, ..AgentConfig::default() });
    assert_eq!(config.checks, [Check::new("cargo", "cargo test")]);
    assert_eq!(config.limits, loop_machine::Limits::default());
    assert_eq!(config.until, []);
    let run: RunId = "r".parse().unwrap();
    loop_machine::create(run, "t", config).expect("what is planned can be created");
}

#[test]
fn limits_reach_the_machine() {
    let mut said = enough();
    said.flags.limits = flags(&[
        (Limit::MaxCost, "$1.5"),
        (Limit::MaxTokens, "9"),
        (Limit::IdleTimeout, "1m"),
        (Limit::NoProgress, "2"),
    ])
    .limits;
    let limits = said.config().limits;
    assert_eq!((limits.cost_microusd, limits.tokens), (Some(1_500_000), Some(9)));
    assert_eq!((limits.idle_ms, limits.no_progress, limits.iterations), (Some(60_000), 2, 50));
}

#[test]
fn the_task_is_text_else_the_named_file_else_the_usual_one() {
    let mut said = enough();
    said.project = "[loop]\nprompt = 'tasks/a.md'";
    said.task.found_prompt = Some("PROMPT.md".to_owned());
    assert_eq!(said.config().prompt, Prompt::Text("do it".to_owned()));
    said.task.text = None;
    assert_eq!(said.config().prompt, Prompt::File("tasks/a.md".to_owned()));
    said.flags.prompt_file = Some("./b.md".to_owned());
    assert_eq!(said.config().prompt, Prompt::File("b.md".to_owned()));
    said.flags.prompt_file = None;
    said.project = "";
    assert_eq!(said.config().prompt, Prompt::File("PROMPT.md".to_owned()));
    said.task.found_prompt = None;
    assert_eq!(
        said.problems(),
        "there is no task; write `piton loop \"what to do\"`, or put it into `PROMPT.md`"
    );
}

#[test]
fn a_loop_that_nothing_would_stop_is_refused() {
    let mut said = enough();
    said.flags.checks.clear();
    assert!(said.problems().starts_with("nothing would stop this loop"), "{}", said.problems());
    said.task.until = vec!["checks-pass".to_owned()];
    assert!(
        said.problems().starts_with("--until: `checks-pass` needs at least one check"),
        "{}",
        said.problems()
    );
    said.task.until = vec!["file:done.txt".to_owned(), "done".to_owned(), "done".to_owned()];
    assert_eq!(said.config().until, [until(FileCreated { path: "done.txt".to_owned() }), until(Done {})]);
}

#[test]
fn agents_that_come_with_piton_need_no_section() {
    for name in KNOWN_AGENTS {
        let mut said = enough();
        said.flags.exec = None;
        said.flags.agent = Some(name.to_owned());
        assert_eq!(said.config().agent.command[0], name);
    }
    let mut said = enough();
    said.project = "[agent]\nuse = 'claude'";
    assert_eq!(said.config().agent.name, "exec", "what is not used is not in the way");
    said.flags.exec = None;
    assert_eq!(said.config().limits.idle_ms, Some(30 * 60_000), "it streams: silence means that it hangs");
    said.flags.options.mode = Some("edit".to_owned());
    assert!(
        said.config().agent.command.ends_with(&["--permission-mode".to_owned(), "acceptEdits".to_owned()])
    );
    said.flags.options.mode = Some("everything".to_owned());
    assert_eq!(
        said.problems(),
        "--sandbox: the agent `claude` has no mode `everything`: it has `ask`, `edit`, `full`"
    );
    said.flags.options.mode = None;
    said.project = "[agent]\nuse = 'claude'\n[agents.claude]\ncommand = ['claude', '-p']";
    assert_eq!(said.config().agent.command, ["claude", "-p"], "an own command for it counts");
}

#[test]
fn an_agent_that_nobody_knows_gets_a_suggestion() {
    let mut said = enough();
    said.flags.exec = None;
    said.project = "[agents.mine]\ncommand = ['x']\n[agent]\nuse = 'mien'";
    assert_eq!(said.problems(), "piton.toml:4:7: there is no agent `mien`; did you mean `mine`?");
    said.project = "";
    assert_eq!(
        said.problems(),
        "no agent is named; give `--agent NAME` or `--exec CMD`, or name one as `[agent] use` in piton.toml"
    );
    said.flags.agent = Some("cluade".to_owned());
    assert_eq!(said.problems(), "--agent: there is no agent `cluade`; did you mean `claude`?");
}

#[test]
fn what_would_mean_something_else_or_nothing_is_refused() {
    let rule = |day: &str| {
        format!("[guard.rules]\ntest-emptied = {{ off = true, reason = 'x', expires = '{day}' }}\n")
    };
    let cases = [
        (rule("soon"), "is not a day"),
        (rule("2026-13-01"), "is not a day"),
        (rule("2026-02-29"), "is not a day"),
        (rule("2026-9-1"), "is not a day"),
        ("[stop]\nconditions = [{ type = 'file_created', name = 'checks-pass', path = 'x' }]\n".to_owned(), "cannot be called"),
        ("[stop]\nsuccess = [{ type = 'file_created', name = 'done', path = 'x' }]\n".to_owned(), "cannot be called"),
        (
            "[stop]\nconditions = [{ type = 'file_created', name = 's', path = 'x' }, { type = 'file_created', name = 's', path = 'y' }]\n".to_owned(),
            "two conditions are called",
        ),
        ("[hooks.h]\ncommand = 'true'\npoints = []\n".to_owned(), "has no `points`"),
        ("[metrics]\nm = { command = 'true', regex = '[0-9]+' }\n".to_owned(), "has no group"),
        ("[confine]\nwrite = ['/']\n".to_owned(), "leaves no walls standing"),
        ("[confine]\nread = ['~/']\n".to_owned(), "leaves no walls standing"),
        ("[agents.m]\ncommand = ['m']\nmodes = { fulll = [] }\n".to_owned(), "mode of an agent"),
    ];
    for (text, said) in cases {
        let text: &'static str = text.leak();
        let problems = Said { project: text, ..enough() }.problems();
        assert!(problems.contains(said), "{text}: {problems}");
    }
    assert!(Said { project: rule("2028-02-29").leak(), ..enough() }.plan().is_ok());
}

#[test]
fn problems_of_all_layers_come_together() {
    let said = Said {
        user: "[loop]\nmax_iterations = 0",
        project: "[loop]\nmax_iteration = 5\n[stop]",
        variables: vec![("PITON_MAX_COST", "cheap"), ("PITON_SESSION", "old")],
        flags: Overrides {
            agent: Some("nobody-knows".to_owned()),
            prompt_file: Some("/etc/passwd".to_owned()),
            checks: vec!["x=".to_owned()],
            limits: flags(&[(Limit::MaxDuration, "8")]).limits,
            ..Overrides::default()
        },
        task: Task { until: vec!["output:/x/".to_owned()], ..Task::default() },
    };
    insta::assert_snapshot!(said.problems(), @"
    config.toml:2:18: `max_iterations = 0`: it must be more than zero: a run always has an exit
    piton.toml:2:1: unknown key in `[loop]`: `max_iteration`; did you mean `max_iterations`?
    PITON_SESSION: unknown value `old`; use `fresh` or `continue` or `fork`
    PITON_MAX_COST: `cheap`: it must be an amount in dollars, such as `15` or `2.50`
    --prompt-file: `/etc/passwd` is not a path inside the repository
    --check: the command is empty
    --max-duration: `8`: a unit is missing; write `s`, `m`, `h` or `d` after the number
    --agent: there is no agent `nobody-knows`; known are `claude`, `codex`, `gemini`, `opencode`, `aider`, `goose`; any other is a section `[agents.NAME]`, or `--exec CMD`
    ");
}

#[test]
fn contradicting_flags_are_refused() {
    let mut said = enough();
    said.flags.agent = Some("mine".to_owned());
    said.flags.prompt_file = Some("a.md".to_owned());
    assert_eq!(
        said.problems(),
        "--exec: give `--agent` or `--exec`, not both\n--prompt-file: give the task as text or as `--prompt-file`, not both"
    );
}

#[test]
fn a_file_that_is_not_text_is_a_problem() {
    let files = Files {
        project: Some(Document { name: "piton.toml".to_owned(), content: vec![0xff, 0xfe] }),
        ..Files::default()
    };
    let problems = resolve(&files, &|_| None, &Overrides::default()).unwrap_err();
    assert_eq!(problems.to_string(), "piton.toml:1:1: this is not UTF-8 text");
}

#[test]
fn every_flag_of_a_setting_is_heard() {
    let limits =
        Limit::ALL.map(|limit| (limit, if limit.parse("7").is_ok() { "7" } else { "7m" }.to_owned()));
    let flags = Overrides {
        agent: Some("claude".to_owned()),
        review: Some("codex".to_owned()),
        prompt_file: Some("a.md".to_owned()),
        confine: true,
        no_confine: false,
        checks: vec!["true".to_owned()],
        limits: limits.into(),
        ..Overrides::default()
    };
    let shown = crate::show(&Said { flags, ..Said::default() }.resolve());
    for entry in crate::entries().filter(|entry| entry.flag.is_some()) {
        let is_said = |value: &crate::ShownValue| {
            let is_it = value.key == entry.key || entry.key == crate::NAMED;
            is_it && value.section == entry.section && value.layer == Layer::Flag
        };
        // A time of day is understood where the clock is.
        let is_heard = entry.flag == Some("--deadline") || shown.values.iter().any(is_said);
        assert!(is_heard, "nobody hears {:?}", entry.flag);
    }
}
