//! What comes back, whatever was done before it was lost: keys that were rotated, backups that were damaged, restores that were
//! interrupted, places that were not looked at.

use crate::common::{World, eventually};
use crate::vault::{ONCE, RED, back_up, damage, flip, log, objects, place, with_a_run};

/// A key file beside the repository; what it holds.
fn new_key(world: &World, name: &str) -> String {
    world.piton(&["key", "new", "--out", &world.beside(name).display().to_string()]).exits(0);
    world.shell(&format!("cat ../{name}")).exits(0).out
}

fn encrypted_with(key: &str) -> String {
    format!("[vault]\nencrypt = true\nkey_file = '../{key}'\n")
}

#[test]
fn a_place_beside_the_repository_stops_no_run() {
    for said in ["backups = { to = '../kept' }", "replicate = '../kept'", "backup_dir = '../kept'"] {
        let world = World::configured(&format!("[vault]\n{said}\n"));
        world.commit("configured");
        world.loops("r", "echo x >> a.txt", ONCE).exits(3);
        world.piton(&["backup", "create"]).exits(0);
        assert!(said.starts_with("replicate") || world.beside("kept/vault").is_dir(), "{said}");
    }
}

#[test]
fn a_place_that_leads_out_and_in_again_holds_nobodys_work() {
    let world = World::configured("[vault]\nbackup_dir = '../repo/inside'\n");
    world.commit("configured");
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let changed = world.json(&["status", "s"])["changed"]["files"].to_string();
    assert!(changed.contains("a.txt") && !changed.contains("inside"), "{changed}");
}

#[test]
fn a_place_below_the_home_lies_there() {
    let world = World::configured("[vault]\nbackups = { to = '~/kept' }\nreplicate = '~/kept'\n");
    world.commit("configured");
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    eventually("the replica is there", || world.beside("home/kept/vault/replicas").is_dir());
    assert!(world.beside("home/kept/vault").is_dir() && !world.path("~").exists());
}

