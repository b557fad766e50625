//! The contract with wrappers: arguments, environment, paths.

use std::collections::BTreeMap;
use std::path::Path;

use piton_files::workflow::{Launch, LaunchError, StepPlaces, launch, render_template};
use piton_model::workflow::*;
use serde_json::json;

use crate::support::{Run, completed};

const DOCUMENT: &str = "
name: workflow
steps:
  - {id: plan-it, agent: planner, prompt: plan.md}
  - {id: coding, agent: coder, prompt: code.md, needs: [plan-it], model: opus, timeout: 30m}
  - {id: lint, run: make lint, needs: [coding]}
  - {id: stories, agent: coder, prompt: s.md, needs: [lint], loop: {items: [{id: STORY-001}, two], item_var: story}}
  - {id: inner, workflow: inner.yaml, needs: [stories]}
";

fn wrapper() -> Launcher {
    Launcher::Wrapper {
        python: Some("python3".to_owned()),
        wrapper: "wrapper.py".to_owned(),
        args: vec!["--timeout".to_owned(), "60".to_owned()],
    }
}

fn driven(launcher: Launcher) -> Run {
    let env = json!({"TOKEN": "t", "RUN_ID": "not mine"}).as_object().cloned().unwrap();
    let issue = Some(Issue { number: "42".to_owned(), directory: ".agents/issues".to_owned() });
    let options = Options { launcher, env, issue, ..Options::default() };
    let mut run = Run::created("f8c1a491", "/repo", DOCUMENT, options, "2025-01-15T12:00:00Z");
    run.drive();
    run
}

fn start(run: &Run, step: &str) -> Result<Launch, LaunchError> {
    let (prompt, workdir) = (Path::new("/repo/prompts/p.md"), Path::new("/repo"));
    let around = StepPlaces { place: &run.place, prompt: Some(prompt), workdir };
    launch(&run.state, &step.into(), &around)
}

