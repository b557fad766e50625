//! Encryption: what is kept cannot be read without its key, is never taken for damaged, and never written open where it was to be encrypted.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::common::{World, eventually};

/// Words that nothing but the work itself says.
const TASK: &str = "canary-of-the-task-7c1f";
const PRINTED: &str = "canary-of-the-output-93ab";
const REPORTED: &str = "canary-of-the-report-51d0";
const CANARIES: [&str; 3] = [TASK, PRINTED, REPORTED];

const VAULT: &str = "[vault]\nencrypt = true\nkey_file = \"../key\"\n";

/// A world with a key file and this configuration.
fn with_a_key(configuration: &str) -> World {
    let world = World::new();
    new_key(&world, "key");
    world.configure(configuration);
    world
}

fn new_key(world: &World, name: &str) -> String {
    let made = world.json(&["key", "new", "--out", &world.beside(name).display().to_string()]);
    made["recipient"].as_str().unwrap().to_owned()
}

/// A loop of two iterations whose every word is a canary.
fn work(world: &World, run: &str) {
    let agent = format!(
        "echo {PRINTED}; echo {PRINTED} >&2; printf '{{\"summary\":\"{REPORTED}\"}}' > $PITON_REPORT; \
         if [ $PITON_ITERATION = 2 ]; then echo b > b.txt; else echo x >> a.txt; fi"
    );
    let check = "test=test -f b.txt";
    world.shell("rm -f b.txt").exits(0);
    world.piton(&["loop", TASK, "--id", run, "--exec", &agent, "--check", check]).exits(0);
}

/// Files below `root` that hold one of the canaries, however deep.
fn found_in(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().flatten().map(|entry| entry.path()));
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        for canary in CANARIES {
            if bytes.windows(canary.len()).any(|window| window == canary.as_bytes()) {
                found.push((path.clone(), canary));
            }
        }
    }
    found
}

#[test]
fn a_run_whose_journal_is_encrypted_works_like_any_other() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let shown = world.piton(&["log", "r", "--json"]).exits(0).out;
    CANARIES.iter().filter(|canary| **canary != PRINTED).for_each(|canary| assert!(shown.contains(canary)));
    assert_eq!(world.json(&["ls"])[0]["title"], TASK);
    assert!(world.piton(&["output", "r", "1"]).exits(0).out.contains(PRINTED));
    world.piton(&["verify"]).exits(0);
    world.piton(&["backup", "create"]).exits(0);
    // Beside what the page about encryption names, and what is git's.
    assert_eq!(found_in(&world.path(".piton")), []);
    assert_eq!(found_in(&world.path(".ralph")), []);
    let keys = world.json(&["key", "status"]);
    assert_eq!((&keys["keys"][0]["opens"], &keys["open_pieces"]), (&true.into(), &0.into()), "{keys:#}");
    assert!(keys["keys"][0]["pieces"].as_u64().unwrap() > 5, "{keys:#}");
}

#[test]
fn the_state_file_is_an_age_file_and_export_gives_it_in_the_clear() {
    for compress in [false, true] {
        let world = with_a_key(&format!("{VAULT}compress = {compress}\n"));
        work(&world, "r");
        assert!(!world.path(".ralph/state.json").exists());
        let covered = std::fs::read(world.path(".ralph/state.json.age")).unwrap();
        assert!(covered.starts_with(b"age-encryption.org/v1"));
        let exported = world.piton(&["export", "r", "--format", "ralph"]).exits(0).out;
        let state: serde_json::Value = serde_json::from_str(&exported).unwrap();
        assert_eq!(state["loop_id"], "r");
        if compress {
            assert!(covered.len() < exported.len(), "{} of {}", covered.len(), exported.len());
        }
        world.shell("rm .ralph/state.json.age").exits(0);
        world.piton(&["rebuild", "r"]).exits(0);
        assert!(world.path(".ralph/state.json.age").exists() && !world.path(".ralph/state.json").exists());
        // Nobody calls it the agent's work.
        assert_eq!(world.git(&["status", "--porcelain", "--", ".ralph"]), "");
        world.piton(&["rm", "r"]).exits(0);
        assert!(!world.path(".ralph/state.json.age").exists());
    }
}

/// The same with a plain journal: what looks for canaries finds them.
#[test]
fn a_journal_that_is_not_encrypted_holds_the_words_openly() {
    let world = World::new();
    work(&world, "r");
    let journal = world.path(".piton/journal.db");
    let wal = world.path(".piton/journal.db-wal");
    assert!(found_in(&world.path(".piton")).iter().any(|(path, _)| *path == journal || *path == wal));
}

