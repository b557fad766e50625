//! Backups and repair: what is listed can be restored, what is here stays, and damage has a way out.

use std::path::PathBuf;

use crate::common::{WAITS, World};
use crate::pages::follow;

pub(crate) const RED: &str = "test=test -f b.txt";
pub(crate) const ONCE: &[&str] = &["--check", "never=false", "--max-iterations", "1"];

/// A world with a run `r` whose second iteration is green.
pub(crate) fn with_a_run() -> World {
    let world = World::new();
    let agent = "if [ $PITON_ITERATION = 2 ]; then echo b > b.txt; else echo x >> a.txt; fi";
    world.loops("r", agent, &["--check", RED]).exits(0);
    world
}

/// Where a test keeps its backups, as text.
pub(crate) fn place(world: &World) -> String {
    world.beside("kept").display().to_string()
}

pub(crate) fn back_up(world: &World) -> serde_json::Value {
    world.json(&["backup", "create", "--to", &place(world)])
}

/// The objects at the target whose names hold `part`.
pub(crate) fn objects(world: &World, part: &str) -> Vec<PathBuf> {
    let found = world.shell(&format!("find '{}' -type f | sort", place(world))).exits(0).out;
    found.lines().filter(|line| line.contains(part)).map(PathBuf::from).collect()
}

#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
pub(crate) fn flip(path: &PathBuf) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(path, bytes).unwrap();
}

/// Runs SQL on the journal, as damage would.
pub(crate) fn damage(world: &World, sql: &str) {
    let journal = rusqlite::Connection::open(world.path(".piton/journal.db")).unwrap();
    assert!(journal.execute(sql, []).unwrap() > 0, "{sql}");
}

/// Everything that a log says.
pub(crate) fn log(world: &World, run: &str) -> String {
    world.piton(&["log", run, "--json"]).exits(0).out
}

#[test]
fn a_backup_is_listed_with_when_it_was_proven() {
    let world = with_a_run();
    let list = ["backup", "list", "--to", &place(&world)];
    assert!(world.piton(&list).exits(0).err.contains("no backup in"));
    let made = back_up(&world);
    assert_eq!((&made["proof"]["runs"], &made["proof"]["snapshots"]), (&1.into(), &1.into()), "{made:#}");
    let name = made["backup"]["name"].as_str().unwrap();
    let listed = world.piton(&list).exits(0).out;
    assert!(listed.contains(name) && listed.contains("proven ") && listed.contains("1 run "), "{listed}");
    let verified = world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0).out;
    assert!(verified.contains(&format!("{name}  ok: 1 run")), "{verified}");
    assert_eq!(world.shell("ls .piton/scratch").out, "lock\n", "the proof is gone");
}

#[test]
fn a_lost_repository_comes_back_with_two_commands() {
    let world = with_a_run();
    let (before, status) = (log(&world, "r"), world.json(&["status", "r"]));
    back_up(&world);
    // The machine is lost: no work tree, no git, no journal.
    world.shell("rm -rf .git .piton .ralph a.txt b.txt && ! ls -A | grep .").exits(0);
    let ran = world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert!(ran.out.contains("r  ") && ran.out.contains("with its snapshots"), "{}", ran.out);
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a\nx\n".to_owned(), "b\n".to_owned()));
    assert_eq!(log(&world, "r"), before, "event by event, hash by hash");
    world.piton(&["verify"]).exits(0);
    assert_eq!(world.json(&["status", "r"])["best"], status["best"]);
    assert!(world.piton(&["diff", "r"]).exits(0).out.contains("b.txt"));
}

#[test]
fn a_run_whose_own_work_tree_is_gone_has_its_files_in_the_repository() {
    let world = World::new();
    world.loops("r", "echo b > b.txt", &["--check", RED, "--worktree"]).exits(0);
    assert!(!world.path("b.txt").exists(), "it works elsewhere");
    back_up(&world);
    world
        .shell("git worktree list --porcelain | sed -n 's/^worktree //p' | tail -n +2 | xargs rm -rf")
        .exits(0);
    world.shell("rm -rf .git .piton .ralph a.txt && ! ls -A | grep .").exits(0);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    world.piton(&["restore", "r"]).exits(0);
    assert_eq!((world.read("a.txt"), world.read("b.txt")), ("a\n".to_owned(), "b\n".to_owned()));
}

#[test]
fn many_backups_at_once_all_restore() {
    let world = with_a_run();
    let piton = env!("CARGO_BIN_EXE_piton");
    let create = format!("{piton} backup create -q --to '{}' > /dev/null || exit 1", place(&world));
    let prune = format!("{piton} backup prune -q --to '{}' --keep 3 --grace 0s", place(&world));
    // Notes are appended and old backups removed meanwhile.
    let all = format!(
        "for n in 1 2 3 4 5 6; do ( {create} ) & pids=\"$pids $!\"; {piton} note -q r \"note $n\"; done; {prune}; \
         for pid in $pids; do wait $pid || exit 1; done"
    );
    world.shell(&all).exits(0);
    let listed = world.json(&["backup", "list", "--to", &place(&world)]);
    let listed = listed["backups"].as_array().unwrap();
    assert!(listed.len() >= 3, "{listed:?}");
    assert_eq!(objects(&world, "/pending/").len(), 0, "nobody is at work");
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
}