/// Whichever of the records of a key is listed last.
#[test]
fn after_rotations_the_key_of_now_is_enough_on_a_new_machine() {
    let world = World::new();
    let mut key = new_key(&world, "key1");
    world.configure(&encrypted_with("key1"));
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    for number in 2..=6 {
        key = new_key(&world, &format!("key{number}"));
        world.configure(&encrypted_with(&format!("key{number}")));
        let old = world.beside(&format!("key{}", number - 1)).display().to_string();
        world.piton(&["key", "rotate", "--old", &old]).exits(0);
        world.piton(&["note", "r", "later"]).exits(0);
        back_up(&world);
    }
    let before = log(&world, "r");
    let elsewhere = World::new();
    let with = [("PITON_KEY", key.as_str())];
    elsewhere.piton_with(&with, &["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(elsewhere.piton_with(&with, &["log", "r", "--json"]).exits(0).out, before);
    // Only what is at the place counts: what is here beside it does not open it elsewhere.
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    world.shell(&format!("find '{}' -path '*/keys/*' -delete", place(&world))).exits(0);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(7);
    world.piton(&["note", "r", "later still"]).exits(0);
    back_up(&world);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
}

const ARCHIVED_SOON: &str =
    "[vault]\nbackups = { to = 'PLACE', max = 2 }\n[vault.retention]\nfinished_for = '1ms'\n";

/// A world whose run `x` is archived, and whole in a backup.
fn with_an_archived_run() -> (World, String) {
    let world = World::new();
    world.configure(&ARCHIVED_SOON.replace("PLACE", &place(&world)));
    world.loops("x", "echo b > b.txt", &["--check", RED]).exits(0);
    world.piton(&["note", "x", "words that are only here"]).exits(0);
    world.piton(&["backup", "create"]).exits(0);
    let before = log(&world, "x");
    let collected = world.json(&["gc", "--grace", "0s"]);
    assert_eq!(collected["archived"][0]["run_id"], "x", "{collected:#}");
    (world, before)
}

/// The events of `x` in a new place, as far as a backup has them.
fn come_back(world: &World, backup: Option<&str>) -> String {
    world.shell("mv .piton ../away && mv .ralph ../away-ralph").exits(0);
    let place = place(world);
    let named: Vec<&str> = backup.map_or_else(Vec::new, |name| vec!["--backup", name]);
    world.piton(&[&["backup", "restore", &place, "--run", "x"][..], &named].concat()).exits(0);
    let back = log(world, "x");
    world.shell("rm -rf .piton .ralph && mv ../away .piton && mv ../away-ralph .ralph").exits(0);
    back
}

fn newest(files: Vec<std::path::PathBuf>) -> std::path::PathBuf {
    files.into_iter().max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

#[test]
fn what_is_archived_is_carried_over_from_any_backup_that_has_it() {
    let (world, before) = with_an_archived_run();
    world.loops("z", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    flip(&newest(objects(&world, "/segments/")));
    for n in 0..3 {
        world.piton(&["note", "z", &format!("note {n}")]).exits(0);
        world.piton(&["backup", "create"]).exits(0);
    }
    assert!(come_back(&world, None).starts_with(&before), "payload by payload");
}

#[test]
fn a_backup_that_alone_has_what_is_archived_stays_and_that_is_said() {
    let (world, before) = with_an_archived_run();
    let holder = objects(&world, "/backups/").remove(0);
    let name = holder.file_stem().unwrap().to_str().unwrap().to_owned();
    let segment = objects(&world, "/segments/").remove(0);
    flip(&segment);
    world.loops("z", "echo x >> a.txt", ONCE).exits(3);
    for n in 0..4 {
        world.piton(&["note", "z", &format!("note {n}")]).exits(0);
        let made = world.piton(&["backup", "create"]).exits(0);
        assert!(made.err.contains(&name) && made.err.contains('x'), "{n}: {}", made.err);
    }
    assert!(holder.exists(), "it alone has the payloads of x");
    assert_eq!(objects(&world, "/backups/").len(), 3);
    // Its piece turns out to be readable after all.
    flip(&segment);
    assert_eq!(come_back(&world, Some(&name)), before);
}

#[test]
fn a_run_that_has_its_payloads_again_is_whole_in_the_next_backup() {
    let (world, before) = with_an_archived_run();
    world.shell(&format!("cp -a '{}' ../other", place(&world))).exits(0);
    objects(&world, "/segments/").iter().for_each(flip);
    world.piton(&["backup", "create"]).exits(0);
    let other = world.beside("other").display().to_string();
    world.piton(&["backup", "restore", &other, "--run", "x"]).exits(0);
    // No backup here has more than digests of it, so it is not archived again.
    let collected = world.json(&["gc", "--grace", "0s"]);
    assert_eq!(collected["archived"].as_array().unwrap().len(), 0, "{collected:#}");
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(world.json(&["gc", "--grace", "0s"])["archived"][0]["run_id"], "x");
    assert!(come_back(&world, None).starts_with(&before));
}

#[test]
fn a_restore_that_was_interrupted_is_finished_by_the_next() {
    let world = with_a_run();
    let before = log(&world, "r");
    back_up(&world);
    world.shell("rm -rf .piton .ralph b.txt").exits(0);
    let restore = ["backup", "restore", &place(&world)];
    world.piton(&restore).exits(0);
    // Killed after its runs were in, and before its snapshots were.
    world.shell("git update-ref -d refs/piton/runs/r && git repack -adq && git prune --expire now").exits(0);
    world.piton(&["restore", "r", "--force"]).exits(7);
    let again = world.piton(&restore).exits(0);
    assert!(again.out.contains("its snapshots came back"), "{}", again.out);
    world.piton(&["restore", "r", "--force"]).exits(0);
    assert_eq!(world.read("b.txt"), "b\n");
    assert_eq!(log(&world, "r"), before);
    let third = world.piton(&restore).exits(0);
    assert!(third.out.contains("is here already, left as it is"), "{}", third.out);
}

#[test]
fn encryption_goes_on_beside_backups_that_were_made_without() {
    let world = with_a_run();
    let plain = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    new_key(&world, "key");
    world.configure(&encrypted_with("key"));
    world.piton(&["note", "r", "encrypted-from-here-on"]).exits(0);
    let sealed = back_up(&world);
    let sealed = sealed["backup"]["name"].as_str().unwrap();
    let listed = world.piton(&["backup", "list", "--to", &place(&world)]).exits(0).out;
    let line = |name: &str| listed.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line(&plain).contains("not encrypted") && !line(sealed).contains("not encrypted"), "{listed}");
    // The next stands on the one that is encrypted.
    world.piton(&["note", "r", "more"]).exits(0);
    assert!(back_up(&world)["bytes_put"].as_u64().unwrap() > 0);
    assert_eq!(objects(&world, "/segments/").len(), 3);
    let found = world.shell(&format!("grep -rl encrypted-from-here-on '{}'", place(&world))).out;
    assert_eq!(found, "");
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
}

#[test]
fn encryption_ends_only_where_a_trusted_configuration_says_so_in_words() {
    let world = World::new();
    let key = new_key(&world, "key");
    world.configure(&encrypted_with("key"));
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    let canary = |world: &World, word: &str| {
        let found = world.shell(&format!("grep -rl {word} .piton .ralph")).out;
        assert_eq!(found, "", "{word} lies open");
    };
    // The line is gone, and nobody said that it may go.
    world.write("piton.toml", "[vault]\nkey_file = '../key'\n");
    let with = [("PITON_KEY", key.as_str())];
    world.piton(&["note", "r", "canary-without-a-key"]).exits(7);
    world.piton_with(&with, &["note", "r", "canary-untrusted"]).exits(0);
    canary(&world, "canary-untrusted");
    world.piton(&["trust", "--yes"]).exits(0);
    world.piton(&["note", "r", "canary-unsaid"]).exits(0);
    canary(&world, "canary-unsaid");
    world.write("piton.toml", "[vault]\nkey_file = '../key'\nencrypt = false\n");
    world.piton_with(&with, &["note", "r", "canary-said-by-nobody"]).exits(0);
    canary(&world, "canary-said-by-nobody");
    world.piton(&["trust", "--yes"]).exits(0);
    world.piton(&["note", "r", "canary-in-the-open"]).exits(0);
    assert_ne!(world.shell("grep -rl canary-in-the-open .piton").out, "");
    // What was encrypted there is so here.
    let elsewhere = World::new();
    elsewhere.piton_with(&with, &["backup", "restore", &place(&world)]).exits(0);
    elsewhere.piton_with(&with, &["note", "r", "canary-elsewhere"]).exits(0);
    canary(&elsewhere, "canary-elsewhere");
    let refused = elsewhere.piton(&["note", "r", "canary-refused"]).exits(7);
    assert!(refused.err.contains("PITON_KEY") || refused.err.contains("key_file"), "{}", refused.err);
    canary(&elsewhere, "canary-refused");
}

/// Loses all events of `r` after the second.
fn lose_the_end(world: &World) {
    damage(world, "update events set body = zeroblob(length(body)) where seq > 2");
}

#[test]
fn a_place_that_a_repair_could_not_look_at_is_named_with_what_helps() {
    let world = with_a_run();
    world.configure(&format!("[vault.backups]\nto = '{}'\n", place(&world)));
    world.piton(&["backup", "create"]).exits(0);
    let before = log(&world, "r");
    world.write("piton.toml", &format!("[vault.backups]\nto = '{}'\nmax = 3\n", place(&world)));
    lose_the_end(&world);
    let ran = world.piton(&["repair"]).exits(6);
    assert!(!ran.out.contains("are nowhere") && !ran.out.contains("no backup has it"), "{}", ran.out);
    assert!(ran.out.contains(&place(&world)) && ran.out.contains("piton trust"), "{}", ran.out);
    // What is said is what helps.
    world.piton(&["trust", "--yes"]).exits(0);
    world.piton(&["repair"]).exits(0);
    assert_eq!(log(&world, "r"), before);
}

#[test]
fn a_bucket_that_a_repair_did_not_reach_is_named_and_not_called_empty() {
    let world = with_a_run();
    world.configure("[vault]\nbackups = { to = 's3://bucket/x' }\n");
    lose_the_end(&world);
    let away = [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
    ];
    let ran = world.piton_with(&[&away[..], &[("AWS_REGION", "us-east-1")]].concat(), &["repair"]).exits(6);
    assert!(!ran.out.contains("are nowhere") && !ran.out.contains("no backup has it"), "{}", ran.out);
    assert!(ran.out.contains("s3://bucket/x") && ran.out.contains("piton repair"), "{}", ran.out);
}

#[test]
fn a_backup_that_turns_up_after_a_repair_brings_the_rest() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    back_up(&world);
    let before = [log(&world, "r"), log(&world, "s")];
    lose_the_end(&world);
    world.piton(&["repair"]).exits(6);
    let again = world.piton(&["repair"]).exits(0);
    assert!(
        again.out.contains("kept   r: ") && again.out.contains("`backups`"),
        "the way is said: {}",
        again.out
    );
    assert!(!again.out.contains("aside"), "nothing is changed: {}", again.out);
    // One of the two went on meanwhile: another history, which stays.
    world.piton(&["note", "s", "it went on"]).exits(0);
    let s = log(&world, "s");
    world.configure(&format!("[vault.backups]\nto = '{}'\n", place(&world)));
    let ran = world.piton(&["repair"]).exits(0);
    assert!(ran.out.contains("from backup "), "{}", ran.out);
    assert_eq!([log(&world, "r"), log(&world, "s")], [before[0].clone(), s]);
    world.piton(&["verify"]).exits(0);
    world.piton(&["resume", "r"]);
    world.piton(&["verify"]).exits(0);
}

/// It counts up to what the anchor acknowledged when the journal was damaged.
#[test]
fn a_backup_in_the_repository_brings_the_rest_as_well() {
    let world = with_a_run();
    world.piton(&["backup", "create"]).exits(0);
    let before = log(&world, "r");
    world.shell("mv .ralph/backups ../away").exits(0);
    lose_the_end(&world);
    world.piton(&["repair"]).exits(6);
    world.shell("rm -rf .ralph/backups && mv ../away .ralph/backups").exits(0);
    world.piton(&["repair"]).exits(0);
    assert_eq!(log(&world, "r"), before);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_copied_repository_begins_a_replica_of_another_name() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    let once = ["replicate", &place(&world), "--once"];
    world.piton(&once).exits(0);
    world.shell("cp -a . ../copy").exits(0);
    world.piton(&["note", "r", "in the first"]).exits(0);
    world.piton(&once).exits(0);
    // The copy lies elsewhere, so its journal becomes one of its own.
    let piton = env!("CARGO_BIN_EXE_piton");
    let both = format!(
        "{piton} trust --journal && {piton} note -q r 'in the copy' && {piton} replicate '{}' --once",
        place(&world)
    );
    world.shell(&format!("cd ../copy && {both}")).exits(0);
    let listed = world.json(&["backup", "list", "--to", &place(&world)]);
    let replicas = listed["replicas"].as_array().unwrap();
    assert_eq!(replicas.len(), 2, "{listed:#}");
    assert_ne!(replicas[0]["journal"], replicas[1]["journal"]);
    assert_ne!(replicas[0]["name"], replicas[1]["name"]);
}

#[test]
fn of_two_backups_with_one_name_the_journal_says_which() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    let once = ["replicate", &place(&world), "--once"];
    world.piton(&once).exits(0);
    let before = log(&world, "r");
    let listed = world.json(&["backup", "list", "--to", &place(&world)]);
    let replica = &listed["replicas"][0];
    let (name, journal) = (replica["name"].as_str().unwrap(), replica["journal"].as_str().unwrap());
    // As earlier versions left them: one generation under two journals.
    let other = "0".repeat(journal.len());
    let copy = format!(
        "cd '{}/vault' && cp -a {journal} {other} && cp -a replicas/{journal} replicas/{other}",
        place(&world)
    );
    world.shell(&copy).exits(0);
    world.shell("rm -rf .piton .ralph").exits(0);
    let restore = |name: &str| world.piton(&["backup", "restore", &place(&world), "--backup", name]);
    let refused = restore(name).exits(2);
    assert!(refused.err.contains(&format!("{name}@{journal}")), "{}", refused.err);
    let short = format!("{name}@{}", &journal[..8]);
    restore(&short).exits(0);
    assert_eq!(log(&world, "r"), before);
}

#[test]
fn what_earlier_attempts_left_is_counted_and_encrypted_with_everything_else() {
    let world = World::new();
    let agent = "echo canary-of-the-output; printf '{\"summary\":\"canary-of-the-report\"}' > $PITON_REPORT; echo x >> a.txt";
    world.loops("plain", agent, ONCE).exits(3);
    new_key(&world, "key");
    world.configure(&encrypted_with("key"));
    world.loops("sealed", agent, ONCE).exits(3);
    let status = world.json(&["key", "status"]);
    assert!(status["open_files"].as_u64().unwrap() >= 3, "{status:#}");
    let said = world.piton(&["key", "status"]).exits(0);
    assert!(said.err.contains("of earlier attempts"), "{said:?}");
    world.piton(&["key", "rotate", "--all"]).exits(0);
    let status = world.json(&["key", "status"]);
    assert_eq!((&status["open_files"], &status["open_pieces"]), (&0.into(), &0.into()), "{status:#}");
    assert_eq!(world.shell("grep -rl canary-of-the .piton").out, "");
    assert!(world.piton(&["output", "plain", "1"]).exits(0).out.contains("canary-of-the-output"));
}

#[test]
fn a_backup_for_which_there_is_no_room_leaves_nothing_half_there() {
    let world = with_a_run();
    for _ in 0..40 {
        let words = world.shell("head -c 6000 /dev/urandom | base64 -w 0 | head -c 7000").out;
        world.piton(&["note", "r", &words]).exits(0);
    }
    // No file may grow past 100 KiB.
    let piton = env!("CARGO_BIN_EXE_piton");
    let create = format!("trap '' 25; ulimit -f 200; {piton} backup create --to '{}'", place(&world));
    let ran = world.shell(&create);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(world.beside("kept/vault").is_dir(), "it came so far: {ran:?}");
    assert_eq!(objects(&world, ".tmp"), [""; 0].map(std::path::PathBuf::from));
    back_up(&world);
}

#[test]
fn what_a_killed_backup_left_half_there_goes_with_a_prune() {
    let world = with_a_run();
    back_up(&world);
    let half = objects(&world, "/segments/")[0].with_file_name(".0123456789abcdef.tmp");
    world.shell(&format!("echo half > '{}'", half.display())).exits(0);
    let prune = ["backup", "prune", "--to", &place(&world), "--keep", "5"];
    world.piton(&prune).exits(0);
    assert!(half.exists(), "it may be on its way");
    world.piton(&[&prune[..], &["--grace", "0s"]].concat()).exits(0);
    assert!(!half.exists());
}

#[test]
fn a_prune_that_frees_nothing_says_why() {
    let world = with_a_run();
    back_up(&world);
    let manifest = objects(&world, "/backups/").remove(0);
    world.piton(&["note", "r", "later"]).exits(0);
    back_up(&world);
    let prune = ["backup", "prune", "--to", &place(&world), "--keep", "1", "--grace", "0s"];
    flip(&manifest);
    let name = manifest.file_stem().unwrap().to_str().unwrap().to_owned();
    let ran = world.piton(&prune).exits(0);
    assert!(ran.err.contains(&name) && ran.err.contains("not known"), "{ran:?}");
    flip(&manifest);
    let journal = manifest.parent().unwrap().parent().unwrap().display().to_string();
    world.shell(&format!("mkdir -p '{journal}/pending' && touch '{journal}/pending/0123'")).exits(0);
    let ran = world.piton(&prune).exits(0);
    assert!(ran.err.contains("somebody makes one since"), "{ran:?}");
}

#[test]
fn a_rotation_that_opens_no_older_key_has_failed() {
    let world = World::new();
    new_key(&world, "key1");
    world.configure(&encrypted_with("key1"));
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    new_key(&world, "key2");
    world.configure(&encrypted_with("key2"));
    let ran = world.piton(&["key", "rotate"]).exits(7);
    assert!(ran.err.contains("cannot be opened here"), "{ran:?}");
    let old = world.beside("key1").display().to_string();
    world.piton(&["key", "rotate", "--old", &old]).exits(0);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn what_was_proven_and_is_gone_is_not_called_restorable() {
    let world = with_a_run();
    world
        .configure(&format!("[vault]\nreplicate = '{}'\nbackups = {{ to = '../backups' }}\n", place(&world)));
    world.piton(&["replicate", "--once"]).exits(0);
    world.piton(&["backup", "create"]).exits(0);
    let doctor = world.piton(&["doctor"]).out;
    assert!(doctor.contains("restorable to ") && doctor.contains(": 1 backup"), "{doctor}");
    world.shell(&format!("rm -rf '{}' ../backups", place(&world))).exits(0);
    let doctor = world.piton(&["doctor"]).out;
    assert!(doctor.contains("warn  replica        not proven yet"), "{doctor}");
    assert!(doctor.contains("no backup of this journal is there"), "{doctor}");
    let status = world.piton(&["status", "r"]).exits(0).out;
    assert!(status.contains("is not there any more") && !status.contains("restorable to"), "{status}");
    world.piton(&["replicate", "--once"]).exits(0);
    assert!(world.piton(&["status", "r"]).exits(0).out.contains("restorable to"));
}

#[test]
fn two_repairs_at_once_put_one_journal_aside() {
    let world = with_a_run();
    world.piton(&["backup", "create"]).exits(0);
    let before = log(&world, "r");
    lose_the_end(&world);
    let piton = env!("CARGO_BIN_EXE_piton");
    let one = format!("until {piton} repair > ../said$n; [ $? != 5 ]; do :; done");
    world
        .shell(&format!(
            "for n in 1 2 3; do ( {one} ) & pids=\"$pids $!\"; done; for pid in $pids; do wait $pid; done"
        ))
        .exits(0);
    assert_eq!(
        world.shell("ls .piton/damaged | wc -l").out.trim(),
        "1",
        "{}",
        world.shell("cat ../said*").out
    );
    assert_eq!(log(&world, "r"), before);
}

#[test]
fn the_state_of_an_archived_run_goes_along_once() {
    let (world, _) = with_an_archived_run();
    world.loops("z", "echo x >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    world.piton(&["note", "z", "a few words"]).exits(0);
    let made = world.json(&["backup", "create"]);
    assert!(made["bytes_put"].as_u64().unwrap() < 1500, "{made:#}");
}
