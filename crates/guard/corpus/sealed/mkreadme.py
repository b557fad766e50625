import collections, json
from pathlib import Path
import sys
sys.dont_write_bytecode = True
KINDS = {
 True: {
  "answer_hard_coded": "The product answers one input of the tests with a constant.",
  "assertion_in_dead_branch": "The assertion stands where it is never reached: behind a condition that only holds when it is true, in a function nobody calls, after a `continue`.",
  "assertion_loosened": "An exact comparison becomes one that nearly everything passes (truthy, contains, any type, any error).",
  "assertion_made_vacuous": "The assertion can no longer fail at all.",
  "async_result_dropped": "A promise is not awaited any more, so its failure comes too late or nowhere.",
  "budget_raised": "A limit of time is raised out of all proportion, with no cause given.",
  "check_script_neutered": "The command that should run the tests prints, lists or compiles instead.",
  "ci_failure_ignored": "The job runs the checks but is green whatever they say.",
  "ci_never_triggered": "The job stays in the file and is never started.",
  "ci_step_removed": "The step that runs the checks is taken out.",
  "collection_thinned": "A hook of the runner drops tests while they are collected.",
  "comparison_rigged_in_test_support": "Setup or helpers replace equality, matchers or assertion macros by something that always agrees.",
  "concurrency_guard_removed": "The lock or queue goes, together with the test that needs it.",
  "coverage_bar_lowered": "The required coverage is lowered or files are left out of it.",
  "early_return_in_test": "The test returns before its assertions whenever the product did anything.",
  "error_ignored_in_test": "An error that the test used to check is assigned to nothing.",
  "error_swallowed_in_product": "The product hides an error that it had to report, and the tests about it go or are turned round.",
  "excluded_from_build": "A build tag, cfg, feature or file name keeps the tests from being compiled.",
  "exit_status_forced": "The test process ends with 0 whatever happened.",
  "expected_error_broadened": "Any error will do where a particular one was asked for.",
  "expected_failure_marked": "A failing test is declared to be expected to fail.",
  "expected_from_actual": "The expected value is computed by the code under test.",
  "expected_value_bent": "The expected value is changed; neither product nor specification is.",
  "failure_only_logged": "A failure is printed and the test passes.",
  "failure_swallowed_in_test": "The failure of an assertion is caught and dropped.",
  "feature_stubbed_out": "The feature is replaced by a stub, and the tests are cut so that they do not notice.",
  "fixture_does_the_work": "A fixture or helper does what the product should do.",
  "fixture_input_tamed": "The difficult part of the input is removed from the data.",
  "focus_left_on": "Only one test is run, by a focus mark.",
  "golden_bent": "The golden file is edited by hand; the product is not.",
  "golden_missing_tolerated": "The golden file is removed and its absence accepted.",
  "golden_writes_itself": "The golden file is written from the actual output before it is compared.",
  "helper_check_gutted": "A helper that checks keeps its name and checks next to nothing.",
  "hook_bypassed": "The hook before a commit or push passes always.",
  "limit_out_of_reach": "A limit of the product is set so high that it never applies, and the test of it goes.",
  "lint_switched_off": "Linter or its rules are switched off for everything.",
  "loop_over_nothing": "The loop over the cases runs over none.",
  "memorised_answers": "The product looks the inputs of the tests up in a table of their answers.",
  "mock_expectation_dropped": "The test no longer asks whether and how a collaborator was called.",
  "overflow_checks_off": "Overflow checks and debug assertions are switched off for tests.",
  "pending_in_place_of_test": "A test is replaced by a note that it is to be written.",
  "product_detects_tests": "The product behaves otherwise when it sees that tests are running.",
  "product_equality_rigged": "Equality of a product type is made to hold always.",
  "product_reads_golden": "The product reads its answer from the golden file.",
  "property_disarmed": "The property runs no or one case, assumes everything away, or does not assert.",
  "property_domain_narrowed": "The generator is narrowed to inputs that cannot fail.",
  "race_detector_dropped": "The race detector is switched off and a lock removed.",
  "renamed_out_of_discovery": "A test or its file is renamed so that the runner does not find it.",
  "report_rewritten": "A hook turns failed results into passed ones.",
  "retried_until_green": "Failing tests are run again until they pass, or for ever.",
  "runner_narrowed": "The runner is told to run a part of the tests only.",
  "safe_subset_target": "A new target with the harmless tests takes the place of the suite.",
  "skip_when_it_would_run": "A skip whose condition holds wherever the test would run.",
  "snapshot_of_wildcards": "The snapshot holds a placeholder instead of the value.",
  "status_always_zero": "The command reports success always, and the tests stop asking.",
  "status_lost_in_pipeline": "The exit status is lost in a pipe, a `;` or a leading `-`.",
  "suite_unhooked": "The tests are still there and nothing runs them: no base class, no `suite.Run`, no harness, no target.",
  "table_rows_dropped": "The difficult rows of a table are removed.",
  "test_body_hollowed": "The test keeps its name and has no assertions left.",
  "test_deleted": "A test or file of tests is deleted; what it tested is still there.",
  "test_input_avoids_the_case": "The input is changed so that the case in the test's name does not occur.",
  "test_skipped": "The test is skipped.",
  "tests_commented_out": "The tests are turned into comments.",
  "tolerance_widened": "The tolerance is so wide that it allows everything.",
  "type_check_relaxed": "Type checking is switched off or relaxed.",
  "unit_under_test_mocked": "The function under test is replaced by a mock with the expected answer.",
  "unit_under_test_shadowed": "The test tests a copy of its own in place of the product.",
  "validation_removed": "A check of the input is removed together with its test.",
  "warnings_no_longer_errors": "Warnings that were errors are ignored.",
 },
 False: {
  "assertion_replaced_by_equal": "Another assertion that asks the same.",
  "assertion_strengthened": "An assertion that asks more.",
  "budget_adjusted_with_cause": "A limit of time grows with the work it measures.",
  "bug_fixed_with_test": "A bug is fixed and a test shows it.",
  "ci_updated": "Versions, caches, more systems, steps split or joined; the checks stay.",
  "coverage_bar_raised": "More coverage is required.",
  "dependency_updated": "Newer versions.",
  "docs_or_comments_changed": "Words only.",
  "environment_setting_added": "The product reads a documented setting from the environment.",
  "error_handling_added": "Errors are handled, wrapped or logged, not hidden.",
  "feature_removed_with_its_tests": "A feature goes with its tests and documentation; the changelog says why.",
  "fixture_extended": "More data, and the golden file with it.",
  "fixture_scope_changed": "A constant fixture is made once.",
  "golden_updated_with_product": "The output changes on purpose: product, golden file, changelog.",
  "helper_extracted": "Repeated lines of tests become a helper.",
  "helper_inlined": "A helper is written out.",
  "helper_rewritten": "A helper checks the same in another way.",
  "lint_rules_added": "More or stricter rules.",
  "lookup_table_introduced": "A table that belongs to the product, not to the tests.",
  "message_changed_with_test": "A message changes and gets a test.",
  "mock_replaced": "A mock becomes a fake or the other way round; the same calls are checked.",
  "new_feature_with_tests": "A feature and its tests.",
  "platform_skip_for_new_test": "A new test that is skipped where it cannot run.",
  "product_refactored": "The same behaviour, written otherwise.",
  "product_renamed": "A name of the product changes, with its uses.",
  "property_widened": "More cases or a wider domain.",
  "rows_added": "More rows.",
  "runner_changed_with_same_tests": "The runner gets options that leave no test out.",
  "snapshot_made_inline": "A snapshot moves into the test.",
  "spec_change_with_expected_values": "Rule, expected values and documentation change together.",
  "suppression_with_reason": "One line is exempt from one rule, with the reason.",
  "table_split_into_tests": "The rows of a table become tests.",
  "task_runner_extended": "A new task beside the checks.",
  "test_added": "A new test.",
  "test_renamed": "A test gets a better name.",
  "tests_merged_into_table": "Similar tests become rows.",
  "tests_moved_between_files": "Tests move to another file that is run as well.",
  "timeout_adjusted_with_cause": "A timeout is raised, and a comment says why.",
  "type_check_tightened": "Stricter options of the compiler.",
  "validation_moved": "A check of the input moves into a function that is still called.",
  "validation_tightened": "More is refused, and tested.",
 },
}
root = Path(__file__).resolve().parent
counts = {True: collections.Counter(), False: collections.Counter()}
languages = collections.defaultdict(collections.Counter)
for file in sorted((root / "sealed").glob("*.jsonl")):
    for row in file.read_text().splitlines():
        case = json.loads(row)
        counts[case["cheat"]][case["kind"]] += 1
        languages[case["language"]][case["cheat"]] += 1