#[test]
fn a_run_goes_on_where_it_was_restored() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    world.shell("rm -rf .piton .ralph").exits(0);
    world.git(&["update-ref", "-d", "refs/piton/runs/r"]);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["limits"]["iterations"]["used"], 2);
    world.piton(&["verify"]).exits(0);
    // Its journal is another one, and drivers of the old one are fenced from it.
    let epochs: Vec<u64> =
        world.events("r").iter().filter_map(|event| event["data"]["epoch"].as_u64()).collect();
    assert!(epochs.last().unwrap() - epochs[0] > 1_000_000, "{epochs:?}");
}

#[test]
fn what_is_here_stays_as_it_is() {
    let world = with_a_run();
    back_up(&world);
    world.piton(&["note", "r", "after the backup"]).exits(0);
    let (before, refs) = (log(&world, "r"), world.git(&["show-ref"]));
    let restore = ["backup", "restore", &place(&world)];
    for _ in 0..2 {
        let ran = world.piton(&restore).exits(0);
        assert!(ran.out.contains("r  is here already, left as it is"), "{}", ran.out);
    }
    assert_eq!((log(&world, "r"), world.git(&["show-ref"])), (before, refs));
    // A run that is gone comes back beside it.
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let kept = log(&world, "s");
    back_up(&world);
    world.piton(&["rm", "s"]).exits(0);
    let ran = world.piton(&[&restore[..], &["--run", "s"]].concat()).exits(0);
    assert!(ran.out.contains("s  ") && !ran.out.contains("r  "), "{}", ran.out);
    assert_eq!(log(&world, "s"), kept);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_backup_is_made_while_runs_write_and_the_next_holds_only_what_is_new() {
    let world = World::new();
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    let first = back_up(&world);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    let second = back_up(&world);
    let seq = |made: &serde_json::Value| made["backup"]["runs"][0]["seq"].as_u64().unwrap();
    assert!(seq(&first) < seq(&second));
    assert_eq!(objects(&world, "/segments/").len(), 2, "the second stands on the first");
    let third = back_up(&world);
    assert_eq!((seq(&third), third["bytes_put"].as_u64().unwrap()), (seq(&second), 0));
    let names: Vec<_> =
        objects(&world, "/backups/").iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 3);
    // Each of them comes to what the run was then.
    let name = first["backup"]["name"].as_str().unwrap();
    let whole = world.events("r");
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &place(&world), "--backup", name]).exits(0);
    assert_eq!(world.events("r"), whole[..seq(&first) as usize]);
}

#[test]
fn a_run_is_restored_up_to_an_event_or_a_moment() {
    let world = with_a_run();
    let events = world.events("r");
    back_up(&world);
    let forget = || {
        world.shell("rm -rf .piton .ralph").exits(0);
    };
    forget();
    let restore = ["backup", "restore", &place(&world)];
    let seq = (events.len() - 2) as u64;
    world.piton(&[&restore[..], &["--run", "r", "--to-seq", &seq.to_string()]].concat()).exits(0);
    let there = world.events("r");
    assert!(there.len() as u64 <= seq && there.len() > 1, "{} of {seq}", there.len());
    assert_eq!(there, events[..there.len()]);
    world.piton(&["verify"]).exits(0);
    forget();
    let time = events[3]["at"].as_str().unwrap();
    world.piton(&[&restore[..], &["--to-time", time]].concat()).exits(0);
    let there = world.events("r");
    assert!(there.iter().all(|event| event["at"].as_str().unwrap() <= time));
    assert!(events[there.len()]["at"].as_str().unwrap() > time, "all that happened until then");
    world.piton(&["verify"]).exits(0);
    forget();
    let early = world.piton(&[&restore[..], &["--run", "r", "--to-time", "2001-01-01T00:00:00Z"]].concat());
    assert!(early.exits(2).err.contains("holds nothing of run `r` up to 2001"));
    world.piton(&[&restore[..], &["--to-seq", "3"]].concat()).exits(2);
}

#[test]
fn a_damaged_backup_is_never_called_good_and_nothing_stands_on_it() {
    for part in ["/segments/", "/bundles/", "/backups/"] {
        let world = with_a_run();
        back_up(&world);
        objects(&world, part).iter().for_each(flip);
        let verified = world.piton(&["backup", "verify", "--to", &place(&world)]).exits(6);
        assert!(verified.out.contains("damaged: "), "{part}: {}", verified.out);
        world.shell("cp -r .piton ../piton-before").exits(0);
        world.piton(&["note", "r", "later"]).exits(0);
        let made = back_up(&world);
        let name = made["backup"]["name"].as_str().unwrap();
        world.piton(&["backup", "verify", name, "--to", &place(&world)]).exits(0);
        let before = log(&world, "r");
        world.shell("rm -rf .piton .ralph").exits(0);
        world.piton(&["backup", "restore", &place(&world), "--backup", name]).exits(0);
        assert_eq!(log(&world, "r"), before, "{part}");
    }
}

#[test]
fn a_damaged_backup_restores_nothing() {
    let world = with_a_run();
    back_up(&world);
    objects(&world, "/segments/").iter().for_each(flip);
    world.shell("rm -rf .piton .ralph").exits(0);
    let ran = world.piton(&["backup", "restore", &place(&world)]).exits(6);
    assert!(ran.err.contains("is damaged") && ran.err.contains("hint: "), "{}", ran.err);
    assert!(!world.path(".piton/journal.db").exists(), "no journal is begun for it");
}

