//! What is collected and archived: nothing that is needed goes, what stays verifies, and what went comes back.

use serde_json::Value;

use crate::common::{WAITS, World};
use crate::vault::{ONCE, RED, back_up, damage, every_log, log, objects, place, with_a_run, with_every_kind};

/// Everything that is over is due, and backups go beside the repository.
const AT_ONCE: &str = "[vault.backups]\nto = 'PLACE'\n[vault.retention]\nfinished_for = '1ms'\n";

fn configured(world: &World, text: &str) {
    world.configure(&text.replace("PLACE", &place(world)));
}

fn collect(world: &World) -> Value {
    world.json(&["gc", "--grace", "0s"])
}

/// What was collected, sort by sort.
fn sorts(collected: &Value) -> Vec<String> {
    let all = collected["collected"].as_array().unwrap();
    all.iter().map(|one| one["what"].as_str().unwrap().to_owned()).collect()
}

fn archived(collected: &Value) -> Vec<String> {
    let mut runs: Vec<String> = collected["archived"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect();
    runs.sort();
    runs
}

fn names(world: &World) -> Vec<String> {
    let listed = world.json(&["ls", "--all"]);
    listed.as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

/// How many events of a run are only digests.
fn digests(world: &World, run: &str) -> usize {
    world.events(run).iter().filter(|event| event["data"]["archived"] == true).count()
}

#[test]
fn without_a_policy_nothing_of_a_run_is_collected() {
    let world = with_every_kind("");
    let (before, refs) = (every_log(&world), world.git(&["show-ref"]));
    let attempts = world.shell("find .piton/attempts -type f | sort").out;
    let done = collect(&world);
    assert_eq!((archived(&done).len(), sorts(&done)), (0, Vec::<String>::new()), "{done:#}");
    assert_eq!((every_log(&world), world.git(&["show-ref"])), (before, refs));
    assert_eq!(world.shell("find .piton/attempts -type f | sort").out, attempts);
    assert!(world.piton(&["gc"]).exits(0).out.contains("nothing to collect"));
}

#[test]
fn runs_of_every_kind_are_archived_and_come_back() {
    let world = with_every_kind("");
    configured(&world, "[vault.backups]\nto = 'PLACE'\n[vault.retention]\nfinished_for = '1ms'\n");
    let before = every_log(&world);
    let statuses: Vec<Value> = ["l", "w", "c"].iter().map(|run| world.json(&["status", run])).collect();
    world.piton(&["backup", "create"]).exits(0);
    let dry = world.json(&["gc", "--grace", "0s", "--dry-run"]);
    assert_eq!(archived(&dry), ["c", "l", "w"], "a ledger is never over");
    assert_eq!(every_log(&world), before, "it was only looked at");
    assert_eq!(archived(&collect(&world)), ["c", "l", "w"]);
    world.piton(&["verify"]).exits(0);
    for (run, status) in ["l", "w", "c"].iter().zip(&statuses) {
        let events = world.events(run);
        assert_eq!(digests(&world, run), events.len() - 1, "{run}: what names its state stays");
        let now = world.json(&["status", run]);
        assert_eq!((&now["status"], &now["updated_at"]), (&status["status"], &status["updated_at"]));
        assert_eq!(now["archive"]["through"].as_u64().unwrap() as usize, events.len() - 1);
        let screen = world.piton(&["status", run]).exits(0).out;
        assert!(screen.contains("archive") && screen.contains(&place(&world)), "{screen}");
        let told = world.piton(&["log", run]).exits(0);
        assert!(told.err.contains("is archived") && told.out.contains("(archived)"), "{told:?}");
    }
    let ledger = names(&world).into_iter().find(|run| !["l", "w", "c"].contains(&run.as_str())).unwrap();
    assert_eq!(digests(&world, &ledger), 0, "a ledger is never over");
    // A second time there is nothing to do, and the next backup holds all of it.
    assert_eq!(archived(&collect(&world)), [""; 0]);
    world.piton(&["backup", "create"]).exits(0);
    // What the status says brings them back.
    for run in ["l", "w", "c"] {
        let ran = world.piton(&["backup", "restore", &place(&world), "--run", run]).exits(0);
        assert!(ran.out.contains(run), "{ran:?}");
        assert_eq!(digests(&world, run), 0);
        assert!(world.json(&["status", run])["archive"].is_null());
    }
    world.piton(&["verify"]).exits(0);
    let whole: Vec<String> = every_log(&world);
    for (whole, before) in whole.iter().zip(&before) {
        assert!(whole.starts_with(before.as_str()), "event by event, hash by hash");
    }
}

#[test]
fn a_run_is_archived_only_where_a_backup_that_restores_has_all_of_it() {
    let world = with_a_run();
    configured(&world, AT_ONCE);
    let before = log(&world, "r");
    let refused = |why: &str| {
        let done = collect(&world);
        assert_eq!(archived(&done), [""; 0], "{why}");
        assert!(done["notes"].to_string().contains("no backup has all of it"), "{why}: {done:#}");
        assert!(log(&world, "r").starts_with(&before), "{why}");
    };
    refused("there is none");
    world.piton(&["backup", "create"]).exits(0);
    world.piton(&["note", "r", "since then"]).exits(0);
    refused("it has not all of it");
    world.piton(&["backup", "create"]).exits(0);
    for object in objects(&world, "/segments/") {
        crate::vault::flip(&object);
    }
    refused("it does not restore");
    assert_eq!(digests(&world, "r"), 0);
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(archived(&collect(&world)), ["r"]);
}

#[test]
fn without_a_backup_runs_of_every_kind_are_archived_only_where_that_is_said() {
    let world = with_every_kind("");
    configured(&world, AT_ONCE);
    assert_eq!(archived(&collect(&world)), [""; 0]);
    configured(&world, &format!("{AT_ONCE}only_if_backed_up = false\n"));
    assert_eq!(archived(&collect(&world)), ["c", "l", "w"]);
    world.piton(&["verify"]).exits(0);
    let screen = world.piton(&["status", "w"]).exits(0).out;
    assert!(screen.contains("no backup had to have them"), "{screen}");
}

#[test]
fn an_archived_run_goes_on_from_where_it_was_and_gives_its_files_back() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt", ONCE).exits(3);
    configured(&world, AT_ONCE);
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(archived(&collect(&world)), ["r"]);
    world.write("a.txt", "something else\n");
    world.piton(&["restore", "r", "--iteration", "1", "--force"]).exits(0);
    assert_eq!(world.read("a.txt"), "a\nx\n");
    world.piton(&["resume", "r", "--max-iterations", "+1"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["iteration"], 2);
    world.piton(&["verify"]).exits(0);
    // What needs all of it says where that is.
    let ran = world.piton(&["report", "r"]).exits(2);
    assert!(ran.err.contains("archived") && ran.err.contains("`piton status r`"), "{ran:?}");
    // It went on, and the backup still has what came before.
    world.piton(&["backup", "restore", &place(&world), "--run", "r"]).exits(0);
    assert_eq!(digests(&world, "r"), 0);
    assert!(world.piton(&["report", "r"]).exits(0).out.contains("| 1"));
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_backup_that_begins_anew_has_archived_runs_whole_and_one_elsewhere_as_they_are() {
    let world = with_a_run();
    configured(&world, AT_ONCE);
    let before = log(&world, "r");
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(archived(&collect(&world)), ["r"]);
    let elsewhere = world.beside("elsewhere").display().to_string();
    world.piton(&["backup", "create", "--to", &elsewhere]).exits(0);
    // More pieces than a backup stands on.
    for n in 0..70 {
        world.piton(&["note", "r", &format!("note {n}")]).exits(0);
        world.piton(&["backup", "create"]).exits(0);
    }
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &place(&world)]).exits(0);
    assert_eq!(digests(&world, "r"), 0, "the newest has what the first had");
    assert!(log(&world, "r").starts_with(&before));
    world.shell("rm -rf .piton .ralph").exits(0);
    world.piton(&["backup", "restore", &elsewhere]).exits(0);
    world.piton(&["verify"]).exits(0);
    assert!(digests(&world, "r") > 0);
    assert_eq!(world.json(&["status", "r"])["status"], "completed");
    world.piton(&["backup", "restore", &place(&world), "--run", "r"]).exits(0);
    assert_eq!(digests(&world, "r"), 0);
}

#[test]
fn a_repair_keeps_archived_runs_and_knows_which_were_removed() {
    let world = with_a_run();
    for run in ["s", "t"] {
        world.loops(run, "echo y >> a.txt", ONCE).exits(3);
    }
    configured(&world, AT_ONCE);
    world.piton(&["backup", "create"]).exits(0);
    assert_eq!(archived(&collect(&world)), ["r", "s", "t"]);
    world.piton(&["rm", "t"]).exits(0);
    let before = (log(&world, "r"), world.json(&["status", "r"])["archive"].clone());
    damage(&world, "update runs set title = 'other' where id = 's'");
    // The backup is out of reach.
    world.shell(&format!("mv '{0}' '{0}.away'", place(&world))).exits(0);
    world.piton(&["repair"]).exits(0);
    world.piton(&["verify"]).exits(0);
    assert_eq!((log(&world, "r"), world.json(&["status", "r"])["archive"].clone()), before);
    assert_eq!(world.json(&["status", "s"])["reason"], "limit:iterations");
    world.loops("t", "true", ONCE).exits(2);
    world.shell(&format!("mv '{0}.away' '{0}'", place(&world))).exits(0);
    world.piton(&["backup", "restore", &place(&world), "--run", "s"]).exits(0);
    assert_eq!(digests(&world, "s"), 0);
}

#[test]
fn what_agents_printed_in_runs_of_every_kind_goes_after_its_time() {
    let world = with_every_kind("");
    let count = |run: &str| {
        let found = world.shell(&format!("find .piton/attempts/{run} -name stdout.log 2> /dev/null | wc -l"));
        found.out.trim().parse::<usize>().unwrap()
    };
    let runs = ["l", "w", "c"];
    assert!(runs.iter().all(|run| count(run) > 0));
    configured(&world, "[vault.retention]\nattempts_for = '1d'\n");
    collect(&world);
    assert!(runs.iter().all(|run| count(run) > 0), "it is not time");
    configured(&world, "[vault.retention]\nattempts_for = '1ms'\n");
    world.piton(&["gc"]).exits(0);
    assert!(runs.iter().all(|run| count(run) > 0), "they were written a moment ago");
    assert_eq!(sorts(&collect(&world)), ["attempts"; 3]);
    assert!(runs.iter().all(|run| count(run) == 0));
    world.piton(&["verify"]).exits(0);
    world.piton(&["resume", "l", "--max-iterations", "+1"]).exits(3);
}

#[test]
fn a_journal_that_was_put_aside_goes_after_its_time_and_never_the_newest() {
    let world = with_every_kind("");
    let aside =
        || world.shell("ls .piton/damaged").exits(0).out.lines().map(str::to_owned).collect::<Vec<_>>();
    for n in 0..3 {
        damage(&world, &format!("update runs set title = 'other {n}' where number = 2"));
        world.piton(&["repair"]).exits(0);
    }
    let before = aside();
    collect(&world);
    assert_eq!(aside(), before, "there is no policy");
    configured(&world, "[vault.retention]\naside_for = '1ms'\n");
    let dry = world.json(&["gc", "--grace", "0s", "--dry-run"]);
    let named: Vec<&str> =
        dry["collected"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(named, before[..2]);
    assert_eq!(aside(), before);
    collect(&world);
    assert_eq!(aside(), before[2..]);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn a_journal_that_grew_large_says_so_whatever_the_kind_of_run() {
    let world = with_every_kind("");
    let runs = names(&world);
    for run in &runs {
        assert!(!world.piton(&["status", run]).exits(0).out.contains("warning  the journal"), "{run}");
    }
    configured(&world, "[vault.retention]\nwarn_at = '2KiB'\n");
    for run in &runs {
        let screen = world.piton(&["status", run]).exits(0).out;
        assert!(screen.contains("warning  the journal takes"), "{screen}");
        assert!(screen.contains("`piton ls --size`"), "{screen}");
    }
    assert!(world.piton(&["ls", "--size"]).exits(0).err.contains("warning: the journal takes"));
    assert!(world.piton(&["doctor"]).out.contains("the journal takes"));
}

#[test]
fn sizes_are_shown_run_by_run_and_together() {
    let world = World::new();
    world.loops("r", "echo x >> a.txt; head -c 300000 /dev/urandom | base64; echo done", ONCE).exits(3);
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let sizes = world.json(&["ls", "--size"]);
    let runs = sizes["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["run_id"]), (2, &"r".into()), "the largest first");
    assert!(runs[0]["attempt_bytes"].as_u64().unwrap() > 400_000);
    for run in runs {
        assert!(run["journal_bytes"].as_u64().unwrap() > 1000 && run["snapshot_bytes"].as_u64().unwrap() > 0);
    }
    let total = sizes["total"]["total_bytes"].as_u64().unwrap();
    let sum: u64 = runs.iter().map(|run| run["attempt_bytes"].as_u64().unwrap()).sum();
    assert!(total > sum + sizes["total"]["journal_bytes"].as_u64().unwrap());
    let shown = world.piton(&["ls", "--size"]).exits(0).out;
    assert!(shown.contains("all together") && shown.lines().count() == 3, "{shown}");
}

#[test]
fn what_runs_left_that_are_gone_is_collected_and_what_is_at_work_is_not() {
    let world = with_a_run();
    world.loops_behind("busy", WAITS, &["--check", "never=false", "--max-iterations", "1"]);
    world
        .shell(
            "mkdir -p .piton/told .piton/attempts/ghost/1 && echo x > .piton/attempts/ghost/1/stdout.log && echo x > .piton/told/ghost.json \
             && echo x > .piton/.x.0123456789abcdef0123456789abcdef.tmp && mkdir -p .piton/scratch/0123456789abcdef \
             && git update-ref refs/piton/runs/stranger HEAD",
        )
        .exits(0);
    assert_eq!(world.json(&["gc"])["collected"].as_array().unwrap().len(), 1, "all but scratch is young");
    let done = collect(&world);
    let mut found = sorts(&done);
    found.sort();
    assert_eq!(found, ["attempts", "half-written", "told"], "{done:#}");
    assert!(
        !world.path(".piton/attempts/ghost").exists()
            && !world.path(".piton/scratch/0123456789abcdef").exists()
    );
    assert!(world.git(&["show-ref"]).contains("refs/piton/runs/stranger"), "another journal may have it");
    world.open_gate();
    world.piton(&["wait", "busy"]).exits(3);
    world.piton(&["verify"]).exits(0);
    assert!(collect(&world)["collected"].as_array().unwrap().is_empty());
}

#[test]
fn snapshots_of_a_run_that_was_removed_go() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    let tip = world.git(&["rev-parse", "refs/piton/runs/s"]);
    world.piton(&["rm", "s"]).exits(0);
    // As a removal that was killed leaves it.
    world.git(&["update-ref", "refs/piton/runs/s", tip.trim()]);
    assert_eq!(sorts(&collect(&world)), ["snapshots"]);
    let refs = world.git(&["show-ref"]);
    assert!(!refs.contains("refs/piton/runs/s") && refs.contains("refs/piton/runs/r"), "{refs}");
}

/// Ends the process at each of its steps, one after the other; then the same command goes on.
#[test]
fn whoever_is_killed_while_collecting_collects_again() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    configured(&world, &format!("{AT_ONCE}attempts_for = '1ms'\n"));
    world.piton(&["backup", "create"]).exits(0);
    let before = [log(&world, "r"), log(&world, "s")];
    world.shell("cp -r .piton ../whole && cp -r .git ../git").exits(0);
    let mut ended = 0;
    for n in (1..).step_by(17) {
        world.shell("rm -rf .piton .git && cp -r ../whole .piton && cp -r ../git .git").exits(0);
        let ran = world.piton_with(&[("PITON_ABORT_AT", &n.to_string())], &["gc", "--grace", "0s"]);
        if ran.code == 0 {
            break;
        }
        ended += 1;
        assert_eq!(ran.code, -1, "{ran:?}");
        world.piton(&["verify"]).exits(0);
        collect(&world);
        world.piton(&["verify"]).exits(0);
        for (run, before) in ["r", "s"].iter().zip(&before) {
            assert!(digests(&world, run) > 0, "ended at {n}: {run}");
            world.piton(&["backup", "restore", &place(&world), "--run", run]).exits(0);
            assert!(log(&world, run).starts_with(before.as_str()), "ended at {n}: {run}");
        }
    }
    assert!(ended > 8, "it was ended {ended} times");
}

#[test]
fn a_driver_that_starts_while_things_are_collected_is_left_alone() {
    let world = World::new();
    for run in ["r", "s", "t"] {
        world.loops(run, "echo x >> a.txt", ONCE).exits(3);
    }
    configured(&world, &format!("{AT_ONCE}attempts_for = '1ms'\n"));
    world.piton(&["backup", "create"]).exits(0);
    let piton = env!("CARGO_BIN_EXE_piton");
    let collecting = format!("for n in 1 2 3 4 5 6; do {piton} gc -q --grace 0s > /dev/null || exit 1; done");
    let going = format!(
        "for n in 1 2 3; do {piton} resume r -q --max-iterations +1 > /dev/null; test $? = 3 || exit 1; done"
    );
    let both =
        format!("( {collecting} ) & one=$!; ( {going} ) & two=$!; wait $one || exit 5; wait $two || exit 6");
    world.shell(&both).exits(0);
    world.piton(&["verify"]).exits(0);
    assert_eq!(world.json(&["status", "r"])["iteration"], 4);
}

#[test]
fn a_damaged_run_keeps_no_other_from_being_collected() {
    let world = with_a_run();
    world.loops("s", "echo y >> a.txt", ONCE).exits(3);
    configured(&world, AT_ONCE);
    world.piton(&["backup", "create"]).exits(0);
    damage(&world, "update runs set title = 'other' where id = 's'");
    let ran = world.piton(&["gc", "--grace", "0s", "--json"]).exits(6);
    let done: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(archived(&done), ["r"]);
    assert!(ran.err.contains("piton repair"), "{}", ran.err);
    assert!(world.path(".piton/attempts/s").exists());
    world.piton(&["repair"]).exits(0);
    world.piton(&["verify"]).exits(0);
}

#[test]
fn an_agent_collects_nothing() {
    let world = with_a_run();
    world.loops("s", "\"$PITON_BIN\" gc 2> \"$BESIDE/said\"; true", ONCE).exits(3);
    let said = std::fs::read_to_string(world.beside("said")).unwrap();
    assert!(said.contains("this is for people"), "{said}");
}

#[test]
fn a_check_of_everything_restores_backups_and_names_views_that_are_behind() {
    let world = World::new();
    world.loops("r", "touch b.txt", &["--check", RED]).exits(0);
    back_up(&world);
    let verify = ["verify", "--backups", "--to", &place(&world)];
    let checked = world.json(&verify);
    assert_eq!(
        (&checked["ok"], checked["backups"].as_array().unwrap().len()),
        (&true.into(), 1),
        "{checked:#}"
    );
    assert_eq!(checked["views"].as_array().unwrap().len(), 0, "{checked:#}");
    for object in objects(&world, "/segments/") {
        crate::vault::flip(&object);
    }
    let ran = world.piton(&verify).exits(6);
    assert!(ran.out.contains("damaged"), "{ran:?}");
    // A view of before, put back by whoever restored an old copy of the directory.
    world.shell("cp .ralph/state.json ../old.json").exits(0);
    world.piton(&["note", "r", "later"]).exits(0);
    world.piton(&["status", "r"]).exits(0);
    world.shell("cp ../old.json .ralph/state.json").exits(0);
    let ran = world.piton(&["verify"]).exits(0);
    assert!(ran.out.contains("shows event") && ran.out.contains("piton rebuild r"), "{ran:?}");
    world.piton(&["rebuild", "r"]).exits(0);
    assert!(!world.piton(&["verify"]).exits(0).out.contains("rebuild"));
    // What a person edited is theirs, and named; so is what was cut short or removed.
    for harm in [
        "sed -i 's/completed/paused/' .ralph/state.json",
        "head -c 50 .ralph/state.json > x && mv x .ralph/state.json",
        "rm .ralph/state.json",
    ] {
        world.shell(harm).exits(0);
        let ran = world.piton(&["verify"]).exits(0);
        assert!(ran.out.contains("r: `.ralph/state.json` is "), "{harm}: {ran:?}");
        assert!(ran.out.contains("run `piton rebuild r`"), "{harm}: {ran:?}");
        world.piton(&["rebuild", "r"]).exits(0);
        assert!(!world.piton(&["verify"]).exits(0).out.contains("rebuild"), "{harm}");
    }
}

#[test]
fn what_a_run_left_beside_the_journal_is_named_where_the_journal_lost_it() {
    let world = World::new();
    let agent = "test $PITON_ITERATION = 2 && touch b.txt; echo x >> a.txt";
    world.loops("r", agent, &["--check", RED]).exits(0);
    world.loops("gone", "echo y >> a.txt", ONCE).exits(3);
    let events = world.events("r");
    let begun = |number: u64| {
        let at = events.iter().position(|event| event["data"]["attempt"]["number"] == number).unwrap();
        events[at]["seq"].as_u64().unwrap()
    };
    // The end of the first attempt is lost, and all of the second.
    damage(&world, &format!("delete from events where run = 1 and seq > {}", begun(1)));
    damage(&world, "delete from events where run = 2");
    let report = world.piton(&["repair", "--json"]).exits(6);
    let report: Value = serde_json::from_str(&report.out).unwrap();
    let note = |run: &str| {
        let runs = report["runs"].as_array().unwrap();
        runs.iter().find(|found| found["run_id"] == run).unwrap()["note"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(note("r").contains("how attempt 1 ended stands in its directory"), "{report:#}");
    assert!(note("r").contains("no event speaks of attempt 2 any more"), "{report:#}");
    assert!(note("gone").contains("`piton import .ralph/"), "{report:#}");
    let aside = report["quarantine"].as_str().unwrap();
    assert!(std::path::Path::new(aside).join("attempts/r/2/exit.json").is_file());
    // Whoever goes on records what the first came to, and starts no other in its place; what the second left counts, too.
    world.piton(&["resume", "r"]).exits(0);
    let after = world.events("r");
    assert!(after.iter().any(|event| event["type"] == "attempt_finished" && event["data"]["attempt"] == 1));
    assert_eq!(world.read("a.txt").matches('x').count(), 2, "no attempt was done again");
    world.piton(&["verify"]).exits(0);
}
