//! The settings of cycles.

use serde_json::Value;

use crate::common::World;

const AGENT: &str = "cat > /dev/null; echo $PITON_ROLE >> said; if test \"$PITON_ROLE\" = cd; then echo x >> code.txt; fi; echo \"$PITON_SESSION_ID\" >> sessions";

fn world(settings: &str) -> World {
    let world = World::new();
    world.write(".gitignore", "said\nsessions\npiton.toml\n.gitignore\n");
    world.configure(settings);
    world
}

fn start(world: &World, check: &str, code: i32) -> String {
    let words = ["cycle", "start", "x", "--id", "c", "--exec", AGENT, "--check", check];
    let ran = world.piton(&words).exits(code);
    ran.out + &ran.err
}

fn state(world: &World) -> Value {
    serde_json::from_str(&world.read(".workflow/.cycle/c.json")).unwrap()
}

#[test]
fn cycle_max_iterations_acts_in_a_cycle() {
    let world = world("[cycle]\nmax_iterations = 2\n");
    start(&world, "test=false", 3);
    assert_eq!(state(&world)["current_iteration"], 2);
}

#[test]
fn cycle_phase_timeout_acts_in_a_cycle() {
    let world = world("[cycle]\nphase_timeout = '300ms'\ngrace = '300ms'\n");
    let agent = "cat > /dev/null; while ! test -s \"$PITON_NUDGE_FILE\"; do sleep 0.05; done; cat \"$PITON_NUDGE_FILE\" >> said; sleep 0.4; cat \"$PITON_NUDGE_FILE\" >> said";
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]).exits(0);
    let said = world.read("said");
    assert!(said.starts_with("STATUS_CHECK") && said.contains("FINALIZE"), "{said}");
}

#[test]
fn cycle_grace_acts_in_a_cycle() {
    let world = world("[cycle]\nphase_timeout = '200ms'\ngrace = '100ms'\n");
    let ran = world
        .piton(&["cycle", "start", "x", "--id", "c", "--exec", "sleep 60", "--check", "test=true"])
        .exits(1);
    assert!(ran.out.contains("took too long"), "{}", ran.out);
}

#[test]
fn cycle_confirm_acts_in_a_cycle() {
    let world = world("[cycle]\nconfirm = true\n");
    let check = "test=test \"$(wc -l < code.txt)\" -ge 2";
    start(&world, check, 4);
    assert_eq!(state(&world)["current_iteration"], 1);
    world.piton(&["resume", "c"]).exits(0);
    assert_eq!(state(&world)["current_iteration"], 2);
    std::fs::remove_file(world.path("code.txt")).unwrap();
    world.piton(&["cycle", "start", "x", "--id", "d", "--auto", "--exec", AGENT, "--check", check]).exits(0);
}

#[test]
fn cycle_utc_offset_acts_in_a_cycle() {
    let world = world("[cycle]\nutc_offset = '-03:30'\n");
    start(&world, "test=true", 0);
    assert!(state(&world)["created_at"].as_str().unwrap().ends_with("-03:30"));
}

#[test]
fn cycle_team_acts_in_a_cycle() {
    let world = world("[cycle]\nteam = ['cd', 'vas']\n[cycle.roles.cd]\nafter = []\nfeedback_to = []\n");
    start(&world, "test=true", 0);
    assert_eq!(world.read("said"), "cd\nvas\n");
}

#[test]
fn cycle_roles_name_acts_in_a_cycle() {
    let world = world("[cycle.roles.cd]\ntitle = 'Builder'\n");
    start(&world, "test=true", 0);
    let status = world.piton(&["status", "c", "--json"]).exits(0).out;
    assert!(status.contains("Builder"), "{status}");
}

#[test]
fn cycle_session_acts_in_a_cycle() {
    let mine = "[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', '-c', '''cat > /dev/null; echo $0 $1 >> said; if test $PITON_ROLE = cd; then echo x >> code.txt; fi''']\n\
                session_named_by = 'us'\nsession_start = ['start', '{session}']\nsession_resume = ['resume', '{session}']\n";
    let world = world(&format!("[agent]\nuse = 'mine'\n[cycle]\nsession = 'continue'\n{mine}"));
    let check = "test=test \"$(wc -l < code.txt)\" -ge 2";
    world.piton(&["cycle", "start", "x", "--id", "c", "--check", check]).exits(0);
    let said = world.read("said");
    assert_eq!(said.lines().filter(|line| line.starts_with("start ")).count(), 4, "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("resume ")).count(), 2, "{said}");
}
