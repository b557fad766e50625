use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::opener::{Source, new_identity};

const HERE: Place<'_> = Place::Events { run: "r", seq: 1 };

struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    #[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
    fn key_file(&self, name: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        if !path.exists() {
            std::fs::write(&path, &*new_identity("now").0).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        path
    }

    fn openers(&self, name: &str) -> Openers {
        Openers { sources: vec![Source::File(self.key_file(name))], recipients: Vec::new() }
    }

    fn ring(&self, name: &str) -> Ring {
        Ring::new(self.directory.path().join("keys"), self.openers(name), true)
    }
}

#[test]
fn what_one_process_seals_another_opens() {
    let fixture = Fixture::new();
    let kept = fixture.ring("a").seal(&HERE, 0, b"words".to_vec()).unwrap();
    assert_ne!(kept.key, KeyId::NONE);
    assert_eq!(&*fixture.ring("a").open(kept.key, &HERE, 0, &kept.bytes).unwrap(), b"words");
}

#[test]
fn without_what_opens_it_a_piece_is_missing_its_key_and_never_damaged() {
    let fixture = Fixture::new();
    let kept = fixture.ring("a").seal(&HERE, 0, b"words".to_vec()).unwrap();
    let error = fixture.ring("b").open(kept.key, &HERE, 0, &kept.bytes).unwrap_err();
    assert!(matches!(&error, Error::NoKey { key, .. } if *key == kept.key), "{error}");
    assert!(error.hint().unwrap().contains("key_file"));
    assert!(matches!(crate::NoKeys.open(kept.key, &HERE, 0, &kept.bytes), Err(Error::NoKey { .. })));
}

#[test]
fn to_seal_without_anything_that_opens_it_is_refused_and_writes_nothing() {
    let fixture = Fixture::new();
    let directory = fixture.directory.path().join("keys");
    let (_, public) = new_identity("now");
    for openers in [
        Openers::default(),
        Openers { sources: vec![Source::File(directory.join("none"))], recipients: Vec::new() },
        // Somebody else could open it, and this process could not.
        Openers { sources: Vec::new(), recipients: vec![public] },
    ] {
        let ring = Ring::new(directory.clone(), openers, true);
        assert!(matches!(ring.require(), Err(Error::CannotSeal { .. })));
        assert!(ring.seal(&HERE, 0, b"words".to_vec()).is_err());
        assert!(!directory.exists());
    }
}

#[test]
fn after_a_rotation_new_pieces_have_a_new_key_and_old_ones_open_with_what_is_given_now() {
    let fixture = Fixture::new();
    let old = fixture.ring("a").seal(&HERE, 0, b"old".to_vec()).unwrap();
    let ring = fixture.ring("b");
    let rotated = ring.rotate(&fixture.openers("a")).unwrap();
    assert_eq!((rotated.rewrapped, rotated.left), (vec![old.key], vec![]));
    let new = ring.seal(&HERE, 0, b"new".to_vec()).unwrap();
    assert_eq!(Some(new.key), rotated.new);
    assert_ne!(new.key, old.key);
    let later = fixture.ring("b");
    assert_eq!(&*later.open(old.key, &HERE, 0, &old.bytes).unwrap(), b"old");
    assert_eq!(&*later.open(new.key, &HERE, 0, &new.bytes).unwrap(), b"new");
    assert!(fixture.ring("a").open(old.key, &HERE, 0, &old.bytes).is_err(), "who was left out is out");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn a_key_whose_file_is_damaged_is_read_from_its_spare() {
    let fixture = Fixture::new();
    let kept = fixture.ring("a").seal(&HERE, 0, b"words".to_vec()).unwrap();
    let name = format!("{}.json", kept.key);
    let (file, spare) = (
        fixture.directory.path().join("keys").join(&name),
        fixture.directory.path().join("keys/spare").join(&name),
    );
    std::fs::write(&file, b"{").unwrap();
    assert_eq!(&*fixture.ring("a").open(kept.key, &HERE, 0, &kept.bytes).unwrap(), b"words");
    std::fs::write(&spare, b"{").unwrap();
    let error = fixture.ring("a").open(kept.key, &HERE, 0, &kept.bytes).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

#[test]
fn many_that_begin_at_once_agree_on_one_key() {
    let fixture = Fixture::new();
    fixture.key_file("a");
    let ids: std::collections::BTreeSet<KeyId> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| fixture.ring("a").seal(&HERE, 0, vec![1]).unwrap().key)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ids.len(), 1);
}

#[test]
fn a_ring_that_does_not_seal_makes_no_keys_and_opens_what_was_sealed_before() {
    let fixture = Fixture::new();
    let kept = fixture.ring("a").seal(&HERE, 0, b"words".to_vec()).unwrap();
    let off = Ring::new(fixture.directory.path().join("keys"), fixture.openers("a"), false);
    assert_eq!(off.seal(&HERE, 0, b"plain".to_vec()).unwrap().key, KeyId::NONE);
    assert_eq!(&*off.open(kept.key, &HERE, 0, &kept.bytes).unwrap(), b"words");
    let elsewhere = fixture.directory.path().join("none");
    Ring::new(elsewhere.clone(), fixture.openers("a"), false).require().unwrap();
    assert!(!elsewhere.exists());
}

#[test]
fn of_several_records_of_one_key_the_one_that_opens_here_is_kept_wherever_it_stands() {
    let fixture = Fixture::new();
    let kept = fixture.ring("a").seal(&HERE, 0, b"words".to_vec()).unwrap();
    let for_a = fixture.ring("a").record(kept.key).unwrap().unwrap();
    fixture.ring("b").rotate(&fixture.openers("a")).unwrap();
    let for_b = fixture.ring("b").record(kept.key).unwrap().unwrap();
    let elsewhere =
        |name: &str, key: &str| Ring::new(fixture.directory.path().join(name), fixture.openers(key), false);
    let opens = |ring: &Ring| ring.open(kept.key, &HERE, 0, &kept.bytes).is_ok();
    for (name, records) in [("first", [&for_a, &for_b]), ("second", [&for_b, &for_a])] {
        for key in ["a", "b"] {
            let place = format!("{name}-{key}");
            elsewhere(&place, key).keep(&records.map(Clone::clone)).unwrap();
            assert!(opens(&elsewhere(&place, key)), "{place}");
        }
        // Whoever could open neither leaves a way for whoever can.
        let place = format!("{name}-c");
        fixture.key_file("c");
        elsewhere(&place, "c").keep(&records.map(Clone::clone)).unwrap();
        assert!(!opens(&elsewhere(&place, "c")) && opens(&elsewhere(&place, "b")), "{place}");
    }
    // What does not open here gives way to what does.
    elsewhere("later", "b").keep(std::slice::from_ref(&for_a)).unwrap();
    assert!(!opens(&elsewhere("later", "b")));
    elsewhere("later", "b").keep(&[for_b]).unwrap();
    assert!(opens(&elsewhere("later", "b")));
}
