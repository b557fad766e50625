//! Somebody saves the file while a command is at work on it.

use std::fs::File;
use std::io::Write as _;
use std::time::Duration;

use piton_sys::lock::FileLock;

use super::{NOW, gaps, ledger};
use crate::common::{Started, World, eventually, within};

/// Long enough for a piton without patience to be wrong.
const A_MOMENT: Duration = Duration::from_millis(100);

/// A ledger that piton knows.
fn known() -> World {
    let world = ledger();
    gaps(&world, &["check", "legal"]).exits(0);
    world
}

fn start(world: &World, words: &[&str]) -> Started {
    let points = world.beside("points").display().to_string();
    world.start_with(&[("PITON_FAULT_LOG", &points)], &[&["gaps"], words, &["--now", NOW]].concat())
}

/// How often the command that was started came to this point.
fn hits(world: &World, point: &str) -> usize {
    let points = std::fs::read_to_string(world.beside("points")).unwrap_or_default();
    points.lines().filter(|line| *line == point).count()
}

/// The command, held where its change is on record and the file does not hold it yet.
fn held(world: &World, words: &[&str]) -> (Started, FileLock) {
    let run = world.json(&["ls", "--kind", "ledger"])[0]["run_id"].as_str().unwrap().to_owned();
    let lock = FileLock::exclusive(&world.path(&format!(".piton/ledgers/{run}/lock"))).unwrap();
    let started = start(world, words);
    // The first lock is the ledger's, the second the file's.
    eventually("it is about to write the file", || hits(world, "lock.acquire") == 2);
    (started, lock)
}

/// What the file may hold while an editor saves it in place.
const BEGINNINGS: [&str; 3] = ["", "# Ours.\n", "gaps:\n"];

/// The same, and half of it as one that is slow has written it: sound by itself.
fn beginnings(full: &str) -> Vec<String> {
    let half = &full[..full.rfind("- id:").unwrap()];
    BEGINNINGS.into_iter().chain([half]).map(str::to_owned).collect()
}

/// What an editor that saves in place does first.
fn begin(world: &World, beginning: &str) {
    let mut file = File::options().write(true).truncate(true).open(world.path("gaps.yaml")).unwrap();
    file.write_all(beginning.as_bytes()).unwrap();
}

#[test]
fn a_change_that_an_edit_leaves_no_room_for_is_an_error() {
    let is_right = "teams: the file says otherwise about findings, and is right";
    let given_up = "legal: edited or removed in the file meanwhile; the change was given up";
    let stays = "legal: changed in the file meanwhile, and stays";
    let legal = "- id: legal\n  category: law\n  blocked_by: [teams]\n";
    for (words, old, new, told) in [
        (
            &["verify", "teams", "--findings", "ours"][..],
            "priority: 5",
            "priority: 5\n  findings: mine",
            is_right,
        ),
        (&["update", "teams", "findings=ours"], "priority: 5", "priority: 5\n  findings: mine", is_right),
        (&["update", "legal", "findings=ours"], legal, "", given_up),
        (&["check", "legal"], legal, "", given_up),
        (&["remove", "legal"], "category: law", "category: laws", stays),
        (&["update", "teams", "findings=ours", "--json"], "5\n", "5\n  findings: mine\n", is_right),
    ] {
        let world = ledger();
        gaps(&world, &["check", "pricing"]).exits(0);
        let (started, lock) = held(&world, words);
        world.write("gaps.yaml", &world.read("gaps.yaml").replace(old, new));
        drop(lock);
        let ran = started.ends().exits(1);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(told), "{words:?}\n{all}");
        assert!(!ran.out.contains("done") && !ran.out.contains("removed"), "{words:?}\n{all}");
        assert!(gaps(&world, &["log"]).exits(0).out.contains(told), "{words:?}");
        gaps(&world, &["check", "teams"]).exits(0);
    }
}

