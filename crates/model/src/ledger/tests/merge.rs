//! Three sides become one, and the file wins.

use proptest::prelude::*;

use super::*;

fn changed(gap: &str, fields: &[Field]) -> Adopted {
    Adopted::Changed { gap: gap.to_owned(), fields: fields.to_vec() }
}

#[test]
fn changes_of_different_fields_are_both_kept() {
    let base = [gap("a")];
    let file = [gap("a").with(|gap| gap.priority = 5)];
    let ours = [mark_verified(&gap("a"), NOW)];
    let merged = merge(&base, &file, &ours);
    assert_eq!(merged.gaps, [mark_verified(&gap("a"), NOW).with(|gap| gap.priority = 5)]);
    assert_eq!(merged.adopted, [changed("a", &[Field::Priority])]);
    assert_eq!(merged.overruled, []);
}

#[test]
fn where_both_changed_a_field_the_file_wins() {
    let base = [gap("a")];
    let file = [gap("a").with(|gap| gap.priority = 5)];
    let ours = [gap("a").with(|gap| gap.priority = 1)];
    let merged = merge(&base, &file, &ours);
    assert_eq!(merged.gaps, file);
    assert_eq!(merged.overruled, [Overruled::Fields { gap: "a".to_owned(), fields: vec![Field::Priority] }]);
}

#[test]
fn what_a_person_has_just_verified_is_not_flipped() {
    let base = [verified("a", 45)];
    let file = [base[0].with(|gap| gap.last_verified = Some(NOW))];
    let ours = [base[0].with(|gap| gap.status = GapStatus::Stale)];
    let merged = merge(&base, &file, &ours);
    assert_eq!(merged.gaps, file);
    assert_eq!(merged.overruled, [Overruled::Fields { gap: "a".to_owned(), fields: vec![Field::Status] }]);
}

#[test]
fn gaps_added_on_either_side_are_kept_in_the_order_of_the_file() {
    let merged = merge(&[gap("a")], &[gap("n"), gap("a")], &[gap("a"), gap("o")]);
    assert_eq!(ids(&merged.gaps), ["n", "a", "o"]);
    assert_eq!(merged.adopted, [Adopted::Added { gap: "n".to_owned() }]);
}

#[test]
fn a_gap_removed_from_the_file_is_gone_whatever_we_did() {
    let merged = merge(&[gap("a"), gap("b")], &[gap("b")], &[mark_checked(&gap("a"), NOW), gap("b")]);
    assert_eq!(merged.gaps, [gap("b")]);
    assert_eq!(merged.adopted, [Adopted::Removed { gap: "a".to_owned() }]);
    assert_eq!(merged.overruled, [Overruled::Change { gap: "a".to_owned() }]);
}

#[test]
fn a_gap_we_removed_stays_where_the_file_changed_it() {
    let file = [gap("a").with(|gap| gap.priority = 5)];
    let merged = merge(&[gap("a")], &file, &[]);
    assert_eq!(merged.gaps, file);
    assert_eq!(merged.overruled, [Overruled::Removal { gap: "a".to_owned() }]);
    assert_eq!(merge(&[gap("a")], &[gap("a")], &[]).gaps, []);
}

proptest! {
    #[test]
    fn a_file_nobody_touched_takes_all_we_want(base in any::gaps(), ours in any::gaps()) {
        let merged = merge(&base, &base, &ours);
        let mut found = merged.gaps.clone();
        let mut wanted = ours;
        found.sort_by(|a, b| a.id.cmp(&b.id));
        wanted.sort_by(|a, b| a.id.cmp(&b.id));
        prop_assert_eq!(found, wanted);
        prop_assert!(merged.adopted.is_empty() && merged.overruled.is_empty());
    }

    #[test]
    fn without_wishes_of_ours_the_file_is_taken_as_it_is(base in any::gaps(), file in any::gaps()) {
        let merged = merge(&base, &file, &base);
        prop_assert_eq!(&merged.gaps, &file);
        prop_assert!(merged.overruled.is_empty());
        prop_assert_eq!(merged.adopted.is_empty(), {
            let mut sorted = (base, file);
            sorted.0.sort_by(|a, b| a.id.cmp(&b.id));
            sorted.1.sort_by(|a, b| a.id.cmp(&b.id));
            sorted.0 == sorted.1
        });
    }

    /// Whatever the file changed stands; whatever it did not is ours.
    #[test]
    fn no_edit_of_the_file_is_ever_lost(base in any::gaps(), file in any::gaps(), ours in any::gaps()) {
        let merged = merge(&base, &file, &ours);
        let find = |gaps: &[Gap], id: &str| gaps.iter().find(|gap| gap.id == id).cloned();
        for theirs in &file {
            let before = find(&base, &theirs.id);
            let Some(after) = find(&merged.gaps, &theirs.id) else {
                prop_assert_eq!(before.as_ref(), Some(theirs), "only an untouched gap may be removed");
                continue;
            };
            for field in Field::ALL {
                if before.as_ref().is_none_or(|before| !before.same(theirs, field)) {
                    prop_assert!(after.same(theirs, field), "{} of {}", field, theirs.id);
                }
            }
        }
        for gap in base.iter().filter(|gap| find(&file, &gap.id).is_none()) {
            prop_assert_eq!(find(&merged.gaps, &gap.id), None, "removed by hand");
        }
    }

    #[test]
    fn merging_again_changes_nothing(base in any::gaps(), file in any::gaps(), ours in any::gaps()) {
        let merged = merge(&base, &file, &ours);
        let again = merge(&file, &merged.gaps, &merged.gaps);
        prop_assert_eq!(again.gaps, merged.gaps);
        prop_assert!(again.overruled.is_empty());
    }
}
