//! `[session]`, `[progress]`, `[reinforcement]` and `[recovery]`: what a loop makes of its conversations and its setbacks.

use crate::common::{World, eventually};

/// A loop of three iterations with an agent that continues conversations: `+` for each iteration that went on with the
/// last one, `.` for each that began anew. `body` is what its agent does more; it may set `used` and `summary`.
fn conversations(settings: &str, body: &str) -> String {
    let world = talking(settings, body);
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "3"]).exits(3);
    let args = std::fs::read_to_string(world.beside("args")).unwrap();
    args.lines().map(|line| if line.contains("resume") { '+' } else { '.' }).collect()
}

fn talking(settings: &str, body: &str) -> World {
    let world = World::new();
    world.write(
        "mine.sh",
        &format!(
            "echo \"$PITON_ITERATION $*\" >> \"$BESIDE/args\"; echo $PITON_ITERATION > done.txt; used=10\n{body}\n\
             case \"$*\" in *resume*) session=$2;; *) session=s$PITON_ITERATION;; esac\n\
             printf '{{\"session_id\": \"%s\", \"context_usage_percent\": %s, \"summary\": \"%s\"}}' \
             $session $used \"$summary\" > $PITON_REPORT\n"
        ),
    );
    world.configure(&format!(
        "[agent]\nuse = 'mine'\n[agents.mine]\ncommand = ['sh', 'mine.sh']\nsession_named_by = 'agent'\n\
         session_resume = ['resume', '{{session}}']\n[checks]\nc = 'false'\n[loop]\nsession = 'continue'\n\
         no_progress = 50\n{settings}\n"
    ));
    world
}

const FULL: &str = "used=93";

#[test]
fn a_session_that_was_left_is_history_while_the_first_attempt_of_the_next_works() {
    let world = talking(
        "",
        "test $PITON_ITERATION = 1 && used=95\ntest $PITON_ITERATION = 2 && until test -e $GATE; do sleep 0.02; done",
    );
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "2", "--detach"]).exits(0);
    world.agent_works("r", 2);
    let exported = world.piton(&["export", "r", "--format", "ralph"]).exits(0).out;
    let session = serde_json::from_str::<serde_json::Value>(&exported).unwrap()["session"].clone();
    assert_eq!(session["current_session_id"], serde_json::Value::Null, "{session}");
    assert_eq!((&session["session_iterations"], &session["context_usage"]), (&0.into(), &0.into()));
    assert_eq!(session["session_history"][0]["session_id"], "s1", "{session}");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
}

#[test]
fn session_redline_acts_in_a_loop() {
    let body = "test $PITON_ITERATION = 1 && used=60";
    assert_eq!(conversations("", body), ".++");
    assert_eq!(conversations("[session]\nredline = 50\n", body), "..+");
}

#[test]
fn session_min_iterations_acts_in_a_loop() {
    assert_eq!(conversations("", FULL), "..+", "the second would come too soon after the first");
    assert_eq!(conversations("[session]\nmin_iterations = 2\n", FULL), ".+.");
}

#[test]
fn session_reboot_acts_in_a_loop() {
    assert_eq!(conversations("[session]\nreboot = false\n", FULL), ".++");
}

#[test]
fn session_after_iterations_acts_in_a_loop() {
    assert_eq!(conversations("[session]\nafter_iterations = 1\n", ""), "..+");
}

#[test]
fn session_after_acts_in_a_loop() {
    assert_eq!(conversations("", "sleep 1.1"), ".++");
    assert_eq!(
        conversations("[session]\nafter = '1s'\n", "sleep 1.1"),
        "..+",
        "it begins with its first attempt, and the second would come too soon after the first"
    );
}

#[test]
fn session_on_patterns_acts_in_a_loop() {
    let body = "summary='a FRESH start would help'; echo $summary";
    assert_eq!(conversations("", body), ".++");
    assert_eq!(conversations("[session]\non_patterns = ['FRESH']\n", body), "..+");
    let reported = "summary='as before'; echo 'a FRESH start would help'";
    assert_eq!(
        conversations("[session]\non_patterns = ['FRESH']\n", reported),
        "..+",
        "what it says besides its report counts, too"
    );
}

#[test]
fn session_min_interval_acts_in_a_loop() {
    let settings = "[session]\nafter_iterations = 1\nmin_interval = '1s'\n";
    assert_eq!(conversations(settings, "sleep 1.1"), "...");
}

#[test]
fn session_max_per_hour_acts_in_a_loop() {
    let settings = "[session]\nafter_iterations = 1\nmin_interval = '1s'\nmax_per_hour = 1\n";
    assert_eq!(conversations(settings, "sleep 1.1"), "..+");
}