#[test]
fn without_its_key_an_encrypted_journal_is_locked_and_never_damaged() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let id = world.json(&["key", "status"])["keys"][0]["id"].as_str().unwrap().to_owned();
    world.shell("mv ../key ../away").exits(0);
    for command in [&["ls"][..], &["status", "r"], &["log", "r"], &["verify"], &["repair"], &["resume", "r"]]
    {
        let refused = world.piton(command).exits(7);
        assert!(refused.err.contains(&id), "{command:?}: {}", refused.err);
        assert!(refused.err.contains("key_file"), "{command:?}: {}", refused.err);
        assert!(!refused.err.contains("damaged"), "{command:?}: {}", refused.err);
    }
    // The variable opens it as well, and so does another place for the file.
    let away = world.beside("away").display().to_string();
    world.piton_with(&[("PITON_KEY_FILE", &away)], &["ls"]).exits(0);
    let text = world.shell("cat ../away").exits(0).out;
    world.piton_with(&[("PITON_KEY", &text)], &["status", "r"]).exits(0);
}

#[test]
fn encryption_that_cannot_be_done_is_refused_before_anything_is_written() {
    let world = World::configured("[vault]\nencrypt = true\nkey_file = \"../none\"\n");
    let refused =
        world.piton(&["loop", TASK, "--id", "r", "--exec", "true", "--check", "test=false"]).exits(7);
    assert!(refused.err.contains("piton key new"), "{}", refused.err);
    assert!(!world.path(".piton/journal.db").exists());
    assert_eq!(found_in(&world.path("")), []);
}

#[test]
fn what_was_recorded_openly_stays_readable_and_is_encrypted_on_request() {
    let world = World::new();
    work(&world, "plain");
    new_key(&world, "key");
    world.configure(VAULT);
    work(&world, "sealed");
    let open = |world: &World| world.json(&["key", "status"])["open_pieces"].as_u64().unwrap();
    assert!(open(&world) > 0);
    world.piton(&["key", "rotate", "--all"]).exits(0);
    assert_eq!(open(&world), 0);
    world.piton(&["verify"]).exits(0);
    let (journal, wal) = (world.path(".piton/journal.db"), world.path(".piton/journal.db-wal"));
    let found =
        found_in(&world.path(".piton")).into_iter().filter(|(path, _)| *path == journal || *path == wal);
    assert_eq!(found.collect::<Vec<_>>(), []);
    // And back: what is encrypted stays readable once no more is to be.
    world.configure("[vault]\nkey_file = \"../key\"\nencrypt = false\n");
    work(&world, "again");
    world.piton(&["verify"]).exits(0);
    assert!(world.piton(&["log", "sealed"]).exits(0).out.contains(REPORTED) || open(&world) > 0);
}

#[test]
fn a_rotation_lets_in_who_is_named_now_and_leaves_out_who_was_before() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    new_key(&world, "next");
    world.configure("[vault]\nencrypt = true\nkey_file = \"../next\"\n");
    world.piton(&["ls"]).exits(7);
    let old = world.beside("key").display().to_string();
    let rotated = world.json(&["key", "rotate", "--old", &old, "--all"]);
    assert_eq!(rotated["left"].as_array().unwrap().len(), 0, "{rotated:#}");
    world.piton(&["verify"]).exits(0);
    work(&world, "later");
    world.piton_with(&[("PITON_KEY_FILE", &old)], &["ls"]).exits(7);
}

#[test]
fn a_rotation_that_is_killed_at_any_step_loses_nothing() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    new_key(&world, "next");
    world.configure("[vault]\nencrypt = true\nkey_file = \"../next\"\n");
    let old = world.beside("key").display().to_string();
    let rotate = ["key", "rotate", "--old", old.as_str(), "--all"];
    // The driver seals what the run left, and only then it is gone.
    eventually("all of it is sealed", || !world.path(".piton/attempts/r/brief.json").exists());
    // Whatever is wrapped for whom by now: with both, everything opens.
    let both = world.shell("cat ../key ../next; cp -a .piton ../before").exits(0).out;
    let mut survived = 0;
    for step in 1.. {
        let ran = world.piton_with(&[("PITON_ABORT_AT", &step.to_string())], &rotate);
        let seen = world.piton_with(&[("PITON_KEY", &both)], &["log", "r", "--json"]).exits(0).out;
        assert_eq!(seen, log, "step {step}");
        if ran.code == 0 {
            survived = step;
            break;
        }
        // It is done again from where it was killed, now and then; each time anew would only add keys.
        if step % 7 == 0 {
            world.piton_with(&[("PITON_KEY", &both)], &rotate).exits(0);
            world.piton(&["verify"]).exits(0);
        }
        world.shell("rm -rf .piton && cp -a ../before .piton").exits(0);
    }
    assert!(survived > 10, "{survived} steps");
    world.piton(&["verify"]).exits(0);
    assert_eq!(world.piton(&["log", "r", "--json"]).exits(0).out, log);
}

