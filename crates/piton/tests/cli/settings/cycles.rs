//! The settings of cycles.

use serde_json::Value;

use crate::common::World;

const AGENT: &str = "cat > /dev/null; echo $PITON_ROLE >> said; if test \"$PITON_ROLE\" = cd; then echo x >> code.txt; fi; echo \"$PITON_SESSION_ID\" >> sessions; echo PHASE_RESULT:; echo \"- status: completed\"";

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
    let agent = "cat > /dev/null; while ! test -s \"$PITON_NUDGE_FILE\"; do sleep 0.05; done; cat \"$PITON_NUDGE_FILE\" >> said; sleep 0.4; cat \"$PITON_NUDGE_FILE\" >> said; echo PHASE_RESULT:; echo \"- status: completed\"";
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
    let mine = "[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', '-c', '''cat > /dev/null; echo $0 $1 >> said; if test $PITON_ROLE = cd; then echo x >> code.txt; fi; echo PHASE_RESULT:; echo \"- status: completed\"''']\n\
                session_named_by = 'us'\nsession_start = ['start', '{session}']\nsession_resume = ['resume', '{session}']\n";
    let world = world(&format!("[agent]\nuse = 'mine'\n[cycle]\nsession = 'continue'\n{mine}"));
    let check = "test=test \"$(wc -l < code.txt)\" -ge 2";
    world.piton(&["cycle", "start", "x", "--id", "c", "--check", check]).exits(0);
    let said = world.read("said");
    assert_eq!(said.lines().filter(|line| line.starts_with("start ")).count(), 4, "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("resume ")).count(), 2, "{said}");
}

/// An agent of the configuration, who does this in every role.
fn mine(does: &str) -> String {
    format!(
        "[agents.mine]\nprompt = 'stdin'\ncommand = ['sh', '-c', '''cat > /dev/null; {does}; echo PHASE_RESULT:; echo \"- status: completed\"''']\n"
    )
}

/// A cycle whose agent is the configuration's.
const OWN: [&str; 7] = ["cycle", "start", "x", "--id", "c", "--check", "test=true"];

#[test]
fn agent_use_acts_in_a_cycle() {
    let world = world(&format!("[agent]\nuse = 'mine'\n{}", mine("echo $PITON_ROLE >> said")));
    world.piton(&OWN).exits(0);
    assert_eq!(world.read("said"), "ra\nep\ncd\nvas\n");
}

#[test]
fn agents_name_acts_in_a_cycle() {
    let world = world(&mine("echo $PITON_ROLE >> said"));
    world.piton(&[&OWN[..], &["--exec", "true", "--agent-for", "vas=mine"]].concat()).exits(0);
    assert_eq!(world.read("said"), "vas\n");
}

#[test]
fn agent_inject_acts_in_a_cycle() {
    let own = "use = 'mine'\n[agents.mine]\ncommand = ['sh', '-c', 'echo \"$0\" > said; echo PHASE_RESULT:; echo \"- status: completed\"']\ninject = { arguments = ['tools'] }\n";
    for (inject, given) in [("true", "tools\n"), ("false", "sh\n")] {
        let world = world(&format!("[agent]\ninject = {inject}\n{own}"));
        world.piton(&OWN).exits(0);
        assert_eq!(world.read("said"), given, "inject = {inject}");
    }
}

#[test]
fn agent_pass_acts_in_a_cycle() {
    let world = world(&format!("[agent]\nuse = 'mine'\npass = ['PATH', 'MY_*']\n{}", mine("env > said")));
    world.piton_with(&[("MY_ONE", "1"), ("OTHER", "2")], &OWN).exits(0);
    let env = world.read("said");
    assert!(env.contains("MY_ONE=1") && !env.contains("OTHER="), "{env}");
}

/// Why a cycle with this ceiling stops, whose agents do this.
fn stops(ceiling: &str, agent: &str) -> Value {
    let world = world(&format!("[loop]\n{ceiling}\n"));
    let words = ["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=false"];
    world.piton(&words).exits(3);
    world.json(&["status", "c"])["reason"].clone()
}

#[test]
fn loop_max_duration_acts_in_a_cycle() {
    assert_eq!(stops("max_duration = '1s'", &format!("sleep 0.6; {AGENT}")), "limit:duration");
}

#[test]
fn loop_no_progress_acts_in_a_cycle() {
    assert_eq!(stops("no_progress = 2", "cat > /dev/null"), "no_progress");
}

#[test]
fn loop_max_cost_usd_acts_in_a_cycle() {
    let spends = format!("{AGENT}; echo '{{\"cost_usd\": 0.5}}' > $PITON_REPORT");
    assert_eq!(stops("max_cost_usd = 1", &spends), "limit:cost");
}

#[test]
fn loop_max_tokens_acts_in_a_cycle() {
    let usage = "{\"usage\": {\"input_tokens\": 400, \"output_tokens\": 200}}";
    assert_eq!(
        stops("max_tokens = 1000", &format!("{AGENT}; echo '{usage}' > $PITON_REPORT")),
        "limit:tokens"
    );
}

#[test]
fn loop_idle_timeout_acts_in_a_cycle() {
    let world = world("[loop]\nidle_timeout = '300ms'\n");
    let words =
        ["cycle", "start", "x", "--id", "c", "--exec", "echo begun; sleep 20", "--check", "test=true"];
    let ran = world.piton(&words).exits(1);
    assert!(world.piton(&["log", "c", "--json"]).exits(0).out.contains("hung"), "{}", ran.out);
}

