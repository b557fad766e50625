//! Nothing that a repository names is ever run.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like tests")]

#[cfg(test)]
mod support;

use std::path::PathBuf;

use piton_git::Expected;
use support::{Place, RUN, git_in, try_git};

/// A script that leaves a mark when it runs, whatever it is run as.
fn canary(place: &Place) -> (String, PathBuf) {
    let home = place.directory.path().canonicalize().unwrap().join("home");
    let mark = home.join("it-ran");
    let script = home.join("canary");
    support::write(&script, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display()).as_bytes());
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    (script.to_str().unwrap().to_owned(), mark)
}

/// Everything that this crate does, over a work tree that changes.
fn do_everything(place: &Place) {
    let workspace = place.open();
    workspace.protect_state().unwrap();
    let first = workspace.snapshot(RUN, "first").unwrap();
    place.write("a.txt", b"changed\n");
    place.write("sub/file.txt", b"new\n");
    let second = workspace.snapshot(RUN, "second").unwrap();
    workspace.diff(&first.id, &second.id).unwrap();
    workspace.diff_text(&first.id, &second.id).unwrap();
    workspace.read(&first.id).unwrap();
    workspace.restore(RUN, &first.id, Expected::Tree(&second.tree)).unwrap();
    workspace.standing().unwrap();
    workspace.stage(&second.id).unwrap();
    let identity = workspace.identity().unwrap();
    workspace.commit(&second.id, "Judged\n", &identity, &[]).unwrap();
    workspace.add_work_tree(&place.directory.path().join("beside"), "beside", None).unwrap();
    workspace.clean_stale_locks(RUN).unwrap();
    workspace.forget(RUN).unwrap();
}

#[test]
fn the_canary_of_this_test_can_sing() {
    let place = Place::new();
    let (script, mark) = canary(&place);
    place.git(&["config", "filter.evil.clean", &script]);
    place.write(".gitattributes", b"* filter=evil\n");
    place.git(&["add", "--all"]);
    assert!(mark.exists());
}

#[test]
fn hooks_settings_and_attributes_run_nothing() {
    let place = Place::new();
    let (script, mark) = canary(&place);
    for hook in [
        "pre-commit",
        "post-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
        "fsmonitor-watchman",
        "update",
        "post-rewrite",
    ] {
        place.write(format!(".git/hooks/{hook}"), &std::fs::read(&script).unwrap());
        std::fs::set_permissions(
            place.path(format!(".git/hooks/{hook}")),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
    }
    let shell = format!("!{script}");
    let included = place.directory.path().canonicalize().unwrap().join("home/included");
    support::write(&included, format!("[core]\n\tfsmonitor = {script}\n\tpager = {script}\n").as_bytes());
    let settings = [
        ("core.fsmonitor", &*script),
        ("core.sshCommand", &script),
        ("core.gitProxy", &script),
        ("core.pager", &script),
        ("core.editor", &script),
        ("core.askPass", &script),
        ("core.alternateRefsCommand", &script),
        ("filter.evil.clean", &script),
        ("filter.evil.smudge", &script),
        ("filter.evil.process", &script),
        ("filter.evil.required", "true"),
        ("diff.external", &script),
        ("diff.evil.command", &script),
        ("diff.evil.textconv", &script),
        ("merge.evil.driver", &script),
        ("gpg.program", &script),
        ("commit.gpgSign", "true"),
        ("credential.helper", &shell),
        ("alias.status", &shell),
        ("alias.write-tree", &shell),
        ("trailer.x.command", &script),
        ("remote.origin.url", "ext::sh -c evil"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
        ("gc.auto", "1"),
        ("maintenance.auto", "true"),
        ("submodule.recurse", "true"),
        ("status.submoduleSummary", "true"),
        ("include.path", included.to_str().unwrap()),
        ("core.hooksPath", ".git/hooks"),
    ];
    for (name, value) in settings {
        place.git(&["config", name, value]);
    }
    place.write(".gitattributes", b"* filter=evil diff=evil merge=evil\n");
    place.write(".git/info/attributes", b"*.txt filter=evil diff=evil\n");
    do_everything(&place);
    assert!(!mark.exists(), "{}", std::fs::read_to_string(&mark).unwrap());
}

#[test]
fn a_nested_repository_runs_nothing() {
    let place = Place::new();
    let (script, mark) = canary(&place);
    place.write("inner/file", b"f\n");
    git_in(&place.path("inner"), &["init", "--quiet"]);
    git_in(&place.path("inner"), &["add", "file"]);
    git_in(&place.path("inner"), &["commit", "--quiet", "--message", "inner"]);
    for name in
        ["core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.external", "core.sshCommand"]
    {
        git_in(&place.path("inner"), &["config", name, &script]);
    }
    place.write("inner/.gitattributes", b"* filter=evil\n");
    place.write("inner/.git/hooks/post-index-change", &std::fs::read(&script).unwrap());
    do_everything(&place);
    assert!(!mark.exists(), "{}", std::fs::read_to_string(&mark).unwrap());
}

#[test]
fn a_submodule_with_an_odd_name_runs_nothing() {
    let place = Place::new();
    let (script, mark) = canary(&place);
    let url = format!("ext::{script} %S");
    let modules =
        format!("[submodule \"../../x\"]\n\tpath = -u{script}\n\turl = {url}\n\tupdate = !{script}\n");
    place.write(".gitmodules", modules.as_bytes());
    let head = place.git(&["rev-parse", "HEAD"]);
    place.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},-u")]);
    do_everything(&place);
    assert!(!mark.exists(), "{}", std::fs::read_to_string(&mark).unwrap());
}

#[test]
fn a_branch_with_the_name_of_an_option_is_only_a_name() {
    let place = Place::new();
    let (script, mark) = canary(&place);
    let branch = "refs/heads/--upload-pack=canary".to_owned();
    place.git(&["config", "alias.canary", &format!("!{script}")]);
    place.git(&["symbolic-ref", "HEAD", &branch]);
    place.git(&["commit", "--quiet", "--allow-empty", "--message", "on an odd branch"]);
    assert_eq!(place.snapshot().branch, Some(branch));
    do_everything(&place);
    assert!(!mark.exists());
}

#[test]
fn a_ref_of_ours_that_points_elsewhere_does_not_move_a_branch() {
    let place = Place::new();
    let head = place.git(&["rev-parse", "HEAD"]);
    place.git(&["symbolic-ref", "refs/piton/runs/run-1", "refs/heads/main"]);
    place.snapshot();
    assert_eq!(place.git(&["rev-parse", "refs/heads/main"]), head);
    place.open().forget(RUN).unwrap();
    assert!(try_git(&place.root, &["rev-parse", "--verify", "refs/heads/main"]).success());
}