#[test]
fn an_encrypted_backup_needs_its_key_and_nothing_else_on_another_machine() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let kept = world.beside("kept").display().to_string();
    world.piton(&["backup", "create", "--to", &kept]).exits(0);
    // What a second one adds stands on the first.
    work(&world, "s");
    world.piton(&["backup", "create", "--to", &kept]).exits(0);
    world.piton(&["backup", "verify", "--to", &kept]).exits(0);
    assert_eq!(found_in(&world.beside("kept")), []);
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    let elsewhere = World::new();
    let refused = elsewhere.piton(&["backup", "restore", &kept]).exits(7);
    assert!(refused.err.contains("PITON_KEY"), "{}", refused.err);
    let key = world.shell("cat ../key").exits(0).out;
    let with = [("PITON_KEY", key.as_str())];
    elsewhere.piton_with(&with, &["backup", "restore", &kept]).exits(0);
    assert_eq!(elsewhere.piton_with(&with, &["log", "r", "--json"]).exits(0).out, log);
    elsewhere.piton_with(&with, &["verify"]).exits(0);
}

#[test]
fn every_byte_of_an_encrypted_object_of_a_backup_is_covered() {
    let world = with_a_key(VAULT);
    world.piton(&[
        "loop",
        "t",
        "--id",
        "r",
        "--exec",
        "true",
        "--check",
        "test=false",
        "--max-iterations",
        "1",
    ]);
    let kept = world.beside("kept").display().to_string();
    world.piton(&["backup", "create", "--to", &kept]).exits(0);
    let files = world.shell("find ../kept -type f -path '*/backups/*'").exits(0).out;
    let path = world.path(files.lines().next().unwrap());
    #[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
    let write = |bytes: &[u8]| std::fs::write(&path, bytes).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    // Each byte is tried by the tests of the envelope; here some of each part, through the binary.
    for place in [0, 7, 8, 15, 16, 39, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        write(&changed);
        assert!([6, 7].contains(&world.piton(&["backup", "list", "--to", &kept]).code), "byte {place}");
    }
    write(&bytes);
    world.piton(&["backup", "list", "--to", &kept]).exits(0);
}

#[test]
fn a_replica_goes_on_and_is_restored_after_its_key_was_rotated_while_it_was_written() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let kept = world.beside("kept").display().to_string();
    let key = world.shell("cat ../key").exits(0).out;
    let elsewhere = || {
        let elsewhere = World::new();
        elsewhere.piton_with(&[("PITON_KEY", key.as_str())], &["backup", "restore", &kept]).exits(0);
        elsewhere.piton_with(&[("PITON_KEY", key.as_str())], &["log", "r", "--json"]).exits(0).out
    };
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    // The same process once more: it goes on with what the earlier one had put there under another key.
    world.piton(&["key", "rotate"]).exits(0);
    world.piton(&["note", "r", "after the rotation"]).exits(0);
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    assert_eq!(elsewhere(), world.piton(&["log", "r", "--json"]).exits(0).out);
    // One that lives while the key is rotated, and while others write with the new one.
    let living = world.start(&["replicate", &kept]);
    let arrived = || {
        let replica = &world.json(&["status", "r"])["replica"];
        replica["behind_ms"].is_null() && replica["trouble"].is_null()
    };
    world.piton(&["note", "r", "while it lives"]).exits(0);
    eventually("it ships", arrived);
    world.piton(&["key", "rotate"]).exits(0);
    for n in 0..40 {
        world.piton(&["note", "-q", "r", &format!("note {n}")]).exits(0);
    }
    eventually("it ships on", arrived);
    assert_eq!(elsewhere(), world.piton(&["log", "r", "--json"]).exits(0).out);
    living.signal(Signal::INT);
    living.ends().exits(130);
    world.piton(&["backup", "verify", "--to", &kept]).exits(0);
}

