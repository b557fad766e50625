//! Table 1: the state writer.

use std::os::unix::fs::MetadataExt;

use piton_files::gaps::{Document, RewriteError, UpdateError, render};
use piton_model::ledger::{Gap, GapStatus};

use crate::support::{NOW, Scratch, gap, verified};

fn sample() -> Vec<Gap> {
    let pricing = verified("pricing").with(|gap| {
        gap.priority = 5;
        gap.ttl_days = Some(14);
        gap.blocks = vec!["teams".to_owned()];
        gap.findings = "Two plans: \"free\" and é.\nMore to come.".to_owned();
    });
    vec![pricing, gap("teams").with(|gap| gap.blocked_by = vec!["pricing".to_owned()]), gap("legal")]
}

#[test]
fn save_load_roundtrip() {
    let scratch = Scratch::empty();
    scratch.ledger().update(|_| Ok::<_, String>(sample())).unwrap();
    assert_eq!(scratch.gaps(), sample());
    assert_eq!(scratch.text(), render(&sample()));
}

/// Instead of a mocked writer: the file that is there afterwards is another one, which took the name of the first.
#[test]
fn save_uses_atomic_write() {
    let scratch = Scratch::new(&render(&sample()));
    let inode = || std::fs::metadata(scratch.path("gaps.yaml")).unwrap().ino();
    let mut held = std::fs::File::open(scratch.path("gaps.yaml")).unwrap();
    let before = inode();
    scratch.update("pricing", |gap| gap.priority = 1).unwrap();
    assert_ne!(inode(), before);
    let seen_by_a_reader = std::io::read_to_string(&mut held).unwrap();
    assert_eq!(seen_by_a_reader, render(&sample()), "whoever had it open sees a whole file");
}

#[test]
fn gap_to_dict_converts_enum() {
    assert!(render(&[verified("a")]).contains("\n  status: verified\n"));
}

#[test]
fn gap_to_dict_omits_defaults() {
    assert_eq!(render(&[gap("a")]), "gaps:\n- id: a\n  category: market\n");
}

/// A vector stands for the tuple; in the file it is a list.
#[test]
fn gap_to_dict_converts_tuples() {
    assert!(render(&sample()).contains("\n  blocks:\n  - teams\n"));
}

#[test]
fn update_gap_changes_field() {
    let scratch = Scratch::new(&render(&sample()));
    let updated = scratch.update("pricing", |gap| gap.priority = 1).unwrap();
    assert!(updated.wrote);
    let mut expected = sample();
    expected[0].priority = 1;
    assert_eq!(scratch.gaps(), expected);
    assert_eq!((updated.gaps, updated.text), (expected, scratch.text()));
}

#[test]
fn update_gap_unknown_id_raises() {
    let scratch = Scratch::new(&render(&sample()));
    let error = scratch.update("nonexistent", |gap| gap.priority = 1).unwrap_err();
    assert!(matches!(error, UpdateError::Wish(text) if text == "no gap `nonexistent`"));
    assert_eq!(scratch.text(), render(&sample()));
    let empty = Scratch::empty();
    assert!(matches!(empty.update("a", |_| {}), Err(UpdateError::Wish(_))));
    assert!(!empty.path("gaps.yaml").exists());
}

#[test]
fn update_gap_invalid_state_raises() {
    let scratch = Scratch::new(&render(&sample()));
    let error = scratch.update("legal", |gap| gap.status = GapStatus::Verified).unwrap_err();
    let UpdateError::Rewrite(RewriteError::Invalid(invalid)) = error else { panic!("{error:?}") };
    assert_eq!(invalid.problems[0].message, "Gap 'legal' is verified but has no last_verified");
    assert_eq!(scratch.text(), render(&sample()));
}

#[test]
fn update_gap_preserves_others() {
    let text = "# by hand\ngaps:\n  - {id: a, category: c}   # keep\n\n  - id: b\n    category: c\n    colour: red\n";
    let scratch = Scratch::new(text);
    scratch.update("b", |gap| gap.last_checked = Some(NOW)).unwrap();
    let inserted = "    category: c\n    last_checked: '2026-02-15T12:00:00+00:00'\n    colour: red\n";
    assert_eq!(scratch.text(), text.replace("    category: c\n    colour: red\n", inserted));
}

#[test]
fn an_update_that_changes_nothing_writes_nothing() {
    let scratch = Scratch::new(&render(&sample()));
    let inode = || std::fs::metadata(scratch.path("gaps.yaml")).unwrap().ino();
    let before = inode();
    assert!(!scratch.update("legal", |_| {}).unwrap().wrote);
    assert_eq!(inode(), before);
}

#[test]
fn a_file_that_is_not_sound_is_never_written() {
    let text = "gaps:\n- id: a\n  category: c\n- id: b\n  category: c: d\n";
    let scratch = Scratch::new(text);
    let error = scratch.update("a", |gap| gap.priority = 1).unwrap_err();
    assert!(
        error.to_string().contains("gaps.yaml` is not a sound ledger:\nline 5: Invalid YAML: "),
        "{error}"
    );
    assert_eq!(scratch.text(), text);
    assert!(Document::parse(text.as_bytes()).is_err());
}