#[test]
fn checks_name_acts_in_a_cycle() {
    let world = world("[cycle]\nmax_iterations = 1\n[checks]\nmine = 'false'\n");
    let ran = world.piton(&["cycle", "start", "x", "--id", "c", "--exec", AGENT]).exits(3);
    assert!(ran.out.contains("mine ✗"), "{}", ran.out);
}

/// Whether the developer got away with a change of a path that nobody may change.
fn changed(settings: &str) -> bool {
    let world = world(&format!("[cycle]\nmax_iterations = 1\n[guard]\nprotect = ['a.txt']\n{settings}"));
    let agent = "cat > /dev/null; if test $PITON_ROLE = cd; then echo x >> a.txt; fi";
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]);
    world.count("c", "role_finished") == 4 && world.read("a.txt") != "a\n"
}

#[test]
fn guard_protect_acts_in_a_cycle() {
    assert!(!changed(""), "`protect` holds");
}

#[test]
fn guard_mode_acts_in_a_cycle() {
    assert!(changed("mode = 'report'\n"));
}

#[test]
fn guard_rules_acts_in_a_cycle() {
    assert!(changed("[guard.rules]\nprotected-path-changed = { off = true, reason = 'we move it' }\n"));
}

/// A cycle in a work tree of its own, green where what it needs was brought along.
fn in_its_tree(settings: &str, check: &str) -> (World, i32) {
    let world = World::new();
    world.write(".gitignore", "data/\nnode_modules/\nsaid\nsessions\n");
    world.shell("mkdir data node_modules && echo one > data/x && echo two > node_modules/y").exits(0);
    world.shell("git add .gitignore && git commit -q -m ignore").exits(0);
    world.configure(&format!("[cycle]\nmax_iterations = 1\n{settings}"));
    let words = ["cycle", "start", "x", "--id", "c", "--exec", AGENT, "--check", check, "--worktree"];
    let code = world.piton(&words).code;
    (world, code)
}

#[test]
fn worktree_copy_acts_in_a_cycle() {
    assert_eq!(in_its_tree("", "test=test -s data/x").1, 3);
    let (world, code) = in_its_tree("[worktree]\ncopy = ['data']\n", "test=test -s data/x");
    assert_eq!(code, 0);
    // The team works there, and its files are here.
    assert!(world.beside("repo-c/code.txt").exists() && !world.path("code.txt").exists());
    assert!(world.path(".workflow/.cycle/c.json").exists() && !world.beside("repo-c/.workflow").exists());
}

#[test]
fn worktree_installed_acts_in_a_cycle() {
    assert_eq!(in_its_tree("", "test=test -s node_modules/y").1, 0);
    assert_eq!(in_its_tree("[worktree]\ninstalled = false\n", "test=test -s node_modules/y").1, 3);
}

#[test]
fn worktree_setup_acts_in_a_cycle() {
    let setup = "[worktree]\nsetup = 'echo ready >> made'\n";
    let (world, code) = in_its_tree(setup, "test=test \"$(cat made)\" = ready");
    assert_eq!(code, 0);
    assert!(!world.path("made").exists());
}

/// A cycle of which every role tries to write beside the tree.
fn writes_beside(settings: &str) -> bool {
    let world = world("");
    world.shell("mkdir -p $BESIDE/more").exits(0);
    let place = world.beside("more").display().to_string();
    world.configure(&settings.replace("MORE", &place));
    let words = [
        "cycle",
        "start",
        "x",
        "--id",
        "c",
        "--exec",
        "cat > /dev/null; echo x > $BESIDE/more/out; echo PHASE_RESULT:; echo \"- status: completed\"",
        "--check",
        "test=true",
    ];
    world.piton(&words).exits(0);
    world.beside("more/out").exists()
}

#[test]
fn confine_enabled_acts_in_a_cycle() {
    assert!(writes_beside(""));
    assert!(!writes_beside("[confine]\nenabled = true\n"));
}

#[test]
fn confine_write_acts_in_a_cycle() {
    assert!(writes_beside("[confine]\nenabled = true\nwrite = ['MORE']\n"));
}

#[test]
fn redact_patterns_acts_in_a_cycle() {
    const SECRET: &str = "the-falcon-flies-at-noon";
    let world = world(&format!("[redact]\npatterns = ['{SECRET}']\n"));
    world.shell(&format!("printf %s {SECRET} > $BESIDE/secret")).exits(0);
    let agent = "cat > /dev/null; S=$(cat $BESIDE/secret); echo \"1. $S\" > $PITON_ROLE_DIR/requirements.md; echo \"I read $S\"; echo \"{\\\"summary\\\": \\\"$S\\\"}\" > $PITON_REPORT; echo PHASE_RESULT:; echo \"- status: completed\"";
    world.piton(&["cycle", "start", "x", "--id", "c", "--exec", agent, "--check", "test=true"]).exits(0);
    let found = world.shell(&format!("grep -rl {SECRET} .piton .workflow; true")).exits(0).out;
    assert_eq!(found, "", "the secret is on disk");
    assert!(world.piton(&["log", "c", "--json"]).exits(0).out.contains("[redacted]"));
}