/// Its context fills up while its answers get worse: a fresh one begins, unless that does not count.
#[test]
fn session_degradation_acts_in_a_loop() {
    let body = "used=$((10 + PITON_ITERATION)); summary=no\n\
                test $PITON_ITERATION -lt 3 && summary='I read the parser and changed how it counts the columns of a line'";
    let conversations = |settings: &str| {
        let world = talking(settings, body);
        world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "6"]).exits(3);
        let args = std::fs::read_to_string(world.beside("args")).unwrap();
        args.lines().filter(|line| !line.contains("resume")).count()
    };
    assert_eq!(conversations("[session]\ndegradation = false\n"), 1);
    assert_eq!(conversations(""), 2);
}

#[test]
fn loop_max_reboots_acts_in_a_loop() {
    let session = "max_reboots = 1\n[session]\nafter_iterations = 1\nmin_interval = '1s'\n";
    let world = talking(session, "sleep 1.1");
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "9"]).exits(3);
    assert_eq!(world.json(&["status", "r"])["reason"], "limit:reboots");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    assert_eq!(view["metrics"]["total_reboots"], 1, "the second was not begun");
}

/// The prompts of a loop that never gets anywhere.
fn prompts(settings: &str, iterations: &str) -> (World, Vec<String>) {
    let world = World::configured(&format!("[loop]\nno_progress = 50\n{settings}\n"));
    let agent = "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"; echo $PITON_ITERATION > c.txt";
    world.loops("r", agent, &["--check", "false", "--max-iterations", iterations]).exits(3);
    let read = |number| std::fs::read_to_string(world.beside(&format!("prompt{number}"))).unwrap();
    let prompts = (1..=iterations.parse().unwrap()).map(|number: u32| read(number)).collect();
    (world, prompts)
}

const MINIMAL: &str = "what weakens them is put back";
const STANDARD: &str = "Keep every test, assertion";

#[test]
fn reinforcement_level_acts_in_a_loop() {
    let first = |settings: &str| prompts(settings, "1").1.remove(0);
    assert!(first("").contains(MINIMAL) && !first("").contains(STANDARD));
    assert!(!first("[reinforcement]\nlevel = 'off'\n").contains(MINIMAL));
    assert!(first("[reinforcement]\nlevel = 'standard'\n").contains(STANDARD));
}

#[test]
fn reinforcement_standard_at_acts_in_a_loop() {
    let (_, prompts) = prompts("[reinforcement]\nstandard_at = 2\n", "2");
    assert!(!prompts[0].contains(STANDARD) && prompts[1].contains(STANDARD));
}

/// How firmly the last prompt spoke.
fn level(settings: &str, iterations: &str) -> String {
    let (world, _) = prompts(settings, iterations);
    let state = &world.json(&["show", "r"])["state"];
    state["judged"]["reinforcement"]["level"].as_str().unwrap_or_else(|| panic!("{state:#}")).to_owned()
}

#[test]
fn reinforcement_aggressive_at_acts_in_a_loop() {
    assert_eq!(level("[reinforcement]\naggressive_at = 2\n", "2"), "aggressive");
    assert_eq!(level("", "2"), "minimal");
}

#[test]
fn an_aggressive_prompt_says_more_than_a_standard_one() {
    let (_, prompts) = prompts("[reinforcement]\nstandard_at = 2\naggressive_at = 3\n", "3");
    let insists = "The score went from";
    assert!(!prompts[1].contains(insists) && prompts[2].contains(insists), "{}", prompts[2]);
    assert!(prompts[2].contains("Still failing: `false`."), "{}", prompts[2]);
}

#[test]
fn reinforcement_adaptive_at_acts_in_a_loop() {
    let world = World::configured("[loop]\nno_progress = 50\n[reinforcement]\nadaptive_at = 2\n");
    let agent = "cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"; echo $PITON_ITERATION > c.txt";
    let ran = world.loops("r", agent, &["--check", "false", "--max-iterations", "3"]).exits(4);
    assert!(
        ran.out.contains("Prompts speak as firmly as they can from here on."),
        "a person looks first: {ran:?}"
    );
    world.piton(&["answer", "r", "--approve"]).exits(0);
    world.piton(&["wait", "r"]).exits(3);
    let prompt = |number: u32| std::fs::read_to_string(world.beside(&format!("prompt{number}"))).unwrap();
    let tried = "Iteration 1 came to 0 of 1 checks with +1 −0 lines";
    assert!(!prompt(1).contains(tried) && prompt(2).contains(tried), "{}", prompt(2));
    assert_eq!(world.count("r", "question_asked"), 1, "it is asked once");
}

