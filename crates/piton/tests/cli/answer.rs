//! Questions: an agent that cannot go on asks, a person answers, and only what was shown counts.

use super::common::{WAITS, World, eventually};

const RED: &str = "test=test -f b.txt";

/// Blocked at first; told more, it saves its prompt and does the work.
const ASKS: &str = r#"if test -e $BESIDE/asked; then cat > $BESIDE/prompt; touch b.txt
    else touch $BESIDE/asked; echo '{"status":"blocked","reason":"which port?"}' > $PITON_REPORT; fi"#;

fn asked() -> World {
    let world = World::new();
    let ran = world.loops("ask", ASKS, &["--check", RED]).exits(4);
    assert!(ran.out.contains("The agent cannot go on: which port?"), "{}", ran.out);
    world
}

fn digest(world: &World) -> String {
    world.json(&["status", "ask"])["questions"][0]["digest"].as_str().unwrap().to_owned()
}

#[test]
fn a_blocked_agent_waits_for_a_person_and_says_how_to_answer() {
    let world = asked();
    insta::assert_snapshot!(world.piton(&["status"]).exits(0).out, @"
    ask   waiting for you since HH:MM:SSZ ( T s)
    why      the agent reports that it cannot go on
    asks     The agent cannot go on: which port? (digest DIGEST)
    do       piton answer ask
    driver   none
    checks   test ✗
    best     #1  0 of 1 checks
    used     1 of 50 iterations · T s of 8h00m
    ");
    insta::assert_snapshot!(world.piton(&["answer"]).exits(0).out, @"
    ask  question 1  (digest DIGEST)
      The agent cannot go on: which port?
      piton answer ask 1 --approve|--reject|--abort [--comment TEXT] --seen DIGEST
    ");
    assert!(world.json(&["ls"])[0]["waiting_for"].is_string());
    let waiting = world.json(&["answer"]);
    assert_eq!(waiting[0]["run_id"], "ask");
    assert_eq!(waiting[0]["questions"][0]["question"], 1);
    world.piton(&["wait", "ask"]).exits(4);
}

#[test]
fn an_approval_goes_on_in_the_background_and_its_comment_reaches_the_agent() {
    let world = asked();
    let seen = digest(&world);
    let ran =
        world.piton(&["answer", "ask", "--approve", "--comment", "port 8080", "--seen", &seen]).exits(0);
    insta::assert_snapshot!(ran.err, @"answered; ask goes on in the background: `piton attach ask`");
    world.piton(&["wait", "ask"]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    assert!(prompt.contains("port 8080"), "{prompt}");
    let ran = world.piton(&["answer"]).exits(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "nothing waits for an answer\n"));
}

#[test]
fn an_answer_to_something_else_than_is_asked_does_not_count() {
    let world = asked();
    let ran = world.piton(&["answer", "ask", "--approve", "--seen", "0123456789abcdef"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: the answer does not count: something else is asked now than you saw

    hint: run `piton answer ask` to see it
    ");
    assert_eq!(world.count("ask", "answer_refused"), 1, "it is on record");
    assert_eq!(world.json(&["status", "ask"])["status"], "waiting");
    assert!(!world.beside("prompt").exists(), "the agent did not go on");
}

#[test]
fn a_late_or_repeated_answer_is_refused() {
    let world = World::new();
    let agent = ASKS.replace("cat >", &format!("{WAITS}; cat >"));
    world.loops("ask", &agent, &["--check", RED]).exits(4);
    world.piton(&["answer", "ask", "1", "--approve"]).exits(0);
    world.agent_works("ask", 2);
    let ran = world.piton(&["answer", "ask", "1", "--reject"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: run `ask` does not ask question 1 any more

    hint: run `piton log ask` to see what was answered
    ");
    world.piton(&["answer", "ask", "--reject"]).exits(4);
    world.open_gate();
    world.piton(&["wait", "ask"]).exits(0);
    world.piton(&["answer", "ask", "1", "--approve"]).exits(4);
    world.piton(&["answer", "ask", "7", "--approve"]).exits(2);
    assert_eq!(world.count("ask", "question_closed"), 1);
}

#[test]
fn a_rejection_tells_the_agent_and_goes_on() {
    let world = asked();
    world.piton(&["answer", "ask", "--reject", "--comment", "find out yourself"]).exits(0);
    world.piton(&["wait", "ask"]).exits(0);
    let prompt = std::fs::read_to_string(world.beside("prompt")).unwrap();
    assert!(prompt.contains("find out yourself"), "{prompt}");
}

#[test]
fn an_abort_stops_the_run() {
    let world = asked();
    let ran = world.piton(&["answer", "ask", "--abort"]).exits(0);
    assert!(!ran.err.contains("goes on") && ran.err.contains("stopped"), "{}", ran.err);
    world.piton(&["wait", "ask"]).exits(4);
    let status = world.json(&["status", "ask"]);
    assert_eq!((&status["status"], &status["reason"]), (&"stopped".into(), &"human".into()));
    assert!(!world.beside("prompt").exists());
}

#[test]
fn a_run_that_asks_is_not_resumed_without_an_answer() {
    let world = asked();
    let ran = world.piton(&["resume", "ask"]).exits(4);
    insta::assert_snapshot!(ran.err, @"
    error: run `ask` waits for an answer

    hint: run `piton answer ask`
    ");
}

#[test]
fn two_answers_at_once_are_a_usage_error() {
    let world = asked();
    world.piton(&["answer", "ask", "--approve", "--reject"]).exits(2);
    assert_eq!(world.count("ask", "answer_given"), 0);
}

#[test]
fn what_a_person_tells_reaches_the_next_prompt_and_only_that() {
    let world = World::new();
    let agent = format!(
        "cat > $BESIDE/prompt-$PITON_ITERATION; {WAITS}; echo x >> a.txt; [ $PITON_ITERATION = 3 ] && touch b.txt; true"
    );
    world.loops_behind("tell", &agent, &["--check", RED]);
    let ran = world.piton(&["tell", "tell", "use the other library"]).exits(0);
    assert_eq!(ran.err, "tell passes it on to the agent with its next prompt\n");
    world.open_gate();
    world.piton(&["wait", "tell"]).exits(0);
    let told = |number: u32| {
        let prompt = std::fs::read_to_string(world.beside(&format!("prompt-{number}"))).unwrap();
        prompt.contains("A person tells you: use the other library")
    };
    assert_eq!([told(1), told(2), told(3)], [false, true, false]);
}

#[test]
fn nothing_can_be_told_to_a_finished_run() {
    let world = World::new();
    world.loops("over", "touch b.txt", &["--check", RED]).exits(0);
    let ran = world.piton(&["tell", "over", "hello"]).exits(2);
    insta::assert_snapshot!(ran.err, @"
    error: run `over` is completed already

    hint: run `piton status over`
    ");
}

#[test]
fn at_a_terminal_each_question_is_asked_and_yes_and_no_are_understood() {
    use std::io::Write as _;
    let world = asked();
    let mut terminal = world.terminal(&["answer"]);
    terminal.shows("ask  question 1");
    terminal.shows("which port?");
    terminal.write_all(b"what\n").unwrap();
    terminal.shows("left as it is: `piton answer ask 1`");
    assert_eq!(terminal.ends(), 4);
    let mut terminal = world.terminal(&["answer", "ask"]);
    terminal.shows("[y]es, [n]o");
    terminal.write_all(b"y\nport 8080\n").unwrap();
    terminal.shows("answered; ask goes on");
    assert_eq!(terminal.ends(), 0);
    world.piton(&["wait", "ask"]).exits(0);
    assert!(std::fs::read_to_string(world.beside("prompt")).unwrap().contains("port 8080"));
    let mut terminal = world.terminal(&["answer"]);
    terminal.shows("nothing waits for an answer");
    assert_eq!(terminal.ends(), 0);

    let world = asked();
    let mut terminal = world.terminal(&["answer"]);
    terminal.shows("[y]es, [n]o");
    terminal.write_all(b"n\n\n").unwrap();
    terminal.shows("answered;");
    assert_eq!(terminal.ends(), 0);
    let events = world.events("ask");
    let given = events.iter().find(|event| event["type"] == "answer_given").unwrap();
    assert_eq!(given["data"]["answer"], "reject");
}

#[test]
fn of_two_answers_at_the_same_moment_the_second_is_told_that_the_first_counts() {
    use piton_sys::process::{Signal, signal};
    let world = super::workflow::world(
        "
name: side by side
steps:
  - {id: slow, run: 'until test -e \"$GATE\"; do sleep 0.02; done'}
  - {id: ask, run: 'true', human_in_the_loop: true}
",
    );
    world.piton(&["run", "w.yaml", "--run-id", "r1", "--pause-for-human-input", "--detach"]).exits(0);
    eventually("it asks", || !world.json(&["status", "r1"])["questions"].as_array().unwrap().is_empty());
    // Nobody has judged the first when the second comes.
    let driver = world.driver("r1");
    assert!(signal(&driver, Signal::Stop).unwrap());
    world.piton(&["answer", "r1", "1", "--approve"]).exits(0);
    let ran = world.piton(&["answer", "r1", "1", "--reject"]).exits(4);
    assert!(ran.err.contains("another answer to question 1 came first, and that one counts"), "{}", ran.err);
    assert!(signal(&driver, Signal::Continue).unwrap());
    world.open_gate();
    world.piton(&["wait", "r1"]).exits(0);
    // The same of a loop.
    let world = asked();
    let both = r#"{ $P answer ask --approve; echo $? >> ../codes; } & { $P answer ask --reject; echo $? >> ../codes; } & wait"#;
    world.shell(&both.replace("$P", env!("CARGO_BIN_EXE_piton"))).exits(0);
    let codes = std::fs::read_to_string(world.beside("codes")).unwrap();
    assert!(matches!(codes.as_str(), "0\n4\n" | "4\n0\n"), "{codes}");
}
