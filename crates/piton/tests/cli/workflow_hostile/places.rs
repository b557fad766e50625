//! Links, pipes and files where the run's own belong: before it begins, and put there by a step while it runs.

use super::{Place, says};

const TWO: &str = "name: w\nsteps:\n- {id: a, run: 'echo a'}\n- {id: b, run: 'echo b', needs: [a]}\n";

const DIRECTORIES: [&str; 8] = [
    ".agents",
    ".agents/runs",
    ".agents/runs/r1",
    ".agents/runs/r1/reports",
    ".agents/runs/r1/reports/archive",
    ".agents/runs/r1/logs",
    ".agents/runs/r1/manual_inputs",
    ".piton",
];

#[test]
fn a_run_does_not_begin_where_its_directories_lead_elsewhere() {
    for directory in DIRECTORIES {
        for make in ["ln -s $BESIDE/outside/directory", "ln -s $BESIDE/outside/ghost", "mkfifo"] {
            let place = Place::new();
            place.put("w.yaml", TWO);
            place.sh(&format!("mkdir -p $(dirname {directory}); {make} {directory}"));
            says(&format!("{make} {directory}"), &place.run(&[]), &[2, 7], directory);
        }
    }
}

#[test]
fn a_state_that_is_no_file_is_left_alone() {
    let state = ".agents/runs/r1/run_state.json";
    for (make, words) in [
        ("ln -s $BESIDE/outside/passwd", "it is a symbolic link"),
        ("ln -s $BESIDE/outside/ghost", "it is a symbolic link"),
        ("ln $BESIDE/outside/passwd", "not a run state"),
        ("mkfifo", "it is not a regular file"),
        ("mkdir", "it is not a regular file"),
        ("truncate -s 1G", "it is larger than"),
    ] {
        let place = Place::new();
        place.put("w.yaml", TWO);
        place.sh(&format!("mkdir -p $(dirname {state}); {make} {state}"));
        says(make, &place.run(&[]), &[2, 7], words);
    }
}

/// These are no reason not to begin; whatever lies there, nothing is written through it.
#[test]
fn what_lies_where_a_step_will_write_is_moved_or_told() {
    for name in [
        "daily_stats",
        "runs/r1/reports/r1__a.json",
        "runs/r1/logs/r1__a__attempt1.log",
        "runs/r1/manual_inputs/r1__a.json",
    ] {
        for make in [
            "ln -s $BESIDE/outside/directory",
            "ln -s $BESIDE/outside/ghost",
            "ln $BESIDE/outside/passwd",
            "mkfifo",
        ] {
            let place = Place::new();
            place.put("w.yaml", TWO);
            place.sh(&format!("mkdir -p $(dirname .agents/{name}); {make} .agents/{name}"));
            let ran = place.run(&[]);
            let told = ran.code == 0
                || ran.out.contains("it is a symbolic link")
                || ran.out.contains("not a regular file");
            assert!(told, "{make} {name}: {ran:?}");
        }
    }
}

#[test]
fn a_step_that_swaps_a_directory_for_a_link_leads_nowhere() {
    for directory in &DIRECTORIES[..7] {
        for target in ["directory", "ghost"] {
            let place = Place::new();
            let swap = format!("mv {directory} {directory}.old; ln -s $BESIDE/outside/{target} {directory}");
            place.put(
                "w.yaml",
                format!(
                    "name: w\nsteps:\n- {{id: a, run: '{swap}'}}\n- {{id: b, run: 'echo b', needs: [a]}}\n"
                ),
            );
            let ran = place.run(&[]);
            assert!(ran.code == 0 || ran.out.contains("it is a symbolic link"), "{swap}: {ran:?}");
            place.piton(&["resume", "r1"]);
            place.piton(&["rebuild", "r1"]);
            place.piton(&["status", "r1"]).exits(0);
        }
    }
}

#[test]
fn a_step_that_puts_a_link_in_the_place_of_a_file_leads_nowhere() {
    for name in
        ["run_state.json", "logs/r1__b__attempt1.log", "reports/r1__b.json", "manual_inputs/r1__b.json"]
    {
        for make in [
            "ln -s $BESIDE/outside/passwd",
            "ln -s $BESIDE/outside/ghost",
            "ln $BESIDE/outside/passwd",
            "mkfifo",
        ] {
            let place = Place::new();
            let path = format!(".agents/runs/r1/{name}");
            place.put(
                "w.yaml",
                format!("name: w\nsteps:\n- {{id: a, run: 'rm -f {path}; {make} {path}'}}\n- {{id: b, run: 'echo b', needs: [a]}}\n"),
            );
            place.run(&[]);
            place.piton(&["rebuild", "r1"]);
            place.piton(&["status", "r1"]).exits(0);
        }
    }
}

#[test]
fn prompts_are_not_waited_for() {
    for (make, codes, words) in [
        ("mkfifo p.md", [2], "there is no prompt `p.md`"),
        ("mkdir p.md", [2], "there is no prompt `p.md`"),
        ("ln -s $BESIDE/outside/passwd p.md", [2], "`p.md` is outside of the repository"),
        ("truncate -s 1G p.md", [1], "is larger than"),
        ("echo x > q.md; ln -s q.md p.md", [0], "completed"),
    ] {
        let place = Place::new();
        place.put("w.yaml", "steps:\n- {id: a, agent: x, prompt: p.md}\n");
        place.sh(make);
        says(make, &place.run(&["--exec", "true"]), &codes, words);
    }
}
