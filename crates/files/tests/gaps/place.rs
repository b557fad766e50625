//! The file among people, editors and git.

use std::fs::{OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use piton_files::gaps::{UpdateError, render};
use piton_model::ledger::{Adopted, Field, Gap, Overruled};

use crate::support::{NOW, Scratch, gap, with};

const TWO: &str = "# ours\ngaps:\n- id: a # first\n  category: market\n- id: b\n  category: market\n";

#[test]
fn the_mode_of_the_file_is_kept() {
    let scratch = Scratch::new(TWO);
    for mode in [0o600, 0o640, 0o664] {
        std::fs::set_permissions(scratch.path("gaps.yaml"), Permissions::from_mode(mode)).unwrap();
        scratch.update("a", |gap| gap.priority = 1 + i64::from(mode) % 5).unwrap();
        assert_eq!(std::fs::metadata(scratch.path("gaps.yaml")).unwrap().mode() & 0o777, mode);
    }
}

#[test]
fn a_symbolic_link_is_never_replaced() {
    let scratch = Scratch::empty();
    piton_sys::file::write_atomic(
        &scratch.path("real.yaml"),
        TWO.as_bytes(),
        piton_sys::file::Durability::Unsynced,
    )
    .unwrap();
    symlink(scratch.path("real.yaml"), scratch.path("gaps.yaml")).unwrap();
    let error = scratch.update("a", |gap| gap.priority = 1).unwrap_err();
    assert!(matches!(error, UpdateError::File(_)), "{error:?}");
    assert!(scratch.path("gaps.yaml").is_symlink());
    assert_eq!(scratch.text(), TWO);
}

#[test]
fn a_link_that_appears_in_between_is_put_back() {
    let scratch = Scratch::new(TWO);
    let outside = scratch.path("outside");
    piton_sys::file::write_atomic(&outside, b"precious", piton_sys::file::Durability::Unsynced).unwrap();
    let error = scratch.ledger().update(|gaps| {
        std::fs::remove_file(scratch.path("gaps.yaml")).unwrap();
        symlink(&outside, scratch.path("gaps.yaml")).unwrap();
        with(gaps, "a", |gap| gap.priority = 1)
    });
    assert!(matches!(error, Err(UpdateError::File(_))), "{error:?}");
    assert!(scratch.path("gaps.yaml").is_symlink());
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "precious");
}

#[test]
fn an_edit_in_between_is_merged() {
    let scratch = Scratch::new(TWO);
    let edited = TWO.replace("# ours", "# yours").replace("- id: b\n", "- id: b\n  priority: 5\n")
        + "- id: c\n  category: new\n";
    let updated = scratch
        .ledger()
        .update(|gaps| {
            scratch.write(&edited);
            with(gaps, "a", |gap| gap.last_checked = Some(NOW))
        })
        .unwrap();
    assert_eq!(
        scratch.text(),
        edited.replace(
            "# first\n  category: market\n",
            "# first\n  category: market\n  last_checked: '2026-02-15T12:00:00+00:00'\n",
        )
    );
    assert_eq!(
        updated.adopted,
        [
            Adopted::Changed { gap: "b".to_owned(), fields: vec![Field::Priority] },
            Adopted::Added { gap: "c".to_owned() }
        ]
    );
    assert_eq!((updated.wrote, updated.overruled), (true, vec![]));
    assert_eq!((updated.gaps, updated.text), (scratch.gaps(), scratch.text()));
}

#[test]
fn where_an_edit_in_between_says_otherwise_the_file_wins() {
    let scratch = Scratch::new(TWO);
    let edited = TWO.replace("# first\n", "# first\n  priority: 5\n");
    let updated = scratch
        .ledger()
        .update(|gaps| {
            scratch.write(&edited);
            with(gaps, "a", |gap| gap.priority = 1)
        })
        .unwrap();
    assert_eq!(scratch.text(), edited);
    assert_eq!(updated.overruled, [Overruled::Fields { gap: "a".to_owned(), fields: vec![Field::Priority] }]);
}

#[test]
fn an_edit_in_between_that_does_not_parse_is_put_back() {
    let scratch = Scratch::new(TWO);
    let half_written = "gaps:\n- id: a\n  categ: [";
    let error = scratch.ledger().update(|gaps| {
        scratch.write(half_written);
        with(gaps, "a", |gap| gap.priority = 1)
    });
    assert!(matches!(error, Err(UpdateError::Invalid { .. })), "{error:?}");
    assert_eq!(scratch.text(), half_written);
    // Once it is mended, all goes on.
    scratch.write(TWO);
    scratch.update("a", |gap| gap.priority = 1).unwrap();
    assert_eq!(scratch.gaps()[0].priority, 1);
}

