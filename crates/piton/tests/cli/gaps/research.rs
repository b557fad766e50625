//! Agents that look into gaps.

use super::{FILE, NOW, audit, gaps, ledger};
use crate::common::{Signal, World, eventually};

/// Answers by the gap it is asked about.
const SCRIPTED: &str = r#"cat > "$BESIDE/prompt-$PITON_GAP"; case $PITON_GAP in
teams) echo '{"custom": {"research": {"outcome": "full_report", "findings": "Nine people.", "evidence": [{"file": "a.txt"}]}}, "usage": {"input_tokens": 90, "output_tokens": 10}, "cost_usd": 0.25}' > "$PITON_REPORT";;
pricing) echo 'I looked. {"outcome": "no_new_findings"}';;
legal) echo '{"outcome": "insufficient_data"}';;
broken) exit 3;;
silent) echo hello;;
boaster) echo '{"status": "done", "summary": "It is all true."}' > "$PITON_REPORT";;
liar) echo '{"outcome": "full_report", "findings": "x", "evidence": [{"file": "nowhere"}]}';;
esac"#;

fn research(world: &World, words: &[&str]) -> crate::common::Ran {
    gaps(world, &[&["research", "--exec", SCRIPTED], words].concat())
}

#[test]
fn a_batch_is_researched_and_the_full_picture_is_told() {
    let world = ledger();
    let ran = research(&world, &[]).exits(0);
    assert!(ran.err.contains("1 stale, 2 unknown, researching 2, 0 later, 1 waiting"), "{}", ran.err);
    assert!(ran.out.contains("teams: full_report") && ran.out.contains("100 tokens · $0.25"), "{}", ran.out);
    let teams = world.json(&["gaps", "show", "teams", "--now", NOW]);
    assert_eq!(
        (teams["status"].as_str(), teams["findings"].as_str()),
        (Some("verified"), Some("Nine people."))
    );
    assert!(teams["evidence"][0]["hash"].as_str().unwrap().starts_with("blake3:"), "{teams}");
    let pricing = world.json(&["gaps", "show", "pricing", "--now", NOW]);
    assert_eq!(
        (pricing["status"].as_str(), pricing["last_checked"].as_str()),
        (Some("stale"), Some("2026-02-15T12:00:00+00:00"))
    );
    assert_eq!(
        audit(&world),
        "[2026-02-15T12:00:00+00:00] pricing: verified -> stale (TTL expired: 45 days > 30 day limit)\n\
         [2026-02-15T12:00:00+00:00] teams: unknown -> verified (Research completed: full_report)\n"
    );
    let prompt = std::fs::read_to_string(world.beside("prompt-pricing")).unwrap();
    assert!(prompt.contains("Two plans.") && prompt.contains("Evidence"), "{prompt}");
    let again = research(&world, &[]).exits(0);
    assert!(again.err.contains("researching 1"), "legal waits no longer, pricing was checked\n{}", again.err);
}

#[test]
fn one_failure_does_not_stop_the_rest() {
    let world = World::new();
    world.write(
        "gaps.yaml",
        "gaps:\n- {id: broken, category: c, priority: 5}\n- {id: silent, category: c, priority: 5}\n\
         - {id: liar, category: c, priority: 5}\n- {id: boaster, category: c, priority: 5}\n- {id: teams, category: c, priority: 1}\n",
    );
    let ran = research(&world, &[]).exits(0);
    assert!(ran.out.contains("broken: failed: the agent exited with 3"), "{}", ran.out);
    assert!(ran.out.contains("silent: failed: the agent said nothing that is a result"), "{}", ran.out);
    assert!(ran.out.contains("boaster: failed: the agent said nothing that is a result"), "{}", ran.out);
    assert!(ran.out.contains("liar: failed: evidence `nowhere` is not there"), "{}", ran.out);
    assert!(ran.out.contains("teams: full_report"), "{}", ran.out);
    assert!(ran.err.contains("1 settled, 4 failed"), "{}", ran.err);
    let listed = world.json(&["gaps", "list", "--status", "unknown"]);
    assert_eq!(listed.as_array().unwrap().len(), 4, "what failed is as it was");
}