#[test]
fn reinforcement_plateau_acts_in_a_loop() {
    assert_eq!(level("[reinforcement]\nstandard_at = 0\n", "5"), "aggressive", "its score does not move");
    assert_eq!(level("[reinforcement]\nstandard_at = 0\nplateau = 0\n", "5"), "minimal");
}

/// How many attempts an agent gets that takes tests away again and again.
fn attempts(settings: &str) -> usize {
    let world = super::judging::world(settings);
    super::judging::runs(&world, &["echo 2 0 > tests"; 9], "9").exits(4);
    world.count("r", "attempt_started")
}

#[test]
fn recovery_max_retries_acts_in_a_loop() {
    assert!(attempts("[recovery]\nmax_retries = 1\n") < attempts(""));
}

#[test]
fn recovery_escalate_critical_acts_in_a_loop() {
    assert_eq!(attempts("[recovery]\nescalate_critical = true\n"), 1);
}

#[test]
fn whoever_is_done_is_not_asked_about_a_fresh_session() {
    let world = talking("[session]\nconfirm = true\n", FULL);
    let done = ["loop", "Go", "--id", "r", "--here", "--until", "file:done.txt", "--max-iterations", "3"];
    world.piton(&done).exits(0);
    world.piton(&["loop", "Go", "--id", "s", "--here", "--max-iterations", "1"]).exits(3);
    assert_eq!((world.count("r", "question_asked"), world.count("s", "question_asked")), (0, 0));
}

#[test]
fn a_session_that_was_found_full_had_that_iteration_too() {
    let body = "test $PITON_ITERATION = 2 && { echo '{\"error_class\": \"context_full\"}' > $PITON_REPORT; exit 1; }";
    let world = talking("", body);
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "3"]).exits(3);
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    let left = &view["session"]["session_history"][0];
    assert_eq!((&left["session_id"], &left["iterations"]), (&"s1".into(), &2.into()), "{view:#}");
}

#[test]
fn session_confirm_acts_in_a_loop() {
    for (answer, third) in [("--approve", "3 \n"), ("--reject", "3 resume s1\n")] {
        let world = talking("[session]\nconfirm = true\n", "test $PITON_ITERATION = 2 && used=93");
        world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "3"]).exits(4);
        let status = world.json(&["status", "r"]);
        let text = status["questions"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(text.contains("should give way to a fresh one: its context is 93 % full"), "{status}");
        world.piton(&["answer", "r", answer]).exits(0);
        world.piton(&["wait", "r"]).exits(3);
        let args = std::fs::read_to_string(world.beside("args")).unwrap();
        assert_eq!(args, format!("1 \n2 resume s1\n{third}"), "{answer}");
    }
}

#[test]
fn session_window_tokens_acts_in_a_loop() {
    // An agent that does not say how full its context is: what was said in it is counted.
    let silent = "used=null; head -c 4000 /dev/zero | tr '\\0' x";
    assert_eq!(conversations("", silent), ".++");
    assert_eq!(conversations("[session]\nwindow_tokens = 1000\n", silent), "..+");
}

#[test]
fn a_run_is_rebooting_until_its_fresh_session_begins() {
    let world = talking("", "test $PITON_ITERATION = 2 && used=93");
    let text = world.read("piton.toml");
    let check = r#"c = 'test "$(cat done.txt)" != 2 || until test -e "$GATE"; do sleep 0.02; done; false'"#;
    world.configure(&text.replace("c = 'false'", check));
    world.piton(&["loop", "Go", "--id", "r", "--here", "--max-iterations", "3", "--detach"]).exits(0);
    eventually("it reboots", || world.json(&["status", "r"])["status"] == "rebooting");
    world.open_gate();
    world.piton(&["wait", "r"]).exits(3);
    assert!(
        world.piton(&["log", "r"]).exits(0).out.contains("a fresh session is due: its context is 93 % full")
    );
}

/// How a loop of four iterations ends that may have two in a row without progress.
fn ends(progress: &str) -> String {
    ends_saying(progress, "echo '{\"summary\": \"STEP: wrote it\"}' > $PITON_REPORT")
}