#[test]
fn a_file_that_is_being_filled_is_left_alone() {
    let scratch = Scratch::new(TWO);
    let mut editor = None;
    let error = scratch.ledger().update(|gaps| {
        // What a shell does for `>`: the same file, empty, then filled.
        editor = OpenOptions::new().write(true).truncate(true).open(scratch.path("gaps.yaml")).ok();
        with(gaps, "a", |gap| gap.priority = 1)
    });
    assert!(matches!(error, Err(UpdateError::Emptied(_))), "{error:?}");
    editor.unwrap().write_all(TWO.as_bytes()).unwrap();
    assert_eq!(scratch.text(), TWO);
}

#[test]
fn an_edit_in_between_that_does_not_fit_is_put_back() {
    let scratch = Scratch::new(TWO);
    let edited = TWO.replace("# first\n", "# first\n  blocks: [b]\n");
    let error = scratch.ledger().update(|gaps| {
        scratch.write(&edited);
        Ok::<_, String>(gaps[..1].to_vec())
    });
    assert!(matches!(error, Err(UpdateError::Rewrite(_))), "{error:?}");
    assert_eq!(scratch.text(), edited);
}

#[test]
fn a_file_that_comes_or_goes_in_between_is_an_edit_too() {
    let scratch = Scratch::empty();
    let add = |gaps: &[Gap]| Ok::<_, String>([gaps, &[gap("new")]].concat());
    scratch
        .ledger()
        .update(|gaps| {
            scratch.write(TWO);
            add(gaps)
        })
        .unwrap();
    assert_eq!(scratch.text(), format!("{TWO}- id: new\n  category: market\n"));
    scratch
        .ledger()
        .update(|gaps| {
            std::fs::remove_file(scratch.path("gaps.yaml")).unwrap();
            with(gaps, "a", |gap| gap.priority = 1).map(|gaps| [&gaps[..], &[gap("newer")]].concat())
        })
        .unwrap();
    assert_eq!(scratch.text(), render(&[gap("newer")]));
}

#[test]
fn an_editor_that_had_the_file_open_is_heard_at_the_next_write() {
    let scratch = Scratch::new(TWO);
    let mut open = OpenOptions::new().append(true).open(scratch.path("gaps.yaml")).unwrap();
    scratch.update("a", |gap| gap.priority = 1).unwrap();
    open.write_all(b"- id: late\n  category: market\n").unwrap();
    let updated = scratch.update("b", |gap| gap.priority = 2).unwrap();
    assert_eq!(updated.adopted, [Adopted::Added { gap: "late".to_owned() }]);
    let gaps = scratch.gaps();
    assert_eq!(
        gaps.iter().map(|gap| (gap.id.as_str(), gap.priority)).collect::<Vec<_>>(),
        [("a", 1), ("b", 2), ("late", 3)]
    );
    // Heard once.
    assert_eq!(scratch.update("b", |gap| gap.priority = 3).unwrap().adopted, []);
}

#[test]
fn a_late_edit_that_does_not_parse_is_kept_for_a_person() {
    let scratch = Scratch::new(TWO);
    let mut open = OpenOptions::new().append(true).open(scratch.path("gaps.yaml")).unwrap();
    scratch.update("a", |gap| gap.priority = 1).unwrap();
    open.write_all(b"- id: [").unwrap();
    let updated = scratch.update("b", |gap| gap.priority = 2).unwrap();
    assert_eq!(std::fs::read_to_string(&updated.kept[0]).unwrap(), format!("{TWO}- id: ["));
    assert_eq!(scratch.update("b", |gap| gap.priority = 3).unwrap().kept, Vec::<std::path::PathBuf>::new());
}

#[test]
fn little_is_left_aside() {
    let scratch = Scratch::new(TWO);
    for number in 0..20 {
        scratch.update("a", |gap| gap.priority = 1 + number % 5).unwrap();
    }
    assert!(scratch.left_aside().len() <= 2, "{:?}", scratch.left_aside());
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let ids: Vec<String> = (0..4).map(|number| format!("g{number}")).collect();
    let gaps: Vec<Gap> = ids.iter().map(|id| gap(id)).collect();
    let scratch = Scratch::new(&render(&gaps));
    std::thread::scope(|scope| {
        for id in &ids {
            let scratch = &scratch;
            scope.spawn(move || {
                for number in 1..=25 {
                    scratch.update(id, |gap| gap.ttl_days = Some(gap.ttl_days.unwrap_or(0) + 1)).unwrap();
                    let found = scratch.gaps().into_iter().find(|gap| gap.id == *id).unwrap();
                    assert_eq!(found.ttl_days, Some(number));
                }
            });
        }
    });
    assert!(scratch.gaps().iter().all(|gap| gap.ttl_days == Some(25)));
}