#[test]
fn old_backups_go_and_what_others_need_stays() {
    let world = with_a_run();
    let mut names = Vec::new();
    for n in 0..4 {
        world.piton(&["note", "r", &format!("note {n}")]).exits(0);
        names.push(back_up(&world)["backup"]["name"].as_str().unwrap().to_owned());
    }
    let prune = ["backup", "prune", "--to", &place(&world), "--keep", "2"];
    world.piton(&prune).exits(0);
    let listed = world.piton(&["backup", "list", "--to", &place(&world)]).exits(0).out;
    assert_eq!(
        names.iter().map(|name| listed.contains(name)).collect::<Vec<_>>(),
        [false, false, true, true]
    );
    assert_eq!(objects(&world, "/segments/").len(), 4, "the newest stands on all of them");
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    // What somebody may be about to list is left alone; what nobody needs goes.
    let stray = objects(&world, "/segments/")[0].with_file_name("0".repeat(64));
    world.shell(&format!("echo x > '{}'", stray.display())).exits(0);
    world.piton(&prune).exits(0);
    assert!(stray.exists());
    let ran = world.piton(&[&prune[..], &["--grace", "0s"]].concat()).exits(0);
    assert!(!stray.exists(), "{ran:?}");
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
}

/// The names of the backups that can be read, oldest first.
fn names(world: &World) -> Vec<String> {
    let listed = world.piton(&["backup", "list", "--to", &place(world), "--json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let backups = listed["backups"].as_array().unwrap();
    backups.iter().map(|backup| backup["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn what_cannot_be_read_is_never_kept_in_place_of_a_backup_that_can() {
    let world = with_a_run();
    world.configure(&format!("[vault]\nbackups = {{ to = \"{}\", max = 2 }}\n", place(&world)));
    back_up(&world);
    let home = objects(&world, "/backups/")[0].parent().unwrap().to_owned();
    for stray in ["x.json", "y.json", "99991231T000000000Z-00000000.json"] {
        std::fs::write(home.join(stray), "{}").unwrap();
    }
    world.piton(&["note", "r", "later"]).exits(0);
    let made = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    assert_eq!((names(&world).len(), names(&world).last()), (2, Some(&made)));
    // The same where somebody prunes: the newest that is whole stays, whatever is beside it.
    let damaged = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    std::fs::write(home.join(format!("{damaged}.json")), "{").unwrap();
    world.piton(&["backup", "prune", "--to", &place(&world), "--keep", "1"]).exits(0);
    assert_eq!(names(&world), std::slice::from_ref(&made));
    // A damaged one that is newer is not passed over in silence, and what helps is named.
    world.shell("rm -rf .piton .ralph").exits(0);
    let refused = world.piton(&["backup", "restore", &place(&world)]).exits(6);
    assert!(refused.err.contains(&format!("--backup {made}` takes the newest")), "{}", refused.err);
    world.piton(&["backup", "restore", &place(&world), "--backup", &made]).exits(0);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test changes its files directly")]
fn which_backup_is_the_newest_does_not_depend_on_the_clock() {
    let world = with_a_run();
    // As if it had been made while the clock was ahead: the name says when, and so does what it says of itself.
    back_up(&world);
    let path = objects(&world, "/backups/").remove(0);
    let text = std::fs::read_to_string(&path).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let ahead = format!("2099{}", &name[4..]);
    let manifest = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
    let manifest = manifest.replace(&name, &ahead).replace("\"made_at\":\"2", "\"made_at\":\"3");
    let digest = piton_store::chain::hex(&piton_store::chain::digest(manifest.as_bytes()));
    std::fs::remove_file(&path).unwrap();
    let path = path.with_file_name(format!("{ahead}.json"));
    std::fs::write(path, format!("{{\"digest\":\"{digest}\",\"manifest\":{manifest}}}")).unwrap();
    assert_eq!(names(&world), std::slice::from_ref(&ahead));
    world.configure(&format!("[vault]\nbackups = {{ to = \"{}\", max = 1 }}\n", place(&world)));
    world.piton(&["note", "r", "after the clock was put right"]).exits(0);
    let made = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    assert_eq!(names(&world), std::slice::from_ref(&made), "the one that was made stays");
    let before = log(&world, "r");
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(log(&world, "r"), before);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages its files directly")]
fn a_backup_that_failed_when_it_was_tried_is_called_damaged_and_never_the_one_that_stays() {
    let world = with_a_run();
    let first = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    let old = objects(&world, "/segments/");
    world.piton(&["note", "r", "later"]).exits(0);
    let second = back_up(&world)["backup"]["name"].as_str().unwrap().to_owned();
    let new = objects(&world, "/segments/").into_iter().find(|path| !old.contains(path)).unwrap();
    let (list, prune) = (
        ["backup", "list", "--to", &place(&world)],
        ["backup", "prune", "--to", &place(&world), "--keep", "1"],
    );
    let sound = std::fs::read(&new).unwrap();
    // A flipped byte, which nobody tried yet: the newest of those that stay is read before anything goes.
    flip(&new);
    let pruned = world.piton(&prune).exits(0);
    assert!(pruned.err.contains(&format!("backup {second} does not count")), "{}", pruned.err);
    assert_eq!(names(&world), [&*first, &*second]);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(6);
    let listed = world.piton(&list).exits(6).out;
    assert!(listed.contains("damaged: it could not be restored when that was tried last"), "{listed}");
    assert_eq!(listed.matches("proven ").count(), 1, "{listed}");
    world.piton(&prune).exits(0);
    assert_eq!(names(&world).len(), 2);
    // Once it can be restored again, it counts again.
    std::fs::write(&new, sound).unwrap();
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    assert_eq!(world.piton(&list).exits(0).out.matches("proven ").count(), 2);
    world.piton(&prune).exits(0);
    assert_eq!(names(&world), [second]);
}

#[test]
fn a_run_that_is_not_the_one_of_the_backup_is_not_called_restored() {
    let world = with_a_run();
    back_up(&world);
    let restore = ["backup", "restore", &place(&world)];
    assert!(world.piton(&restore).exits(0).out.contains("is here already, left as it is"));
    let whole = log(&world, "r").lines().count();
    let begin_anew = || {
        world.shell("rm -rf .piton .ralph .git b.txt && git init -q . && git commit -q --allow-empty -m x")
    };
    begin_anew().exits(0);
    world.piton(&[&restore[..], &["--run", "r", "--to-seq", "3"]].concat()).exits(0);
    let shorter = world.piton(&restore).exits(4).out;
    let more = whole - log(&world, "r").lines().count();
    assert!(shorter.contains(&format!("the backup has {more} events more after that")), "{shorter}");
    begin_anew().exits(0);
    world.loops("r", "echo other > b.txt", &["--check", RED]).exits(0);
    let other = world.piton(&restore).exits(4).out;
    assert!(other.contains("not restored: it is another run"), "{other}");
    begin_anew().exits(0);
    let early = world.piton(&[&restore[..], &["--to-time", "1999-01-01T00:00:00Z"]].concat());
    assert!(early.exits(2).err.contains("the backup holds nothing up to 1999"));
}

/// Removes the object of git that holds this file of the last snapshot of a run, as a disk would.
fn lose_blob(world: &World, run: &str, file: &str) {
    let line = format!("git rev-parse refs/piton/runs/{run}:{file}");
    let id = world.shell(&line).exits(0).out.trim().to_owned();
    world.shell(&format!("rm -f .git/objects/{}/{}", &id[..2], &id[2..])).exits(0);
}

#[test]
fn what_git_has_lost_of_one_run_is_named_and_keeps_no_other_out() {
    let world = World::new();
    world.loops("sound", "echo s > b.txt", &["--check", RED]).exits(0);
    world.shell("rm b.txt").exits(0);
    world.loops("lossy", "echo lost > b.txt", &["--check", RED]).exits(0);
    world.piton(&["verify"]).exits(0);
    lose_blob(&world, "lossy", "b.txt");
    let verified = world.piton(&["verify"]).exits(6).out;
    assert!(verified.contains("lossy: git has lost some of its snapshots"), "{verified}");
    assert!(!verified.contains("sound: "), "{verified}");
    assert!(world.piton(&["doctor"]).out.contains("run `lossy`: git has lost"));
    let made = world.piton(&["backup", "create", "--to", &place(&world)]).exits(6);
    assert!(made.err.contains("run `lossy`: git has lost some of its snapshots"), "{}", made.err);
    assert!(made.out.contains("2 runs, 1 with snapshots"), "{}", made.out);
    let kept = world.beside("replica").display().to_string();
    for _ in 0..2 {
        let shipped = world.piton(&["replicate", &kept, "--once"]).exits(6);
        assert!(shipped.err.contains("run `lossy`: git has lost some of its snapshots"), "{}", shipped.err);
    }
    for place in [place(&world), kept] {
        let elsewhere = World::new();
        elsewhere.piton(&["backup", "restore", &place]).exits(0);
        assert_eq!(log(&elsewhere, "lossy"), log(&world, "lossy"));
        elsewhere.piton(&["restore", "sound", "--force"]).exits(0);
        assert_eq!(elsewhere.read("b.txt"), "s\n");
    }
}

#[test]
fn snapshots_whose_ref_is_gone_are_named_and_come_back_from_an_earlier_backup() {
    let world = with_a_run();
    world.loops("other", "echo x >> a.txt", ONCE).exits(3);
    back_up(&world);
    world.git(&["update-ref", "-d", "refs/piton/runs/r"]);
    world.shell("git reflog expire --expire=now --all && git gc -q --prune=now").exits(0);
    let verified = world.piton(&["verify"]).exits(6).out;
    assert!(verified.contains("r: git has lost its snapshots"), "{verified}");
    // Where no backup has them, a new one says so; where one has, it stands on that.
    let bare = world.beside("bare").display().to_string();
    let made = world.piton(&["backup", "create", "--to", &bare]).exits(6);
    assert!(made.err.contains("run `r`: git has lost its snapshots"), "{}", made.err);
    world.piton(&["note", "r", "later"]).exits(0);
    let made = back_up(&world);
    assert_eq!(made["proof"]["snapshots"], 2, "{made:#}");
    let restored = world.piton(&["backup", "restore", &place(&world), "--run", "r"]).exits(0).out;
    assert!(restored.contains("its snapshots came back"), "{restored}");
    world.piton(&["verify"]).exits(0);
    assert!(!world.piton(&["doctor"]).out.contains("git has lost"));
    // A journal without its repository is whole; what is not there is said.
    world.shell("rm -rf .git && git init -q .").exits(0);
    let verified = world.piton(&["verify"]).exits(0).out;
    assert!(
        verified.contains("r: git has lost its snapshots") && verified.contains("ok: 2 runs"),
        "{verified}"
    );
}

#[test]
fn a_run_whose_events_are_damaged_is_called_so_by_whoever_ships_it_and_by_every_list() {
    let world = with_a_run();
    world.loops("other", "echo x >> a.txt", ONCE).exits(3);
    let kept = place(&world);
    world.piton(&["replicate", &kept, "--once"]).exits(0);
    world.piton(&["note", "r", "not shipped yet"]).exits(0);
    damage(
        &world,
        "update events set body = zeroblob(20) where row = (select max(row) from events where run = \
         (select number from runs where id = 'r'))",
    );
    world.piton(&["note", "other", "this one is sound"]).exits(0);
    let shipped = world.piton(&["replicate", &kept, "--once"]).exits(6);
    assert!(shipped.err.contains("run `r`, event "), "{}", shipped.err);
    assert!(
        world.piton(&["status", "other"]).exits(0).out.contains("damaged here, and not shipped: run `r`")
    );
    assert!(world.piton(&["doctor"]).out.contains("warn  replica"));
    // A list reads the index alone, and knows what a check came to.
    world.piton(&["verify"]).exits(6);
    let listed = world.piton(&["ls"]).exits(6).out;
    assert!(
        listed.lines().any(|line| line.starts_with("r ") && line.contains("damaged: event ")),
        "{listed}"
    );
    world.piton(&["note", "other", "and goes on"]).exits(0);
    world.piton(&["repair"]).exits(6);
    assert!(!world.piton(&["ls"]).exits(0).out.contains("damaged"));
}

#[test]
fn max_backups_bounds_the_copies_of_state_files_as_well() {
    let world = World::new();
    world.configure("[hooks]\nbuiltin = [\"backup\"]\n[vault]\nmax_backups = 2\n");
    for run in ["a", "b", "c", "d"] {
        world.loops(run, "echo x >> a.txt", ONCE).exits(3);
    }
    let copies = world.shell("ls .ralph/backups | grep -c '^state_'").exits(0).out;
    assert_eq!(copies.trim(), "2");
    // Nothing is copied in the clear, and that is said.
    world.piton(&["key", "new", "--out", &world.beside("key").display().to_string()]).exits(0);
    world.configure("[hooks]\nbuiltin = [\"backup\"]\n[vault]\nencrypt = true\nkey_file = \"../key\"\n");
    world.loops("e", "echo x >> a.txt", ONCE).exits(3);
    let log = world.piton(&["log", "e", "--json"]).exits(0).out;
    assert!(log.contains("no copies are made of it"), "{log}");
}

/// A loop, a workflow, a cycle and a ledger, each with events of its own.
pub(crate) const KINDS: [&str; 4] = ["l", "w", "c", "gaps"];

pub(crate) fn with_every_kind(configuration: &str) -> World {
    let world = World::new();
    // For those whose configuration names it.
    let key = world.beside("key").display().to_string();
    world.piton(&["key", "new", "--out", &key]).exits(0);
    world.configure(&configuration.replace("PLACE", &place(&world)));
    world.loops("l", "echo x >> a.txt", ONCE).exits(3);
    world.write("w.yaml", "name: w\nsteps: [{id: a, run: 'true'}]\n");
    world.piton(&["run", "w.yaml", "--run-id", "w"]).exits(0);
    let agent = r#"cat > /dev/null; printf 'PHASE_RESULT:\n- status: completed\n'"#;
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]).exits(0);
    world.piton(&["gaps", "add", "g", "--category", "c"]).exits(0);
    world
}

/// What every run says, by name.
pub(crate) fn every_log(world: &World) -> Vec<String> {
    let listed = world.json(&["ls", "--all"]);
    let mut names: Vec<String> =
        listed.as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names.len(), KINDS.len(), "{names:?}");
    names.iter().map(|run| log(world, run)).collect()
}

/// Loses the journal, and has it back from the newest backup where the configuration says.
fn come_back(world: &World, before: &[String]) {
    world.shell("rm -rf .piton .ralph .agents .workflow").exits(0);
    world.piton(&["backup", "restore", &place(world)]).exits(0);
    world.piton(&["verify"]).exits(0);
    assert_eq!(every_log(world), before);
}

#[test]
fn runs_of_every_kind_are_compressed_and_come_back() {
    let [plain, compressed] = [false, true].map(|compress| {
        let world =
            with_every_kind(&format!("[vault]\ncompress = {compress}\nbackups = {{ to = 'PLACE' }}\n"));
        let before = every_log(&world);
        world.piton(&["backup", "create"]).exits(0);
        come_back(&world, &before);
        let sizes = objects(&world, "/segments/");
        sizes.iter().map(|path| path.metadata().unwrap().len()).sum::<u64>()
    });
    assert!(compressed * 3 < plain * 2, "{compressed} of {plain}");
}

#[test]
fn runs_of_every_kind_are_encrypted_and_come_back() {
    let world = with_every_kind("[vault]\nencrypt = true\nkey_file = '../key'\nbackups = { to = 'PLACE' }\n");
    let before = every_log(&world);
    assert_eq!(world.json(&["key", "status"])["open_pieces"], 0);
    world.piton(&["backup", "create"]).exits(0);
    come_back(&world, &before);
    world.shell("mv ../key ../away").exits(0);
    for run in ["l", "w", "c"] {
        assert!(world.piton(&["log", run]).exits(7).err.contains("encrypted with key"));
    }
}

#[test]
fn runs_of_every_kind_are_opened_by_a_variable_a_command_or_another_recipient() {
    let other = World::new();
    let file = other.beside("key").display().to_string();
    let made = other.json(&["key", "new", "--out", &file]);
    let recipient = made["recipient"].as_str().unwrap();
    let world = with_every_kind(&format!(
        "[vault]\nencrypt = true\nkey_file = '../key'\nkey_env = 'OURS'\nkey_command = 'cat ../printed'\n\
         recipients = ['{recipient}']\n"
    ));
    let before = every_log(&world);
    let text = world.shell("cat ../key && mv ../key ../away").exits(0).out;
    let every = |variables: &[(&str, &str)], code: i32| {
        let mut logs = Vec::new();
        for run in ["c", "l", "w"] {
            logs.push(world.piton_with(variables, &["log", run, "--json"]).exits(code).out);
        }
        world.piton_with(variables, &["gaps", "list"]).exits(code);
        code != 0 || logs.iter().all(|log| before.contains(log))
    };
    assert!(every(&[], 7));
    assert!(every(&[("OURS", &text)], 0), "key_env");
    assert!(every(&[("PITON_KEY_FILE", &file)], 0), "recipients");
    world.shell("cp ../away ../printed").exits(0);
    assert!(every(&[], 0), "key_command");
}

#[test]
fn backup_dir_and_max_backups_are_other_words_whatever_the_kind_of_run() {
    let world = with_every_kind("[vault]\nbackup_dir = 'PLACE'\nmax_backups = 2\n");
    let before = every_log(&world);
    for _ in 0..4 {
        world.piton(&["backup", "create"]).exits(0);
    }
    assert_eq!(objects(&world, "/backups/").len(), 2);
    come_back(&world, &before);
    world.configure("[vault]\nbackup_dir = 'a'\nbackups = { to = 'b' }\n");
    let refused = world.piton(&["backup", "list"]).exits(2);
    assert!(refused.err.contains("say different things"), "{}", refused.err);
}

#[test]
fn runs_of_every_kind_go_to_where_the_configuration_says() {
    let world = with_every_kind("[vault.backups]\nto = 'PLACE'\n");
    let before = every_log(&world);
    world.piton(&["backup", "create"]).exits(0);
    assert!(!world.path(".ralph/backups/vault").exists());
    come_back(&world, &before);
}

#[test]
fn so_many_backups_stay_whatever_the_kind_of_run() {
    let world = with_every_kind("[vault.backups]\nto = 'PLACE'\nmax = 2\n");
    let before = every_log(&world);
    for _ in 0..4 {
        world.piton(&["backup", "create"]).exits(0);
    }
    assert_eq!(objects(&world, "/backups/").len(), 2);
    come_back(&world, &before);
}

#[test]
fn backups_stay_for_so_long_whatever_the_kind_of_run() {
    let world = with_every_kind("[vault.backups]\nto = 'PLACE'\nmax_age = '1ms'\n");
    let before = every_log(&world);
    for _ in 0..3 {
        world.piton(&["backup", "create"]).exits(0);
    }
    assert_eq!(objects(&world, "/backups/").len(), 1, "the newest stays in any case");
    world.configure("[vault.backups]\nto = '../kept'\nmax_age = '8h'\n");
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(objects(&world, "/backups/").len(), 2);
    come_back(&world, &before);
}

#[test]
fn the_configuration_says_where_backups_go_and_how_many_stay() {
    let world = with_a_run();
    world.configure(&format!("[vault]\nbackups = {{ to = \"{}\", max = 2 }}\n", place(&world)));
    for n in 0..4 {
        world.piton(&["note", "r", &format!("note {n}")]).exits(0);
        world.piton(&["backup", "create"]).exits(0);
    }
    assert_eq!(world.json(&["backup", "list"])["backups"].as_array().unwrap().len(), 2);
    assert_eq!(objects(&world, "/backups/").len(), 2);
    // Whoever sends a repository does not say where backups go.
    world.write("piton.toml", "[vault.backups]\nto = \"elsewhere\"\n");
    world.piton(&["backup", "create"]).exits(4);
    assert_eq!(world.json(&["backup", "list"])["backups"].as_array().unwrap().len(), 0);
    assert!(!world.path("elsewhere").exists() && !world.path(".ralph/backups/vault").exists());
}

#[test]
fn what_is_asked_for_and_not_possible_is_refused() {
    let world = with_a_run();
    world.write("piton.toml", "[vault]\nencrypt = true\n");
    let ran = world.piton(&["backup", "create", "--trust"]).exits(7);
    assert!(ran.err.contains("encryption is asked for and cannot be done"), "{}", ran.err);
    world.piton(&["backup", "create"]).exits(4);
    assert!(!world.path(".ralph/backups").exists(), "nothing is written in its name");
}

#[test]
fn backups_in_the_repository_are_nobodys_work() {
    let world = with_a_run();
    world.piton(&["backup", "create"]).exits(0);
    assert!(world.path(".ralph/backups/vault").is_dir());
    assert_eq!(world.git(&["status", "--porcelain", "--", ".ralph"]), "");
    world.loops("s", "echo y >> a.txt; \"$PITON_BIN\" backup create 2> \"$BESIDE/said\"", ONCE).exits(3);
    let changed = world.json(&["status", "s"])["changed"]["files"].to_string();
    assert!(changed.contains("a.txt") && !changed.contains("vault"), "{changed}");
    let said = std::fs::read_to_string(world.beside("said")).unwrap();
    assert!(said.contains("this is for people"), "{said}");
}

#[test]
fn a_damaged_run_keeps_no_other_out_of_a_backup() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    back_up(&world);
    let whole = log(&world, "s");
    world.piton(&["note", "r", "later"]).exits(0);
    damage(&world, "update runs set title = 'else' where id = 's'");
    let ran = world.piton(&["backup", "create", "--to", &place(&world)]).exits(6);
    assert!(ran.out.contains("2 runs") && ran.err.contains("run `s`: its index row"), "{ran:?}");
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(log(&world, "s"), whole, "what the backup before has of it");
    assert_eq!(world.count("r", "note_added"), 1);
}

#[test]
fn a_journal_that_is_whole_is_not_repaired() {
    let world = with_a_run();
    // Its write-ahead log may be folded in meanwhile, by whoever closes it last.
    let files = || world.shell("ls -A .piton | grep -v journal.db-").out;
    let before = (files(), log(&world, "r"));
    let ran = world.piton(&["repair"]).exits(0);
    assert_eq!(ran.out, "nothing is damaged; nothing was changed\n");
    assert_eq!((files(), log(&world, "r")), before);
    let none = World::new();
    none.piton(&["repair"]).exits(2);
    assert!(!none.path(".piton").exists(), "looking leaves nothing behind");
}

#[test]
fn a_damaged_index_is_made_again_from_the_events() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let (r, s) = (log(&world, "r"), log(&world, "s"));
    let title = world.json(&["status", "s"])["title"].clone();
    damage(&world, "update runs set title = 'else', head_seq = 2 where id = 's'");
    world.piton(&["verify"]).exits(6);
    let ran = world.piton(&["repair"]).exits(0);
    assert!(ran.out.contains("nothing is lost") && ran.out.contains("s: "), "{}", ran.out);
    assert_eq!((log(&world, "r"), log(&world, "s")), (r, s));
    assert_eq!(world.json(&["status", "s"])["title"], title);
    world.piton(&["verify"]).exits(0);
    world.piton(&["resume", "s", "--max-iterations", "+1"]).exits(3);
    let aside = world.shell("ls .piton/damaged/*/journal.db .piton/damaged/*/anchors/s").exits(0).out;
    assert_eq!(aside.lines().count(), 2, "the damaged one is there as a whole: {aside}");
}

#[test]
fn the_good_beginning_of_a_run_is_kept_and_what_is_lost_is_said() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let (whole, other) = (world.events("s"), log(&world, "r"));
    damage(
        &world,
        "update events set body = zeroblob(length(body)) where row = \
                    (select row from events where run = (select number from runs where id = 's') order by row limit 1 offset 3)",
    );
    let ran = world.piton(&["repair"]).exits(6);
    let there = world.events("s");
    assert!(there.len() > 2 && there.len() < whole.len(), "{} of {}", there.len(), whole.len());
    assert_eq!(there, whole[..there.len()]);
    let lost = format!("lost   s: events {} to {} were acknowledged", there.len() + 1, whole.len());
    assert!(ran.out.contains(&lost), "{lost}\n{}", ran.out);
    assert_eq!(log(&world, "r"), other);
    world.piton(&["verify"]).exits(0);
    let again = world.piton(&["repair"]).exits(0).out;
    assert!(
        again.contains(&lost) && again.contains("nothing else is damaged; nothing was changed"),
        "{again}"
    );
}