#[test]
fn journals_with_keys_of_their_own_share_a_place_and_none_stands_in_the_way() {
    let world = with_a_key(VAULT);
    work(&world, "r");
    let kept = world.beside("kept").display().to_string();
    let other = with_a_key(VAULT);
    work(&other, "s");
    let open = World::new();
    open.piton(&["loop", "t", "--id", "o", "--exec", "touch o", "--check", "test=test -f o"]).exits(0);
    let mut made = Vec::new();
    for (world, run) in [(&world, "r"), (&other, "s"), (&open, "o")] {
        let created = world.json(&["backup", "create", "--to", &kept]);
        made.push((world, run, created["backup"]["name"].as_str().unwrap().to_owned()));
        world.piton(&["replicate", &kept, "--once"]).exits(0);
    }
    for (world, run, name) in &made {
        let listed = world.piton(&["backup", "list", "--to", &kept]).exits(0).out;
        assert!(listed.contains(&format!("{name}  1 run")) && listed.contains("locked: backup "), "{listed}");
        let verified = world.piton(&["backup", "verify", "--to", &kept]).exits(0).out;
        assert!(verified.contains(&format!("{name}  ok: 1 run")), "{verified}");
        world.piton(&["backup", "prune", "--to", &kept]).exits(0);
        let log = world.piton(&["log", run, "--json"]).exits(0).out;
        world.shell("rm -f .piton/journal.db*").exits(0);
        world.configure(&format!(
            "{}[vault.backups]\nto = \"{kept}\"\n",
            if *run == "o" { "" } else { VAULT }
        ));
        world.piton(&["repair"]).exits(0);
        assert_eq!(world.piton(&["log", run, "--json"]).exits(0).out, log);
    }
    // On a new machine, by the key alone.
    let elsewhere = World::new();
    let key = world.shell("cat ../key").exits(0).out;
    let named = elsewhere
        .piton_with(&[("PITON_KEY", key.as_str())], &["backup", "restore", &kept, "--backup", &made[0].2])
        .exits(0);
    assert!(named.out.contains("r  "), "{}", named.out);
    elsewhere.piton(&["backup", "restore", &kept, "--backup", &made[1].2]).exits(7);
}