fn ends_saying(progress: &str, says: &str) -> String {
    let world = World::new();
    let settings = "[loop]\nno_progress = 2\nmax_iterations = 4\n[checks]\nc = 'false'\n";
    world.configure(&format!("{settings}[progress]\n{progress}"));
    world.loops("r", &format!("echo $PITON_ITERATION > b.txt; {says}"), &[]).exits(3);
    world.json(&["status", "r"])["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn progress_strategy_acts_in_a_loop() {
    assert_eq!(ends(""), "limit:iterations");
    assert_eq!(ends("strategy = 'tests'\n"), "no_progress");
}

#[test]
fn progress_markers_acts_in_a_loop() {
    assert_eq!(ends("strategy = 'markers'\n"), "no_progress");
    assert_eq!(ends("strategy = 'markers'\nmarkers = ['STEP:']\n"), "limit:iterations");
    let marks = "strategy = 'markers'\nmarkers = ['STEP:']\n";
    assert_eq!(ends_saying(marks, "echo 'STEP: wrote it'"), "limit:iterations", "what it prints counts");
    let both = "echo 'STEP: wrote it'; echo '{\"summary\": \"wrote it\"}' > $PITON_REPORT";
    assert_eq!(ends_saying(marks, both), "limit:iterations", "also beside a report");
    assert_eq!(ends_saying(marks, "echo 'I wrote it'"), "no_progress");
}

#[test]
fn progress_min_score_acts_in_a_loop() {
    assert_eq!(ends("min_score = 0.9\n"), "no_progress");
}

/// A command as the agent is told which session it may go on with, and a full one is none.
#[test]
fn a_full_session_is_not_handed_to_a_command_again() {
    let world = World::configured("[loop]\nsession = 'continue'\nno_progress = 50\n[checks]\nc = 'false'\n");
    let agent = "echo \"$PITON_ITERATION ${PITON_SESSION_ID-none}\" >> \"$BESIDE/sessions\"\n\
        cp \"$PITON_PROMPT_FILE\" \"$BESIDE/prompt$PITON_ITERATION\"; echo $PITON_ITERATION > done.txt\n\
        case $PITON_ITERATION in\n\
        1) used=20;; 2) used=85; git add done.txt; git commit -qm 'Half of it';; *) exit;; esac\n\
        echo \"{\\\"session_id\\\":\\\"s1\\\",\\\"context_usage_percent\\\":$used}\" > \"$PITON_REPORT\"";
    let ran = world.loops("r", agent, &["--max-iterations", "4"]).exits(3);
    let sessions = std::fs::read_to_string(world.beside("sessions")).unwrap();
    assert_eq!(sessions, "1 none\n2 s1\n3 none\n4 none\n");
    assert!(ran.out.contains("a fresh session is due: its context is 85 % full"), "{}", ran.out);
    let prompt = std::fs::read_to_string(world.beside("prompt3")).unwrap();
    assert!(prompt.contains("You take over from a session that has ended."), "{prompt}");
    assert!(prompt.contains("## Recent Commits") && prompt.contains(" Half of it\n"), "{prompt}");
    let view: serde_json::Value = serde_json::from_str(&world.read(".ralph/state.json")).unwrap();
    let left = &view["session"]["session_history"][0];
    assert_eq!(left["end_reason"], "redline: its context is 85 % full", "{view:#}");
    assert_eq!(view["session"]["current_session_id"], serde_json::Value::Null, "{view:#}");
    // It lasted from the beginning of its first attempt to the one that began without it.
    let began = |attempt: usize| {
        let starts = world.events("r").into_iter().filter(|event| event["type"] == "attempt_started");
        starts.map(|event| event["at"].clone()).nth(attempt - 1)
    };
    assert_eq!((Some(left["started_at"].clone()), Some(left["ended_at"].clone())), (began(1), began(3)));
}

/// Whoever looks at a run sees how full its conversation is, and what follows from that.
#[test]
fn a_conversation_is_shown_with_how_full_it_is() {
    for (used, line, recommendation) in [
        (40, "3 iterations so far, 40 % full (low); it goes on", "continue"),
        (74, "3 iterations so far, 74 % full (high); a fresh one is near", "finish_and_reboot"),
    ] {
        let world = World::configured("[loop]\nsession = 'continue'\n[checks]\nc = 'false'\n");
        let report = format!("{{\"session_id\":\"s1\",\"context_usage_percent\":{used}}}");
        let agent = format!("echo $PITON_ITERATION > c.txt; echo '{report}' > $PITON_REPORT");
        world.loops("r", &agent, &["--max-iterations", "3"]).exits(3);
        let screen = world.piton(&["status", "r"]).exits(0).out;
        assert!(screen.contains(&format!("session  {line}\n")), "{screen}");
        let session = &world.json(&["status", "r"])["session"];
        assert_eq!(
            (&session["session_id"], &session["recommendation"]),
            (&"s1".into(), &recommendation.into())
        );
    }
}
