//! What becomes of the failure of `check`, the only command that fails here.

use super::*;

const NONE: Options = Options { errexit: false, pipefail: false };
const ERREXIT: Options = Options { errexit: true, pipefail: false };
const PIPEFAIL: Options = Options { errexit: true, pipefail: true };

/// The fate of the first `check` of a script.
fn fate_of(text: &str, options: Options) -> Fate {
    let list = parse(text);
    let commands = list.commands();
    let check = commands.iter().find(|command| command.text().split(' ').any(|word| word == "check"));
    fate(&list, options, check.unwrap_or_else(|| panic!("no check in {text:?}: {list:#?}")))
}

#[track_caller]
fn hold(options: Options, rows: &[(&str, Fate)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, fate_of(text, options)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(text, expected, found)| format!("{text:?} is {found:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

use Fate::{Evaded, Heeded, Lost, Retried};

#[test]
fn lists_pass_a_failure_on_or_lose_it() {
    hold(
        NONE,
        &[
            ("check", Heeded),
            ("check; true", Lost),
            ("check; echo done", Lost),
            ("check\necho done", Lost),
            ("check && echo done", Heeded),
            ("check || true", Lost),
            ("check ||true", Lost),
            ("check || :", Lost),
            ("check || /bin/true", Lost),
            ("check || echo 'it failed'", Lost),
            ("check || date", Lost),
            ("check || exit 0", Lost),
            ("check || (exit 0)", Lost),
            ("check || exit $?", Heeded),
            ("check || exit", Heeded),
            ("check || exit 1", Heeded),
            ("check || exit 1; echo fine", Heeded),
            ("check || { echo failed; exit 1; }", Heeded),
            ("check || { echo failed; }", Lost),
            ("check || (echo failed; exit 1)", Heeded),
            ("check || (echo failed; exit 1); echo on", Lost),
            ("check || false", Heeded),
            ("check || die 'no'", Heeded),
            ("check && true || true", Lost),
            ("check && echo yes || exit 3", Heeded),
            ("! check", Lost),
            ("! ! check", Heeded),
            ("before && check", Heeded),
            ("before || check", Lost),
            ("exit 0\ncheck", Lost),
            ("exec check", Heeded),
            ("exec check; true", Heeded),
            ("check --flag 'a || true'", Heeded),
            ("check \"; true\"", Heeded),
            ("check # || true", Heeded),
            ("check \\\n  || true", Lost),
            ("check > log 2>&1", Heeded),
            ("check &> log || true", Lost),
            ("check <<EOF\n|| true\nexit 0\nEOF\n", Heeded),
            ("cat <<'EOF'\ncheck\nEOF\ncheck", Heeded),
        ],
    );
}

#[test]
fn errexit_ends_a_script_where_nobody_asks() {
    hold(
        ERREXIT,
        &[
            ("check; echo done", Heeded),
            ("check\necho done", Heeded),
            ("set +e\ncheck\necho done", Lost),
            ("set +e\ncheck\nexit 0", Lost),
            ("set +e\ncheck\nrc=$?\nset -e\necho done\nexit $rc", Heeded),
            ("set +e; check; rc=$?; echo $rc", Lost),
            ("check && echo done\necho on", Lost),
            ("check || echo failed\necho on", Lost),
            ("! check\necho on", Lost),
            ("if check; then echo good; fi", Lost),
            ("(check; echo done)", Heeded),
            ("(set +e; check; echo done)", Lost),
            ("{ check; echo done; }", Heeded),
            ("{ check; echo done; } || true", Lost),
            ("f() { check; echo done; }\nf", Heeded),
            ("f() { check; echo done; }\nf || true", Lost),
            ("f() { check; return 0; }\nset +e\nf", Lost),
            ("f() { check || return 1; }\nf", Heeded),
            ("run() { \"$@\" || true; }\nrun check", Lost),
            ("run() { echo \"+ $*\"; \"$@\"; }\nrun check", Heeded),
            ("run() { timeout 5 $1; }\nrun check", Heeded),
            ("trap 'exit 0' EXIT\ncheck", Lost),
            ("trap 'rm -f log' EXIT\ncheck", Heeded),
            ("trap 'exit 0' ERR\ncheck", Lost),
            ("trap 'echo failed' ERR\ncheck", Heeded),
            ("trap 'exit 0' EXIT\ntrap - EXIT\ncheck", Heeded),
            ("end() { exit 0; }\ntrap end EXIT\ncheck", Lost),
            ("set -o errexit\ncheck\ntrue", Heeded),
            ("set +o errexit\ncheck\ntrue", Lost),
            ("set -uo pipefail\ncheck\ntrue", Heeded),
        ],
    );
    hold(
        NONE,
        &[
            ("set -e\ncheck\necho done", Heeded),
            ("set -eu\ncheck\necho done", Heeded),
            ("set -euo pipefail\ncheck | tee log\necho done", Heeded),
            ("set -u\ncheck\necho done", Lost),
            ("bash -ec 'check; true'", Heeded),
            ("bash -c 'check; true'", Lost),
            ("sh -c \"check || true\"", Lost),
            ("sh -c check", Heeded),
            ("eval 'check || true'", Lost),
        ],
    );
}

#[test]
fn pipelines_and_jobs_keep_the_status_of_their_last() {
    hold(
        ERREXIT,
        &[
            ("check | cat", Lost),
            ("check | tee log", Lost),
            ("check 2>&1 | tee log\nexit ${PIPESTATUS[0]}", Heeded),
            ("check | tee log; exit \"${PIPESTATUS[0]}\"", Heeded),
            ("set -o pipefail; check | tee log", Heeded),
            ("set -o pipefail; check | tee log || true", Lost),
            ("printf x | check", Heeded),
            ("check & wait", Lost),
            ("check &\nwait $!", Heeded),
            ("check &\nwait -n", Heeded),
            ("check &", Lost),
            ("check | grep -v noise", Heeded),
        ],
    );
    hold(PIPEFAIL, &[("check | tee log", Heeded), ("set +o pipefail; check | tee log", Lost)]);
}

#[test]
fn conditions_and_variables_carry_a_status() {
    hold(
        NONE,
        &[
            ("if ! check; then exit 1; fi; echo fine", Heeded),
            ("if check; then echo good; else exit 1; fi", Heeded),
            ("if check; then echo good; else echo bad; fi", Lost),
            ("if true; then check; fi", Heeded),
            ("if false; then check; fi", Lost),
            ("if [ -n \"$CI\" ]; then check; fi", Heeded),
            ("check; if [ $? -ne 0 ]; then exit 1; fi", Heeded),
            ("check; if [ $? -ne 0 ]; then exit 0; fi", Lost),
            ("check || test $? -eq 5", Heeded),
            ("rc=0; check || rc=$?; echo $rc; exit $rc", Heeded),
            ("rc=0; check || rc=1; exit ${rc}", Heeded),
            ("check; rc=$?; rc=0; exit $rc", Lost),
            ("failed=0\ncheck || failed=1\n[ $failed = 0 ] || exit 1", Heeded),
            ("out=$(check)", Heeded),
            ("out=$(check) || exit 1; echo $out", Heeded),
            ("out=$(check); echo $out", Lost),
            ("echo \"$(check)\"", Lost),
            ("export out=$(check)", Lost),
            ("out=`check`", Heeded),
            ("[ -n \"$SKIP\" ] && exit 0\ncheck", Evaded),
            ("if [ -n \"$SKIP\" ]; then exit 0; fi\ncheck", Evaded),
            ("[ -x tool ] || exit 1\ncheck", Heeded),
            ("case $1 in -h) usage; exit 0 ;; esac\ncheck", Heeded),
            ("case $1 in a) check ;; *) echo no ;; esac", Heeded),
            ("case $1 in a) check || true ;; esac", Lost),
            ("case $1 in a) check; exit 0 ;; esac", Lost),
        ],
    );
}

#[test]
fn loops_try_again_or_go_on() {
    hold(
        NONE,
        &[
            ("check || check", Retried),
            ("check || check || check", Retried),
            ("check || { sleep 1; check; }", Retried),
            ("check || check --only-failed", Lost),
            ("until check; do sleep 1; done", Retried),
            ("while ! check; do sleep 1; done", Retried),
            ("while true; do check && break; done", Retried),
            ("for i in 1 2 3; do check && break; done", Retried),
            ("for i in 1 2 3; do\n  if check; then exit 0; fi\ndone\nexit 1", Retried),
            ("for d in a b; do (cd $d && check); done", Lost),
            ("for d in a b; do (cd $d && check) || exit 1; done", Heeded),
            ("for d in a b; do check $d || failed=1; done; exit $failed", Heeded),
            ("for d in a b; do check $d || true; done", Lost),
            ("for i in 1 2 3; do check || sleep 1; done", Lost),
        ],
    );
    hold(ERREXIT, &[("for d in a b; do check $d; done", Heeded), ("check\ncheck", Heeded)]);
}

#[test]
fn what_is_no_shell_is_read_all_the_same() {
    for text in [
        "",
        "(",
        ")",
        "((",
        "fi",
        "if",
        "case x",
        "for",
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "a |",
        "|| b",
        "&& &&",
        "<<",
        "f(",
        "check ${{ matrix.flags }}",
        "esac ;; done",
        "{ { {",
        "if then else fi",
        "\\",
        "$",
        "a=$(b",
        "! !",
        "<(a",
    ] {
        let list = parse(text);
        for command in list.commands() {
            fate(&list, NONE, command);
        }
    }
    let deep = "(".repeat(100_000);
    assert!(parse(&deep).commands().len() <= 1);
    let nested = format!("{}check{}", "$(".repeat(200), ")".repeat(200));
    parse(&nested);
    // So many ways that nobody follows them all: then nothing is said against it.
    let many: String = (0..12).map(|at| format!("[ a ] && v{at}=1 || v{at}=0\n")).collect();
    assert_eq!(fate_of(&format!("{many}check || true"), NONE), Heeded);
}

#[test]
fn commands_know_their_lines() {
    let list = parse("a\n\nb \\\n  c && d\nx <<E\ny\nE\nz");
    let found: Vec<_> = list.commands().iter().map(|command| (command.line, command.text())).collect();
    let expected = [(1, "a"), (3, "b c"), (4, "d"), (5, "x"), (8, "z")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
}
