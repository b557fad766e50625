//! No conversion that git offers changes a byte of a snapshot, not even through the user's index.

#[cfg(test)]
mod support;

use support::{Place, RUN};

/// Commits files with both kinds of line ends under the given settings, then compares with the disk.
fn assert_exact_under(settings: &[(&str, &str)], attributes: &str) {
    let place = Place::empty();
    for (name, value) in settings {
        place.git(&["config", name, value]);
    }
    place.write("unix.txt", b"one\ntwo\n");
    place.write("dos.txt", b"one\r\ntwo\r\n");
    place.write("mixed.txt", b"one\r\ntwo\n");
    place.write("id.c", b"/* $Id$ */\n");
    place.write("wide.txt", b"\xff\xfea\0b\0");
    if !attributes.is_empty() {
        place.write(".gitattributes", attributes.as_bytes());
    }
    place.commit("under conversion");
    // Fresh from a checkout, so that the index is sure about every file.
    for name in ["unix.txt", "dos.txt", "mixed.txt", "id.c"] {
        place.remove(name);
    }
    place.git(&["checkout", "--quiet", "--", "."]);
    place.git(&["status"]);
    let first = place.snapshot();
    place.assert_exact(&first);
    place.write("dos.txt", b"three\r\n");
    place.assert_exact(&place.snapshot());
    place.restore(&first);
    place.assert_exact(&first);
}

#[test]
fn snapshot_is_byte_exact_under_autocrlf() {
    assert_exact_under(&[("core.autocrlf", "true")], "");
    assert_exact_under(&[("core.autocrlf", "input")], "");
}

#[test]
fn snapshot_is_byte_exact_under_text_and_eol_attributes() {
    assert_exact_under(&[], "* text=auto\n");
    assert_exact_under(&[], "*.txt text eol=crlf\n");
    assert_exact_under(&[("core.eol", "crlf")], "*.txt text\n");
    assert_exact_under(&[("core.autocrlf", "true")], "*.txt crlf=input\n");
}

#[test]
fn snapshot_is_byte_exact_under_ident() {
    assert_exact_under(&[], "*.c ident\n");
}

#[test]
fn snapshot_is_byte_exact_under_an_encoding() {
    assert_exact_under(&[], "wide.txt text working-tree-encoding=UTF-16\n");
}

#[test]
fn snapshot_is_byte_exact_under_a_filter_that_keeps_the_size() {
    let rot13 = "tr a-zA-Z n-za-mN-ZA-M";
    let settings =
        [("filter.rot.clean", rot13), ("filter.rot.smudge", rot13), ("filter.rot.required", "true")];
    assert_exact_under(&settings, "*.txt filter=rot\n");
}

#[test]
fn attributes_outside_of_the_tree_do_not_count() {
    let place = Place::empty();
    place.write(".git/info/attributes", b"* text eol=crlf\n");
    place.write("a.txt", b"a\r\nb\r\n");
    place.commit("converted");
    place.git(&["status"]);
    place.assert_exact(&place.snapshot());
}

#[test]
fn conversion_that_was_switched_off_since_does_not_count() {
    let place = Place::empty();
    place.git(&["config", "core.autocrlf", "true"]);
    place.write("dos.txt", b"one\r\n");
    place.commit("stored with unix line ends");
    place.git(&["status"]);
    place.git(&["config", "core.autocrlf", "false"]);
    place.assert_exact(&place.snapshot());
}

#[test]
fn a_file_assumed_unchanged_is_read() {
    let place = Place::new();
    place.git(&["update-index", "--assume-unchanged", "a.txt"]);
    place.write("a.txt", b"b\n");
    place.assert_exact(&place.snapshot());
}

/// As when all of it happens within one tick of the clock, and the snapshot comes later.
#[test]
fn a_same_size_edit_as_young_as_the_index_is_seen() {
    for number in 0..5 {
        let place = Place::empty();
        place.write("a.txt", b"old\n");
        place.age();
        place.commit("old");
        place.write("a.txt", format!("n{number:02}\n").as_bytes());
        place.age();
        place.age_index();
        place.assert_exact(&place.snapshot());
    }
}

#[test]
fn settings_about_modes_links_and_names_lose_no_bytes() {
    for setting in ["core.fileMode", "core.symlinks", "core.trustctime", "core.quotePath"] {
        let place = Place::new();
        place.git(&["config", setting, "false"]);
        place.git(&["config", "core.precomposeUnicode", "true"]);
        place.git(&["config", "core.ignoreCase", "true"]);
        place.write_executable("run.sh", b"#!/bin/sh\n");
        place.link("link", "a.txt");
        place.write("A.txt", b"upper");
        place.write("u\u{308}", b"decomposed");
        place.git(&["add", "--all"]);
        place.git(&["commit", "--quiet", "--message", "odd"]);
        place.assert_exact(&place.snapshot());
        place.write_executable("a.txt", b"a\n");
        std::fs::set_permissions(place.path("a.txt"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        place.assert_exact(&place.snapshot());
    }
}

#[test]
fn a_seeded_index_reads_only_what_it_must() {
    let place = Place::new();
    place.git(&["status"]);
    let before: u64 = place.git(&["count-objects"]).split(' ').next().unwrap().parse().unwrap();
    let snapshot = place.open().snapshot(RUN, "clean").unwrap();
    let after: u64 = place.git(&["count-objects"]).split(' ').next().unwrap().parse().unwrap();
    assert_eq!(after - before, 1, "a clean tree adds its commit and nothing else");
    assert_eq!(place.git(&["rev-parse", "HEAD^{tree}"]), snapshot.tree.as_str());
}