#[test]
fn what_an_earlier_command_gave_up_does_not_fail_the_next() {
    let world = known();
    let (started, lock) = held(&world, &["update", "teams", "findings=ours"]);
    started.signal(crate::common::Signal::KILL);
    started.ends();
    drop(lock);
    world
        .write("gaps.yaml", &world.read("gaps.yaml").replace("priority: 5", "priority: 5\n  findings: mine"));
    let ran = gaps(&world, &["update", "teams", "findings=again"]).exits(0);
    assert!(ran.err.contains("note: teams: the file says otherwise about findings"), "{}", ran.err);
    assert!(world.read("gaps.yaml").contains("findings: again"), "{}", world.read("gaps.yaml"));
}

#[test]
fn a_file_that_is_saved_in_place_is_waited_for_before_it_is_read() {
    let full = known().read("gaps.yaml");
    for beginning in &beginnings(&full) {
        let world = known();
        begin(&world, beginning);
        let started = start(&world, &["verify", "teams", "--findings", "Nine."]);
        eventually("it has the ledger", || {
            // The moment in which it says nothing begins again.
            begin(&world, beginning);
            hits(&world, "lock.acquire") > 0
        });
        within(A_MOMENT, || hits(&world, "store.begin") > 0);
        world.write("gaps.yaml", &full.replace("category: law", "category: laws"));
        started.ends().exits(0);
        both_are_there(&world);
    }
}

#[test]
fn a_file_that_is_saved_in_place_is_waited_for_before_it_is_written() {
    let full = known().read("gaps.yaml");
    for beginning in &beginnings(&full) {
        let world = known();
        let (started, lock) = held(&world, &["verify", "teams", "--findings", "Nine."]);
        let begun = hits(&world, "store.begin");
        begin(&world, beginning);
        drop(lock);
        within(A_MOMENT, || hits(&world, "store.begin") > begun);
        world.write("gaps.yaml", &full.replace("category: law", "category: laws"));
        started.ends().exits(0);
        both_are_there(&world);
    }
}

/// The edit and the change, and nobody has taken anything for removed.
fn both_are_there(world: &World) {
    let text = world.read("gaps.yaml");
    assert!(text.contains("category: laws") && text.contains("findings: Nine."), "{text}");
    let log = gaps(world, &["log"]).exits(0).out;
    assert!(!log.contains("removed from the file") && !log.contains("given up"), "{log}");
}

#[test]
fn a_file_that_says_nothing_any_more_removes_no_gap() {
    for beginning in BEGINNINGS {
        let world = known();
        let full = world.read("gaps.yaml");
        begin(&world, beginning);
        for words in [&["check", "teams"][..], &["list"], &["stale", "--apply"]] {
            let ran = gaps(&world, words).exits(1);
            assert!(
                ran.err.contains("gaps.yaml` lists no gaps any more, and 3 are on record"),
                "{}",
                ran.err
            );
            assert!(ran.err.contains("write `gaps: []` into it if all of them are to go"), "{}", ran.err);
        }
        assert_eq!(world.read("gaps.yaml"), beginning);
        // What was on record meanwhile is in the file once that is back.
        let (started, lock) = {
            world.write("gaps.yaml", &full);
            held(&world, &["verify", "teams", "--findings", "Nine."])
        };
        begin(&world, beginning);
        drop(lock);
        let ran = started.ends().exits(1);
        assert!(ran.err.contains("lists no gaps any more"), "{}", ran.err);
        assert_eq!(world.read("gaps.yaml"), beginning);
        world.write("gaps.yaml", &full.replace("category: law", "category: laws"));
        gaps(&world, &["check", "legal"]).exits(0);
        both_are_there(&world);
    }
}

#[test]
fn a_file_that_says_that_there_are_no_gaps_is_adopted() {
    let world = known();
    world.write("gaps.yaml", "gaps: []\n");
    gaps(&world, &["check", "teams"]).exits(2);
    let log = gaps(&world, &["log", "--gap", "teams"]).exits(0).out;
    assert!(log.contains("teams: removed from the file"), "{log}");
    assert_eq!(world.json(&["gaps", "list"]), serde_json::json!([]));
    let world = known();
    let (started, lock) = held(&world, &["verify", "teams", "--findings", "Nine."]);
    world.write("gaps.yaml", "gaps: []\n");
    drop(lock);
    let ran = started.ends().exits(1);
    assert!(ran.err.contains("teams: edited or removed in the file meanwhile"), "{}", ran.err);
    assert_eq!(world.read("gaps.yaml"), "gaps: []\n");
}
