//! A ledger: gaps that are added, go stale, are looked into, settled, edited and removed.

use piton_model::ledger::{Gap, Outcome};
use piton_model::ledger_machine::{Command, Found, Opening, ResearchLimits, State, Used, create};

use super::{Folded, Script, Views, check};

fn questions() -> Script<State> {
    let mut script = Script::<State>::new(create(Opening {
        run: "gaps".parse().expect("an id"),
        file: "gaps.yaml".to_owned(),
        log: "gap_audit.log".to_owned(),
        default_ttl_days: 30,
    }));
    let gap = |id: &str| Gap::new(id, "market");
    script.command(Command::Adopt { digest: "d1".to_owned(), gaps: vec![gap("a"), gap("b")] });
    script.command(Command::Add(Box::new(gap("c"))));
    script.command(Command::Verify {
        gap: "a".to_owned(),
        finding: Some(("twelve of them".to_owned(), Vec::new())),
        reason: "counted".to_owned(),
    });
    // Two months later what was known is stale.
    script.after(60 * 86_400_000).command(Command::FlipDue { observed: Default::default() });
    script.command(Command::Research {
        gaps: vec!["a".to_owned(), "b".to_owned()],
        forced: false,
        limits: ResearchLimits::default(),
        before: Default::default(),
    });
    for found in [
        Found::Outcome {
            outcome: Outcome::FullReport,
            finding: Some(("thirteen of them".to_owned(), Vec::new())),
        },
        Found::Failed("no answer".to_owned()),
    ] {
        script.command(Command::StartAttempt { host: "host".to_owned(), boot: "boot".to_owned() });
        let attempt = script.state.attempts;
        let used = Used { tokens: Some(900), microusd: None, working_ms: 30_000 };
        script.command(Command::EndAttempt { attempt, found, used });
    }
    // There is nobody left to look into anything: the batch is over.
    script.command(Command::StartAttempt { host: "host".to_owned(), boot: "boot".to_owned() });
    script.command(Command::Remove { gap: "c".to_owned() });
    script.command(Command::Watch { until: Some(script.now.plus_millis(3_600_000)) });
    for kind in ["gaps_flipped", "gap_verified", "research_attempt_ended", "research_ended"] {
        assert!(script.has(kind), "{kind}");
    }
    script
}

pub(crate) fn views(folded: &Folded<State>) -> Views {
    let state = folded.last();
    let log: String = state.unlogged.iter().map(|flip| flip.to_line() + "\n").collect();
    vec![("gaps.yaml", piton_files::gaps::render(&state.gaps).into_bytes()), ("audit.log", log.into_bytes())]
}

#[test]
fn a_ledger_folds_and_renders_as_it_did() {
    check("ledger-questions", questions, views);
}
