//! Every setting, for every kind of run it is meant for, is shown to act through the real binary.
//!
//! A test here is called `SECTION_KEY_acts_in_a_KIND`; [`ELSEWHERE`] names those that were somewhere else already. The
//! table in `docs/settings-by-kind.md` is made from the entries of the configuration and from these names: a setting
//! without a test fails [`every_setting_acts_in_every_kind_it_is_meant_for`].

mod confine;
mod cycles;
mod judging;
mod modes;
mod others;
mod proving;
mod replicated;
mod sessions;
mod telling;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use piton_model::Kind;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings-by-kind.md");

/// A setting, a kind of run, and the test that shows the one act in the other.
const ELSEWHERE: &[(&str, Kind, &str)] = &[
    ("agent.use", Kind::Loop, "loops::an_agent_of_the_configuration_is_used_by_name"),
    (
        "agent.pass",
        Kind::Loop,
        "agents::an_agent_gets_only_the_variables_that_are_passed_where_that_is_asked_for",
    ),
    ("agent.fallback", Kind::Loop, "fallback::agent_fallback_acts_in_a_loop"),
    ("agent.fallback_after", Kind::Loop, "fallback::agent_fallback_after_acts_in_a_loop"),
    ("agent.fallback_on", Kind::Loop, "fallback::agent_fallback_on_acts_in_a_loop"),
    ("loop.review", Kind::Loop, "reviewed::loop_review_acts_in_a_loop"),
    ("agents.NAME", Kind::Loop, "loops::an_agent_of_the_configuration_is_used_by_name"),
    (
        "agents.NAME",
        Kind::Workflow,
        "workflow::going_on::an_agent_that_only_a_nested_workflow_names_is_found_too",
    ),
    ("loop.session", Kind::Loop, "agent::a_session_is_handed_on_where_the_configuration_says_so"),
    ("loop.max_lines", Kind::Loop, "modes::more_files_or_lines_than_allowed_stop_the_run"),
    ("checks.NAME", Kind::Loop, "loops::an_agent_of_the_configuration_is_used_by_name"),
    ("guard.mode", Kind::Loop, "cheats::where_it_is_only_reported_or_off_the_run_goes_on"),
    ("guard.protect", Kind::Loop, "walls::a_confined_agent_writes_to_its_tree_and_nowhere_else"),
    ("guard.rules", Kind::Loop, "numbers::a_rule_that_is_off_for_a_reason_finds_nothing"),
    ("stop.success", Kind::Loop, "stop::success_failure_and_plain_conditions_end_a_run_with_their_own_codes"),
    ("stop.failure", Kind::Loop, "stop::success_failure_and_plain_conditions_end_a_run_with_their_own_codes"),
    (
        "stop.conditions",
        Kind::Loop,
        "stop::success_failure_and_plain_conditions_end_a_run_with_their_own_codes",
    ),
    (
        "metrics.NAME",
        Kind::Loop,
        "numbers::tests_coverage_and_metrics_are_measured_at_the_start_and_after_every_iteration",
    ),
    (
        "worktree.copy",
        Kind::Loop,
        "worktree::furnished::a_work_tree_is_furnished_with_what_git_does_not_keep",
    ),
    (
        "worktree.installed",
        Kind::Loop,
        "worktree::furnished::packages_that_are_installed_are_copied_unless_that_is_off",
    ),
    (
        "worktree.setup",
        Kind::Loop,
        "worktree::furnished::a_work_tree_is_furnished_with_what_git_does_not_keep",
    ),
    (
        "worktree.copy",
        Kind::Workflow,
        "worktree::furnished::the_work_tree_of_a_workflow_is_furnished_once_for_all_its_steps",
    ),
    (
        "worktree.installed",
        Kind::Workflow,
        "worktree::furnished::packages_are_copied_for_a_workflow_unless_that_is_off",
    ),
    (
        "worktree.setup",
        Kind::Workflow,
        "worktree::furnished::the_work_tree_of_a_workflow_is_furnished_once_for_all_its_steps",
    ),
    ("worktree.compare", Kind::Loop, "worktree::a_baseline_that_is_worse_than_in_the_checkout_stops_the_run"),
    ("confine.enabled", Kind::Loop, "walls::a_confined_agent_writes_to_its_tree_and_nowhere_else"),
    ("confine.enabled", Kind::Workflow, "walls::confine_holds_in_a_workflow_step"),
    ("confine.enabled", Kind::Ledger, "walls::confine_holds_in_research"),
    ("confine.accept_inputs", Kind::Workflow, "workflow::people::confine_accept_inputs_acts_in_a_workflow"),
    ("views.ralph", Kind::Loop, "views::views_can_be_turned_off"),
    ("views.aiwg", Kind::Loop, "aiwg::it_is_there_where_somebody_uses_it_or_asks_for_it"),
    (
        "gaps.audit_log",
        Kind::Ledger,
        "gaps::tables::the_log_is_created_with_its_directories_and_only_added_to",
    ),
    ("guard.protect", Kind::Workflow, "walls::guard_protect_holds_in_a_confined_step"),
    ("guard.protect", Kind::Ledger, "walls::guard_protect_holds_in_confined_research"),
    ("gaps.max_gaps_per_run", Kind::Ledger, "gaps::tables::the_batch_is_cut_and_the_full_picture_is_told"),
    (
        "gaps.require",
        Kind::Loop,
        "gaps::history::a_loop_that_requires_fresh_gaps_waits_for_them_and_is_told_what_is_known",
    ),
    ("hooks.builtin", Kind::Loop, "hooks::builtins_write_metrics_and_back_the_view_up"),
    ("hooks.NAME", Kind::Loop, "hooks::all_fifteen_points_are_called"),
    ("notify.channels.NAME", Kind::Loop, "notify::a_webhook_and_a_file_are_told_how_a_run_ended"),
    (
        "notify.channels.NAME",
        Kind::Workflow,
        "workflow::people::people_are_told_that_a_workflow_needs_them_and_that_it_failed",
    ),
    ("notify.triggers.NAME", Kind::Loop, "notify::a_webhook_and_a_file_are_told_how_a_run_ended"),
    ("mode.switch.failures", Kind::Loop, "modes::a_trigger_calls_for_a_person"),
    ("mode.windows.hours", Kind::Loop, "modes::outside_its_hours_a_loop_waits_and_says_until_when"),
    ("mode.windows.blackouts", Kind::Loop, "modes::outside_its_hours_a_loop_waits_and_says_until_when"),
    ("prompts.strict", Kind::Loop, "prompts::the_configuration_can_be_strict_and_has_variables_of_its_own"),
    (
        "prompts.variables",
        Kind::Loop,
        "prompts::the_configuration_can_be_strict_and_has_variables_of_its_own",
    ),
    ("redact.patterns", Kind::Loop, "redact::redact_patterns_hold_in_a_loop_agent"),
    ("redact.patterns", Kind::Workflow, "redact::redact_patterns_hold_in_a_workflow_step"),
    ("redact.patterns", Kind::Ledger, "redact::redact_patterns_hold_in_research"),
    ("vault.compress", Kind::Loop, "vault::runs_of_every_kind_are_compressed_and_come_back"),
    ("vault.compress", Kind::Workflow, "vault::runs_of_every_kind_are_compressed_and_come_back"),
    ("vault.compress", Kind::Cycle, "vault::runs_of_every_kind_are_compressed_and_come_back"),
    ("vault.compress", Kind::Ledger, "vault::runs_of_every_kind_are_compressed_and_come_back"),
    ("vault.encrypt", Kind::Loop, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.encrypt", Kind::Workflow, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.encrypt", Kind::Cycle, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.encrypt", Kind::Ledger, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.key_file", Kind::Loop, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.key_file", Kind::Workflow, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.key_file", Kind::Cycle, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    ("vault.key_file", Kind::Ledger, "vault::runs_of_every_kind_are_encrypted_and_come_back"),
    (
        "vault.key_env",
        Kind::Loop,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_env",
        Kind::Workflow,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_env",
        Kind::Cycle,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_env",
        Kind::Ledger,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_command",
        Kind::Loop,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_command",
        Kind::Workflow,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_command",
        Kind::Cycle,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.key_command",
        Kind::Ledger,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.recipients",
        Kind::Loop,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.recipients",
        Kind::Workflow,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.recipients",
        Kind::Cycle,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.recipients",
        Kind::Ledger,
        "vault::runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient",
    ),
    (
        "vault.backup_dir",
        Kind::Loop,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.backup_dir",
        Kind::Workflow,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.backup_dir",
        Kind::Cycle,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.backup_dir",
        Kind::Ledger,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.max_backups",
        Kind::Loop,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.max_backups",
        Kind::Workflow,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.max_backups",
        Kind::Cycle,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    (
        "vault.max_backups",
        Kind::Ledger,
        "vault::backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run",
    ),
    ("vault.backups.to", Kind::Loop, "vault::runs_of_every_kind_go_to_where_the_configuration_says"),
    ("vault.backups.to", Kind::Workflow, "vault::runs_of_every_kind_go_to_where_the_configuration_says"),
    ("vault.backups.to", Kind::Cycle, "vault::runs_of_every_kind_go_to_where_the_configuration_says"),
    ("vault.backups.to", Kind::Ledger, "vault::runs_of_every_kind_go_to_where_the_configuration_says"),
    ("vault.backups.max", Kind::Loop, "vault::so_many_backups_stay_whatever_the_kind_of_run"),
    ("vault.backups.max", Kind::Workflow, "vault::so_many_backups_stay_whatever_the_kind_of_run"),
    ("vault.backups.max", Kind::Cycle, "vault::so_many_backups_stay_whatever_the_kind_of_run"),
    ("vault.backups.max", Kind::Ledger, "vault::so_many_backups_stay_whatever_the_kind_of_run"),
    ("vault.backups.max_age", Kind::Loop, "vault::backups_stay_for_so_long_whatever_the_kind_of_run"),
    ("vault.backups.max_age", Kind::Workflow, "vault::backups_stay_for_so_long_whatever_the_kind_of_run"),
    ("vault.backups.max_age", Kind::Cycle, "vault::backups_stay_for_so_long_whatever_the_kind_of_run"),
    ("vault.backups.max_age", Kind::Ledger, "vault::backups_stay_for_so_long_whatever_the_kind_of_run"),
    ("vault.retention.finished_for", Kind::Loop, "keep::runs_of_every_kind_are_archived_and_come_back"),
    ("vault.retention.finished_for", Kind::Workflow, "keep::runs_of_every_kind_are_archived_and_come_back"),
    ("vault.retention.finished_for", Kind::Cycle, "keep::runs_of_every_kind_are_archived_and_come_back"),
    (
        "vault.retention.attempts_for",
        Kind::Loop,
        "keep::what_agents_printed_in_runs_of_every_kind_goes_after_its_time",
    ),
    (
        "vault.retention.attempts_for",
        Kind::Workflow,
        "keep::what_agents_printed_in_runs_of_every_kind_goes_after_its_time",
    ),
    (
        "vault.retention.attempts_for",
        Kind::Cycle,
        "keep::what_agents_printed_in_runs_of_every_kind_goes_after_its_time",
    ),
    (
        "vault.retention.aside_for",
        Kind::Loop,
        "keep::a_journal_that_was_put_aside_goes_after_its_time_and_never_the_newest",
    ),
    (
        "vault.retention.aside_for",
        Kind::Workflow,
        "keep::a_journal_that_was_put_aside_goes_after_its_time_and_never_the_newest",
    ),
    (
        "vault.retention.aside_for",
        Kind::Cycle,
        "keep::a_journal_that_was_put_aside_goes_after_its_time_and_never_the_newest",
    ),
    (
        "vault.retention.aside_for",
        Kind::Ledger,
        "keep::a_journal_that_was_put_aside_goes_after_its_time_and_never_the_newest",
    ),
    (
        "vault.retention.only_if_backed_up",
        Kind::Loop,
        "keep::without_a_backup_runs_of_every_kind_are_archived_only_where_that_is_said",
    ),
    (
        "vault.retention.only_if_backed_up",
        Kind::Workflow,
        "keep::without_a_backup_runs_of_every_kind_are_archived_only_where_that_is_said",
    ),
    (
        "vault.retention.only_if_backed_up",
        Kind::Cycle,
        "keep::without_a_backup_runs_of_every_kind_are_archived_only_where_that_is_said",
    ),
    (
        "vault.retention.warn_at",
        Kind::Loop,
        "keep::a_journal_that_grew_large_says_so_whatever_the_kind_of_run",
    ),
    (
        "vault.retention.warn_at",
        Kind::Workflow,
        "keep::a_journal_that_grew_large_says_so_whatever_the_kind_of_run",
    ),
    (
        "vault.retention.warn_at",
        Kind::Cycle,
        "keep::a_journal_that_grew_large_says_so_whatever_the_kind_of_run",
    ),
    (
        "vault.retention.warn_at",
        Kind::Ledger,
        "keep::a_journal_that_grew_large_says_so_whatever_the_kind_of_run",
    ),
];

/// The tests in a file, each with its body and the bodies of the functions of that file that it calls.
fn tests_in(path: &Path, module: &str, found: &mut BTreeMap<String, String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let function = |part: &str| {
        let name = part.split('(').next()?.to_owned();
        Some((name, part.split("\n}\n").next()?.to_owned()))
    };
    let functions: BTreeMap<String, String> = text
        .split("\nfn ")
        .skip(1)
        .chain(text.split("\npub(crate) fn ").skip(1))
        .filter_map(function)
        .collect();
    for part in text.split("#[test]\nfn ").skip(1) {
        let (name, mut body) = function(part).expect("a test has a name and a body");
        let called =
            functions.iter().filter(|(other, _)| **other != name && body.contains(&format!("{other}(")));
        body.extend(called.map(|(_, body)| body.as_str()).collect::<Vec<_>>());
        found.insert(format!("{module}::{name}"), body);
    }
}

/// Every test of the command line, by module and name.
fn tests(directory: &Path, module: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let inner = match (module, stem.as_str()) {
            ("", name) => name.to_owned(),
            (module, "mod") => module.to_owned(),
            (module, name) => format!("{module}::{name}"),
        };
        match path.is_dir() {
            true => tests(&path, &inner, found),
            false => tests_in(&path, &inner, found),
        }
    }
}

/// What a test of this setting is called here.
fn name_of(setting: &str, kind: Kind) -> String {
    format!("{}_acts_in_a_{}", setting.replace('.', "_").to_lowercase(), kind.as_str())
}

/// The test that shows `setting` act in `kind`, if there is one and it speaks of the setting.
fn shown_by(setting: &str, kind: Kind, tests: &BTreeMap<String, String>) -> Option<String> {
    let name = name_of(setting, kind);
    let here =
        tests.keys().find(|test| test.starts_with("settings::") && test.ends_with(&format!("::{name}")));
    let elsewhere = ELSEWHERE.iter().find(|(known, of, _)| *known == setting && *of == kind);
    let test = here.cloned().or_else(|| elsewhere.map(|(_, _, test)| (*test).to_owned()))?;
    let word = setting.trim_end_matches(".NAME").rsplit('.').next()?;
    tests.get(&test).is_some_and(|text| text.contains(word)).then_some(test)
}

/// The page says which test shows what. `PITON_WRITE_DOCS=1` writes it anew.
#[test]
fn every_setting_acts_in_every_kind_it_is_meant_for() {
    let mut known = BTreeMap::new();
    tests(Path::new(ROOT), "", &mut known);
    let mut page = "# Settings by kind of run\n\nEvery setting of [the configuration](configuration.md), the kinds of run it is \
         meant for, and the test in\n`crates/piton/tests/cli` that shows it act through the real binary. This page is written by a test.\n\n\
         | setting | loop | workflow | cycle | ledger |\n|---|---|---|---|---|\n"
        .to_owned();
    let (mut pairs, mut missing) = (0, Vec::new());
    for entry in piton_config::entries() {
        let setting = entry.name();
        let cells = [Kind::Loop, Kind::Workflow, Kind::Cycle, Kind::Ledger].map(|kind| {
            if !entry.kinds.contains(&kind) {
                return "–".to_owned();
            }
            pairs += 1;
            let shown = shown_by(&setting, kind, &known);
            if shown.is_none() {
                missing.push(format!("{setting} in a {}", kind.as_str()));
            }
            shown.map_or("**nothing**".to_owned(), |test| format!("`{test}`"))
        });
        let _ = writeln!(page, "| `{setting}` | {} |", cells.join(" | "));
    }
    let _ =
        write!(page, "\n{pairs} pairs of a setting and a kind, {} shown to act.\n", pairs - missing.len());
    if std::env::var_os("PITON_WRITE_DOCS").is_some() {
        write(&page);
    }
    assert!(missing.is_empty(), "no test shows these act:\n{}", missing.join("\n"));
    assert!(
        std::fs::read_to_string(PAGE).unwrap_or_default() == page,
        "docs/settings-by-kind.md is behind; run\n  PITON_WRITE_DOCS=1 cargo nextest run -p piton every_setting_acts"
    );
}

#[expect(clippy::disallowed_methods, reason = "a test writes the page it compares")]
fn write(page: &str) {
    std::fs::write(PAGE, page).unwrap();
}

/// A name in the table that is no test's would hide a gap.
#[test]
fn what_is_named_elsewhere_is_there_and_needed() {
    let mut known = BTreeMap::new();
    tests(Path::new(ROOT), "", &mut known);
    for (setting, kind, test) in ELSEWHERE {
        assert!(known.contains_key(*test), "{test} is no test");
        let entry = piton_config::entries().find(|entry| entry.name() == *setting);
        assert!(entry.is_some_and(|entry| entry.kinds.contains(kind)), "{setting} is not for this kind");
        let here = format!("::{}", name_of(setting, *kind));
        let has_its_own = |name: &&String| name.starts_with("settings::") && name.ends_with(&here);
        assert_eq!(known.keys().find(has_its_own), None, "{setting} has a test of its own");
    }
}

#[test]
fn the_flag_of_a_setting_is_a_flag() {
    let help = crate::common::World::new().piton(&["loop", "--help"]).exits(0).out;
    for entry in piton_config::entries() {
        let Some(flag) = entry.flag else { continue };
        assert!(help.contains(flag), "`piton loop` has no {flag}");
    }
}