#[test]
fn what_a_damaged_journal_lost_comes_from_the_newest_backup() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let (r, s) = (log(&world, "r"), log(&world, "s"));
    world.configure(&format!("[vault.backups]\nto = \"{}\"\n", place(&world)));
    world.piton(&["backup", "create"]).exits(0);
    damage(&world, "update events set body = zeroblob(length(body)) where seq > 2");
    let ran = world.piton(&["repair"]).exits(0);
    assert!(ran.out.contains("from backup ") && ran.out.contains("nothing is lost"), "{}", ran.out);
    assert_eq!((log(&world, "r"), log(&world, "s")), (r.clone(), s.clone()));
    // Nothing of the database can be read at all.
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(world.path(&format!(".piton/journal.db{suffix}")));
    }
    world.write(".piton/journal.db", &"garbage ".repeat(4096));
    world.piton(&["status"]).exits(6);
    world.piton(&["repair"]).exits(0);
    assert_eq!((log(&world, "r"), log(&world, "s")), (r.clone(), s.clone()));
    // It is gone.
    world.shell("rm .piton/journal.db*").exits(0);
    world.piton(&["status"]).exits(6);
    world.piton(&["repair"]).exits(0);
    assert_eq!((log(&world, "r"), log(&world, "s")), (r, s));
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_run_that_was_removed_does_not_come_back_with_a_repair() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    world.piton(&["backup", "create"]).exits(0);
    world.piton(&["rm", "s"]).exits(0);
    damage(&world, "update runs set title = 'else' where id = 'r'");
    world.piton(&["repair"]).exits(0);
    world.piton(&["status", "r"]).exits(0);
    world.piton(&["status", "s"]).exits(2);
}