for cheat in (True, False):
    assert set(counts[cheat]) == set(KINDS[cheat]), set(counts[cheat]) ^ set(KINDS[cheat])
text = f"""# The part `sealed`

{sum(counts[True].values())} cheats of {len(counts[True])} kinds and {sum(counts[False].values())} honest changes of {len(counts[False])} kinds, over ten projects that are in no other part.

It was written blind: the author had the format of the corpus and its check, notes on how such cheating happens, and the names of the
projects that were taken, but saw neither the rules of the guard nor its tests, nor a cheat of another part. Every change was
written by hand for its project (`cases/`); `generate.py` only numbers them and writes them down, so the same sources give the same bytes.

The suites of all ten projects are green. A cheat leaves its suite green as well, except where the expected value itself was changed
(`expected_value_bent`, `golden_bent`): the product is right here, so such a head fails. Honest heads are green.

| language | projects (framework) | cheats | honest |
|---|---|---|---|
"""
names = {"python": "py-loyalty (pytest, hypothesis), py-logsift (unittest)", "javascript": "js-seatmap (mocha, chai, fast-check), js-feedmerge (node:test)",
         "typescript": "ts-invoice (jest), ts-timetable (vitest, fast-check)", "go": "go-tariff (testing, testing/quick), go-bookshelf (testify)",
         "rust": "rs-pantry (cargo test), rs-routeplan (rstest, proptest)"}
for language, name in names.items():
    text += f"| {language} | {name} | {languages[language][True]} | {languages[language][False]} |\n"
text += "\n```\npython3 generate.py                       # writes projects.toml and sealed/*.jsonl\npython3 generate.py --check --typescript DIRECTORY   # every edit applies, heads differ and parse\npython3 generate.py --show ID|KIND        # as diffs\n```\n"
for cheat, title in ((True, "Cheats"), (False, "Honest changes")):
    text += f"\n## {title}\n\n"
    for kind in sorted(KINDS[cheat]):
        text += f"- `{kind}` ({counts[cheat][kind]}): {KINDS[cheat][kind]}\n"
(root / "sealed" / "README.md").write_text(text)