#[test]
fn a_budget_ends_the_batch_and_says_so() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n- {id: legal, category: c}\n");
    let ran = research(&world, &["--max-tokens", "50"]).exits(3);
    assert!(ran.err.contains("limit:tokens: 1 settled, 0 failed, 1 not begun"), "{}", ran.err);
    let ran = research(&world, &["--max-cost", "0"]).exits(2);
    assert!(ran.err.contains("--max-cost"), "{}", ran.err);
}

/// Writes so many bytes of findings with an outcome, to the report or to where it prints.
fn long_answer(bytes: usize, where_to: &str) -> String {
    let findings =
        format!(r#"{{"outcome": "full_report", "findings": "$(head -c {bytes} /dev/zero | tr '\0' w)"}}"#);
    let findings = findings.replace('"', "\\\"");
    match where_to {
        "report" => format!(r#"echo "{{\"custom\": {{\"research\": {findings}}}}}" > "$PITON_REPORT""#),
        _ => format!(r#"echo "{findings}""#),
    }
}

#[test]
fn a_long_answer_is_kept_whole() {
    for where_to in ["report", "output"] {
        let world = World::new();
        world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
        let ran = gaps(&world, &["research", "--exec", &long_answer(40_000, where_to)]);
        assert!(ran.out.contains("teams: full_report"), "{where_to}\n{}", ran.out);
        let findings = world.json(&["gaps", "show", "teams"])["findings"].as_str().unwrap().len();
        assert_eq!(findings, 40_000, "{where_to}");
    }
}

#[test]
fn a_long_answer_of_an_agent_whose_stream_is_understood_is_kept_whole() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
    world.configure("[agents.talker]\ncommand = [\"sh\", \"talker\"]\nstream = \"claude\"\n");
    let findings = "w".repeat(20_000);
    let answer = serde_json::json!({ "outcome": "full_report", "findings": findings }).to_string();
    let said = serde_json::json!({
        "type": "assistant", "message": { "content": [{ "type": "text", "text": answer }] },
    });
    let over =
        serde_json::json!({ "type": "result", "subtype": "success", "is_error": false, "result": answer });
    world.write("talker", &format!("cat <<'END'\n{said}\n{over}\nEND\n"));
    let ran = gaps(&world, &["research", "--agent", "talker", "--trust"]);
    assert!(ran.out.contains("teams: full_report"), "{}{}", ran.out, ran.err);
    assert_eq!(world.json(&["gaps", "show", "teams"])["findings"].as_str().unwrap().len(), 20_000);
}

#[test]
fn an_answer_that_is_too_long_is_refused_with_the_bound() {
    for (where_to, told) in [
        ("report", "its report was not understood: failed to read"),
        ("output", "findings of 1200000 bytes are more than 1048576"),
    ] {
        let world = World::new();
        world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
        let ran = gaps(&world, &["research", "--exec", &long_answer(1_200_000, where_to)]).exits(1);
        assert!(ran.out.contains(told) && ran.out.contains("1048576"), "{where_to}\n{}", ran.out);
    }
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
    let agent = r#"url=http://x/$(head -c 9000 /dev/zero | tr '\0' w)
        echo "{\"outcome\": \"full_report\", \"findings\": \"x\", \"evidence\": [{\"url\": \"$url\"}]}""#;
    let ran = gaps(&world, &["research", "--exec", agent]).exits(1);
    assert!(ran.out.contains("a source of 9009 bytes is more than 8192"), "{}", ran.out);
}

#[test]
fn a_report_that_cannot_be_read_is_the_reason_that_is_told() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
    let ran = gaps(&world, &["research", "--exec", "echo oops > $PITON_REPORT"]).exits(1);
    assert!(
        ran.out.contains("its report was not understood: the report is not a JSON object"),
        "{}",
        ran.out
    );
}

#[test]
fn limits_that_nobody_can_mean_are_refused() {
    let world = ledger();
    for (flag, told) in [
        ("--max-tokens=0", "give a whole number above 0"),
        ("--max-cost=0.0000001", "--max-cost"),
        ("--max-cost=nan", "--max-cost"),
        ("--max-duration=0s", "--max-duration"),
        ("--attempt-timeout=0m", "--attempt-timeout"),
    ] {
        let ran = research(&world, &[flag]).exits(2);
        assert!(ran.err.contains(told), "{flag}\n{}", ran.err);
    }
    gaps(&world, &["prompt", "--tokens", "0"]).exits(2);
    assert_eq!(world.read("gaps.yaml"), FILE, "nothing was changed");
}

#[test]
fn research_that_was_killed_goes_on_where_it_stopped() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c, priority: 5}\n- {id: legal, category: c}\n");
    let slow = format!("{}\n{SCRIPTED}", crate::common::WAITS);
    let words = ["gaps", "research", "--exec", slow.as_str(), "--now", NOW];
    let started = world.start(&words);
    started.says("teams: researching");
    let attempts = world.path(".piton/attempts");
    eventually("the agent works", || {
        let runs = std::fs::read_dir(&attempts).into_iter().flatten().flatten();
        runs.map(|run| run.path().join("1/started.json")).any(|path| path.exists())
    });
    let second = world.piton(&words);
    assert_eq!(second.code, 5, "one at a time\n{}", second.err);
    started.signal(Signal::KILL);
    started.ends();
    world.open_gate();
    let ran = world.piton(&words).exits(0);
    assert!(ran.err.contains("attempt 1 was begun before"), "{}", ran.err);
    assert!(
        ran.out.contains("teams: full_report") && ran.out.contains("legal: insufficient_data"),
        "{}",
        ran.out
    );
    assert_eq!(audit(&world).lines().count(), 1);
    let run = world.json(&["ls", "--kind", "ledger"])[0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(world.count(&run, "research_attempt_started"), 2, "nobody was asked twice");
}