#[test]
fn after_a_rotation_to_another_key_file_what_lies_elsewhere_opens_with_the_new_one_at_once() {
    let world = with_a_key(VAULT);
    let kept = world.beside("kept").display().to_string();
    let places = format!("backups = {{ to = \"{kept}\" }}\n");
    world.configure(&format!("{VAULT}{places}"));
    work(&world, "r");
    world.piton(&["backup", "create"]).exits(0);
    new_key(&world, "next");
    world.configure(&format!("[vault]\nencrypt = true\nkey_file = \"../next\"\n{places}"));
    let old = world.beside("key").display().to_string();
    world.piton(&["key", "rotate", "--old", &old, "--all"]).exits(0);
    world.shell("rm ../key").exits(0);
    world.piton(&["backup", "verify"]).exits(0);
    let elsewhere = World::new();
    let next = world.shell("cat ../next").exits(0).out;
    elsewhere.piton_with(&[("PITON_KEY", next.as_str())], &["backup", "restore", &kept]).exits(0);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test prepares its files directly")]
fn what_is_no_secret_is_not_taken_for_a_passphrase() {
    let world = with_a_key(VAULT);
    let key = world.shell("cat ../key").exits(0).out;
    let public = key.lines().find_map(|line| line.strip_prefix("# public key: ")).unwrap().to_owned();
    let comment = key.lines().next().unwrap().to_owned();
    let cut = key.trim_end()[..key.trim_end().len() - 20].to_owned();
    let page = "{\"error\": \"no secret of that name was found\"}".to_owned();
    for text in [public, comment, cut, page] {
        std::fs::write(world.beside("key"), &text).unwrap();
        let ran =
            world.piton(&["loop", "t", "--id", "r", "--exec", "true", "--check", "test=false"]).exits(7);
        assert!(ran.err.contains("cannot be done"), "{text}: {}", ran.err);
        assert!(!world.path(".piton/keys").exists(), "{text}");
    }
}

#[test]
fn a_run_whose_key_is_lost_is_marked_and_the_others_go_on() {
    let world = with_a_key(VAULT);
    let kept = world.beside("kept").display().to_string();
    world.configure(&format!("{VAULT}backups = {{ to = \"{kept}\" }}\n"));
    work(&world, "r");
    eventually("it rests", || world.json(&["status", "r"])["status"] == "completed");
    world.piton(&["backup", "create"]).exits(0);
    let lost = world.shell("cat .piton/keys/current").exits(0).out.trim().to_owned();
    world.piton(&["key", "rotate"]).exits(0);
    work(&world, "s");
    let log = world.piton(&["log", "r", "--json"]).exits(0).out;
    world.shell(&format!("find .piton/keys -name '{lost}*' -delete")).exits(0);
    let listed = world.piton(&["ls"]).exits(6).out;
    assert!(listed.contains(&format!("encrypted with key {lost}, which is lost")), "{listed}");
    assert!(listed.lines().any(|line| line.starts_with("s ") && line.contains("done")), "{listed}");
    let verified = world.piton(&["verify"]).exits(6).out;
    assert!(verified.contains("r: ") && verified.contains("which is lost"), "{verified}");
    work(&world, "t");
    let made = world.piton(&["backup", "create"]).exits(6);
    assert!(made.err.contains("run `r`"), "{}", made.err);
    // The places of backups have it.
    world.piton(&["repair"]).exits(0);
    assert_eq!(world.piton(&["log", "r", "--json"]).exits(0).out, log);
    world.piton(&["verify"]).exits(0);
    world.piton(&["ls"]).exits(0);
    // So do they where all of them are lost.
    world.shell("rm -rf .piton/keys").exits(0);
    assert!(world.piton(&["ls"]).exits(7).err.contains("`piton repair` brings lost keys back"));
    world.piton(&["repair"]).exits(0);
    assert_eq!(world.piton(&["log", "r", "--json"]).exits(0).out, log);
}

/// Garbage in both copies of a data key.
fn damage_key(world: &World, id: &str) {
    for path in [format!(".piton/keys/{id}.json"), format!(".piton/keys/spare/{id}.json")] {
        world.shell(&format!("printf X | dd of={path} bs=1 seek=200 conv=notrunc")).exits(0);
    }
}

#[test]
fn a_data_key_that_is_damaged_in_both_copies_costs_its_runs_alone_and_comes_back() {
    let kept = "backups = { to = \"../kept\" }\n";
    let world = with_a_key(&format!("{VAULT}{kept}"));
    work(&world, "one");
    let old = world.shell("cat .piton/keys/current").exits(0).out.trim().to_owned();
    world.piton(&["key", "rotate"]).exits(0);
    let new = world.shell("cat .piton/keys/current").exits(0).out.trim().to_owned();
    work(&world, "two");
    world.piton(&["backup", "create"]).exits(0);
    damage_key(&world, &old);
    assert!(world.piton(&["ls"]).exits(6).out.contains("is lost"));
    world.piton(&["log", "two"]).exits(0);
    assert!(world.piton(&["verify"]).exits(6).out.contains("one: it is encrypted with key"));
    let repaired = world.piton(&["repair"]).exits(0);
    assert!(repaired.out.contains(&format!("{old} came back")), "{repaired:?}");
    world.piton(&["ls"]).exits(0);
    world.piton(&["verify"]).exits(0);
    // Where none is left, nothing can be read until they are back, and what brings them is said.
    for brings in [&["repair"][..], &["backup", "restore", "../kept"]] {
        damage_key(&world, &old);
        damage_key(&world, &new);
        let refused = world.piton(&["ls"]).exits(7).err;
        assert!(refused.contains("`piton repair`") && refused.contains("is damaged"), "{refused}");
        world.piton(brings).exits(0);
        world.piton(&["verify"]).exits(0);
        world.piton(&["ls"]).exits(0);
    }
}

#[test]
fn a_rotation_under_the_wrong_key_changes_nothing() {
    let world = with_a_key(VAULT);
    work(&world, "one");
    new_key(&world, "other");
    let other = world.beside("other").display().to_string();
    let before = world.shell("find .piton/keys -type f -name '*.json' | sort; cat .piton/keys/current").out;
    let refused = world.piton_with(&[("PITON_KEY_FILE", &other)], &["key", "rotate"]).exits(7).err;
    assert!(refused.contains("nothing was changed") && refused.contains("--old FILE"), "{refused}");
    assert_eq!(
        world.shell("find .piton/keys -type f -name '*.json' | sort; cat .piton/keys/current").out,
        before
    );
    work(&world, "two");
    world.piton(&["backup", "create"]).exits(0);
}