fn env(launch: &Launch) -> BTreeMap<&str, &str> {
    launch.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn a_wrapper_gets_the_arguments_of_its_contract() {
    let launch = start(&driven(wrapper()), "plan-it").unwrap();
    let report = "/repo/.agents/runs/f8c1a491/reports/f8c1a491__plan-it.json";
    let expected = [
        "python3",
        "wrapper.py",
        "--run-id",
        "f8c1a491",
        "--step-id",
        "plan-it",
        "--agent",
        "planner",
        "--prompt",
        "/repo/prompts/p.md",
        "--repo",
        "/repo",
        "--report",
        report,
        "--timeout",
        "60",
    ];
    assert_eq!(launch.argv, expected);
    assert_eq!(launch.report_path, Path::new(report));
    assert_eq!(
        launch.log_path,
        Path::new("/repo/.agents/runs/f8c1a491/logs/f8c1a491__plan-it__attempt1.log")
    );
    assert_eq!(launch.directory, Path::new("/repo"));
    assert!(launch.reports);
}

#[test]
fn a_wrapper_gets_the_environment_of_its_contract() {
    let mut run = driven(wrapper());
    run.end("plan-it", completed(&["PLAN.md", "docs/tasks.yaml"], &["x"]));
    let launch = start(&run, "coding").unwrap();
    let expected: BTreeMap<&str, &str> = [
        ("RUN_ID", "f8c1a491"),
        ("STEP_ID", "coding"),
        ("AGENT_ID", "coder"),
        ("REPO_DIR", "/repo"),
        ("PROMPT_PATH", "/repo/prompts/p.md"),
        ("REPORT_PATH", "/repo/.agents/runs/f8c1a491/reports/f8c1a491__coding.json"),
        ("MANUAL_RESULT_PATH", ""),
        ("STEP_ATTEMPT", "1"),
        ("ARTIFACTS_DIR", "/repo/.agents/runs/f8c1a491/artifacts"),
        ("STEP_MODEL", "opus"),
        ("DEP_PLAN_IT_ARTIFACT_0", "/repo/PLAN.md"),
        ("DEP_PLAN_IT_ARTIFACT_1", "/repo/docs/tasks.yaml"),
        ("DEP_PLAN_IT_ARTIFACTS", "/repo/PLAN.md,/repo/docs/tasks.yaml"),
        ("ISSUE_NUMBER", "42"),
        ("ISSUE_MARKDOWN_PATH", "/repo/.agents/issues/gh_issue_42.md"),
        ("ISSUE_MARKDOWN_DIR", "/repo/.agents/issues"),
        ("ISSUE_MARKDOWN_FILENAME", "gh_issue_42.md"),
        ("TOKEN", "t"),
    ]
    .into_iter()
    .collect();
    assert_eq!(env(&launch), expected, "and what the user sets does not replace what the contract promises");
    assert_eq!(launch.env.len(), expected.len());
    assert_eq!(launch.timeout_ms, Some(1_800_000));
}

#[test]
fn each_try_has_its_own_log_and_moves_the_older_report_away() {
    let mut run = driven(wrapper());
    let first = start(&run, "plan-it").unwrap();
    let mut failed = completed(&[], &["no"]);
    failed.report.as_mut().unwrap().completed = false;
    run.end("plan-it", failed);
    run.at("2025-01-15T12:00:01Z").command(Command::Tick);
    let second = start(&run, "plan-it").unwrap();
    assert!(second.log_path.ends_with("f8c1a491__plan-it__attempt2.log"));
    assert_eq!(env(&second)["STEP_ATTEMPT"], "2");
    assert_eq!(first.report_path, second.report_path);
    assert_ne!(first.archived_report_path, second.archived_report_path);
}

#[test]
fn a_command_runs_in_a_shell_and_needs_no_report() {
    let mut run = driven(wrapper());
    run.end("plan-it", completed(&[], &["x"]));
    run.end("coding", completed(&[], &["x"]));
    let launch = start(&run, "lint").unwrap();
    assert_eq!(launch.argv, ["/bin/sh", "-c", "make lint"]);
    assert!(!launch.reports);
}

#[test]
fn an_item_is_handed_over_as_json() {
    let mut run = driven(wrapper());
    for step in ["plan-it", "coding", "lint"] {
        run.end(step, completed(&[], &["x"]));
    }
    let launch = start(&run, "stories").unwrap();
    assert_eq!((env(&launch)["LOOP_INDEX"], env(&launch)["LOOP_STORY"]), ("0", r#"{"id":"STORY-001"}"#));
    run.end("stories", completed(&[], &["x"]));
    let launch = start(&run, "stories").unwrap();
    assert_eq!((env(&launch)["LOOP_INDEX"], env(&launch)["LOOP_STORY"]), ("1", r#""two""#));
    run.end("stories", completed(&[], &["x"]));
    assert_eq!(start(&run, "inner").unwrap_err(), LaunchError::NoProgram("inner".into()), "a run of its own");
}

#[test]
fn what_a_person_wrote_is_passed_on() {
    let document = "
steps:
  - {id: look, agent: a, prompt: p, human_in_the_loop: true}
  - {id: ship, agent: a, prompt: p, needs: [look]}
";
    let options = Options { pause_for_human_input: true, launcher: wrapper(), ..Options::default() };
    let mut run = Run::created("r1", "/repo", document, options, "2025-01-15T12:00:00Z");
    run.drive();
    let path = "/repo/.agents/runs/r1/manual_inputs/r1__look.json";
    assert_eq!(env(&start(&run, "look").unwrap())["MANUAL_RESULT_PATH"], path);
    run.end("look", completed(&[], &["x"]));
    let input = Ok(ManualInput { approved: true, comment: None, content: Default::default() });
    let (step, digest) = ("look".into(), String::new());
    run.command(Command::TakeManualInput { step, question: 1, digest, input });
    assert_eq!(env(&start(&run, "ship").unwrap())["MANUAL_RESULT_PATH"], path);
}

#[test]
fn a_template_keeps_a_path_with_spaces_in_one_word() {
    let template = "my-agent --p {prompt} '--x={step_id} {attempt}' \"{manual_input}\" {{literal}}";
    let run = driven(Launcher::Template { template: template.to_owned() });
    let around = StepPlaces {
        place: &run.place,
        prompt: Some(Path::new("/my repo/p.md")),
        workdir: Path::new("/my repo"),
    };
    let launch = launch(&run.state, &"plan-it".into(), &around).unwrap();
    assert_eq!(launch.argv, ["my-agent", "--p", "/my repo/p.md", "--x=plan-it 1", "", "{literal}"]);
}

#[test]
fn a_template_that_cannot_be_read_is_refused() {
    let value = |name: &str| (name == "repo").then(|| "/r".to_owned());
    for (template, expected) in [
        ("", "it is empty"),
        ("x {nobody}", "there is no placeholder `{nobody}`"),
        ("x 'y", "a ' is never closed"),
        ("x {repo", "a brace stands alone; write `{{` or `}}`"),
    ] {
        assert_eq!(render_template(template, &value), Err(expected.to_owned()), "{template}");
    }
}

#[test]
fn adapters_and_commands_start_agents_without_a_wrapper() {
    let adapter = start(&driven(Launcher::Adapter {}), "plan-it").unwrap();
    assert_eq!((adapter.argv.len(), adapter.reports), (0, false));
    let exec = start(&driven(Launcher::Exec { command: "cat".to_owned() }), "plan-it").unwrap();
    assert_eq!(exec.argv, ["/bin/sh", "-c", "cat"]);
}

#[test]
fn what_is_not_open_is_not_started() {
    let run = driven(wrapper());
    assert_eq!(start(&run, "coding"), Err(LaunchError::NotOpen("coding".into())));
    assert_eq!(start(&run, "nobody"), Err(LaunchError::NotOpen("nobody".into())));
}