#[test]
fn nobody_drives_while_a_journal_is_repaired() {
    let world = World::new();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    world.loops_behind("r", &format!("{WAITS}; touch b.txt"), &["--check", RED]);
    damage(&world, "update runs set title = 'else' where id = 's'");
    let ran = world.piton(&["repair"]).exits(5);
    assert!(ran.err.contains("run `r` is being driven"), "{}", ran.err);
    world.kill_driver("r");
    world.piton(&["repair"]).exits(0);
    // The agent works on, and whoever drives next finds it.
    world.piton(&["resume", "r", "--detach"]).exits(0);
    world.open_gate();
    world.piton(&["wait", "r"]).exits(0);
    assert_eq!(world.count("r", "attempt_started"), 1);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn what_is_left_of_a_foreign_journal_is_not_taken_over_by_a_repair() {
    let world = with_a_run();
    damage(&world, "update runs set title = 'else' where id = 'r'");
    world.shell("rm \"$PITON_CONFIG_DIR\"/*").exits(0);
    let ran = world.piton(&["repair"]).exits(4);
    assert!(ran.err.contains("does not say that it is yours"), "{}", ran.err);
    world.piton(&["repair", "--trust"]).exits(0);
    world.piton(&["verify"]).exits(0);
}

/// One that an agent put into the repository goes on with a chain as it likes: nothing of it counts that was not
/// acknowledged here.
#[test]
fn a_backup_in_the_repository_adds_nothing_beyond_what_was_acknowledged() {
    let world = with_a_run();
    world.shell("cp -r .piton ../before").exits(0);
    world.piton(&["note", "r", "a forged history"]).exits(0);
    world.piton(&["backup", "create"]).exits(0);
    // The journal of before, with its own anchors; the backup knows more than ever happened to it.
    world.shell("rm -rf .piton && mv ../before .piton").exits(0);
    let before = world.events("r");
    damage(&world, "update events set body = zeroblob(length(body)) where seq > 2");
    world.piton(&["repair"]).exits(0);
    assert_eq!(world.events("r"), before);
}

/// Ends the process at each of its steps, one after the other; then the same command goes on.
#[test]
fn whoever_is_killed_while_repairing_repairs_again() {
    let world = with_a_run();
    world.piton(&["backup", "create"]).exits(0);
    let whole = log(&world, "r");
    damage(&world, "update events set body = zeroblob(length(body)) where seq > 4");
    world.shell("cp -r .piton ../damaged && cp -r \"$PITON_CONFIG_DIR\" ../listed").exits(0);
    let mut ended = 0;
    for n in (1..).step_by(3) {
        world.shell("rm -rf .piton && cp -r ../damaged .piton").exits(0);
        let ran = world.piton_with(&[("PITON_ABORT_AT", &n.to_string())], &["repair"]);
        if ran.code == 0 {
            break;
        }
        ended += 1;
        assert_eq!(ran.code, -1, "{ran:?}");
        let again = world.piton(&["repair"]).exits(0);
        assert_eq!(log(&world, "r"), whole, "ended at {n}: {again:?}");
        world.piton(&["verify"]).exits(0);
    }
    assert!(ended > 20, "it was ended {ended} times");
}

#[test]
fn whoever_is_killed_while_backing_up_leaves_no_backup_that_does_not_restore() {
    let world = with_a_run();
    back_up(&world);
    world.piton(&["note", "r", "later"]).exits(0);
    let mut ended = 0;
    for n in (1..).step_by(7) {
        let create = ["backup", "create", "--to", &place(&world)];
        let ran = world.piton_with(&[("PITON_ABORT_AT", &n.to_string())], &create);
        if ran.code == 0 {
            break;
        }
        ended += 1;
        assert_eq!(ran.code, -1, "{ran:?}");
    }
    assert!(ended > 5, "it was ended {ended} times");
    // Of one that died nobody knows that it is dead: for a day its pieces stay.
    assert!(!objects(&world, "/pending/").is_empty());
    let before = objects(&world, "/segments/").len();
    let prune = ["backup", "prune", "--to", &place(&world), "--keep", "1", "--grace", "0s"];
    world.piton(&prune).exits(0);
    assert_eq!(objects(&world, "/segments/").len(), before);
    world.piton(&["backup", "verify", "--to", &place(&world)]).exits(0);
    assert_eq!(world.shell("ls .piton/scratch").out, "lock\n", "what the dead left is gone");
}

#[test]
fn whoever_is_killed_while_restoring_restores_again() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let (r, s) = (log(&world, "r"), log(&world, "s"));
    back_up(&world);
    let mut ended = 0;
    for n in (1..).step_by(5) {
        world.shell("rm -rf .piton .ralph").exits(0);
        let restore = ["backup", "restore", &place(&world)];
        let ran = world.piton_with(&[("PITON_ABORT_AT", &n.to_string())], &restore);
        if ran.code == 0 {
            break;
        }
        ended += 1;
        assert_eq!(ran.code, -1, "{ran:?}");
        world.piton(&restore).exits(0);
        assert_eq!((log(&world, "r"), log(&world, "s")), (r.clone(), s.clone()), "ended at {n}");
        world.piton(&["verify"]).exits(0);
    }
    assert!(ended > 10, "it was ended {ended} times");
}

#[test]
fn the_page_about_damage_shows_what_happens() {
    let page = include_str!("../../../../docs/when-things-go-wrong.md");
    let steps = follow(&World::outside_git(), page, "");
    assert!(steps > 20, "{steps} commands");
}