#[test]
fn a_person_who_edits_meanwhile_is_right() {
    let world = ledger();
    let agent = format!(
        "sed -i 's/Two plans./Three plans, I asked./' gaps.yaml; {}",
        SCRIPTED.replace("no_new_findings\"", "full_report\", \"findings\": \"One plan.\"")
    );
    let ran = gaps(&world, &["research", "pricing", "--exec", &agent]).exits(0);
    assert!(ran.out.contains("a person edited the gap meanwhile"), "{}", ran.out);
    assert!(world.read("gaps.yaml").contains("Three plans, I asked."));
}

#[test]
fn a_watcher_looks_again_when_something_becomes_stale() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
    let watcher = world.start(&["gaps", "research", "--watch", "--exec", SCRIPTED]);
    watcher.says("looking again at");
    world.write("a.txt", "another\n");
    watcher.says("1 stale, researching 1");
    eventually("verified anew", || audit(&world).lines().count() == 3);
    watcher.signal(Signal::KILL);
    watcher.ends();
    assert!(audit(&world).contains("Source changed: a.txt"));
    let waits = world.json(&["ls", "--kind", "ledger"])[0]["waiting_for"].clone();
    assert!(waits.is_string(), "the time of the next look is on record");
}

#[test]
fn research_by_an_agent_nobody_named_is_a_usage_error() {
    let world = ledger();
    gaps(&world, &["research"]).exits(2);
    gaps(&world, &["research", "nowhere", "--exec", "true"]).exits(2);
    assert_eq!(world.read("gaps.yaml"), FILE, "nothing was changed");
    gaps(&world, &["verify", "pricing"]).exits(0);
    let ran = research(&world, &["pricing"]).exits(0);
    assert!(
        ran.out.contains("pricing: no_new_findings"),
        "what is named is looked into in any case\n{}",
        ran.out
    );
}

#[test]
fn a_batch_knows_of_sources_that_changed_as_research_does() {
    let world = World::new();
    world.write("gaps.yaml", "gaps:\n- {id: teams, category: c}\n");
    gaps(&world, &["verify", "teams", "--findings", "Two.", "--source", "file:a.txt"]).exits(0);
    assert_eq!(gaps(&world, &["batch"]).exits(0).out, "");
    world.write("a.txt", "another\n");
    assert_eq!(gaps(&world, &["batch"]).exits(0).out, "teams\n");
    assert!(world.read("gaps.yaml").contains("status: verified"), "it only reports");
}
