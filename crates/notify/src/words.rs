//! What a message says: the user's template, or ours.

use piton_model::limits::{TEXT_BYTES_MAX, clip};
use piton_model::notify::{On, Priority, Trigger};

use crate::occasion::{Facts, Occasion};
use crate::template::fill;

/// The longest first line.
const TITLE_BYTES_MAX: usize = 200;

/// The first line of a message and what follows it.
pub(crate) fn of(occasion: &Occasion, on: &On, priority: Priority) -> (String, String) {
    let fact = |name: &str| value(occasion, priority, name);
    let title = match &on.title {
        Some(template) => fill(template, fact),
        None => title(occasion.trigger, &occasion.facts),
    };
    let text = match &on.text {
        Some(template) => fill(template, fact),
        None => text(occasion),
    };
    // A first line is one line, whatever a title of a task brings along.
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (clip(&title, TITLE_BYTES_MAX).to_owned(), clip(&text, TEXT_BYTES_MAX).to_owned())
}

fn title(trigger: Trigger, facts: &Facts) -> String {
    let what = match trigger {
        Trigger::LoopStarted => "started",
        Trigger::LoopCompleted => "done",
        Trigger::LoopFailed => "failed",
        Trigger::LoopPaused => facts.status.as_str(),
        Trigger::LoopResumed => "goes on",
        Trigger::IterationComplete => return format!("{}: iteration {} done", facts.short, facts.iteration),
        Trigger::TestsAllPassing => "all checks pass",
        Trigger::TestsFailing => "a check fails",
        Trigger::NoProgress => "no progress",
        Trigger::ContextRebooted => "fresh session",
        Trigger::Error => "an attempt failed",
        Trigger::SafetyLimit => "stopped by a limit",
        Trigger::ModeSwitched => "mode changed",
        Trigger::MilestoneReached => "new best iteration",
        Trigger::AttentionNeeded => "needs you",
    };
    format!("{}: {what}", facts.short)
}

fn text(occasion: &Occasion) -> String {
    let facts = &occasion.facts;
    let mut lines = vec![facts.title.clone()];
    lines.extend(occasion.what.clone());
    match (&facts.reason, &facts.detail) {
        (_, Some(detail)) => lines.push(detail.clone()),
        (Some(reason), None) => lines.push(format!("{} ({reason})", facts.status)),
        (None, None) => {}
    }
    lines.push(match facts.steps {
        None => format!(
            "iteration {} of {} · checks {} · {} · cost {}",
            facts.iteration,
            facts.max_iterations,
            facts.checks(),
            facts.working(),
            facts.cost()
        ),
        Some((done, total)) => {
            // Where nothing cost anything that anybody told of, money is not spoken of.
            let cost = match facts.cost_microusd {
                Some(0) => String::new(),
                Some(_) | None => format!(" · cost {}", facts.cost()),
            };
            format!("{done} of {total} steps · attempts {} · {}{cost}", facts.iteration, facts.working())
        }
    });
    lines.push(facts.next());
    lines.retain(|line| !line.is_empty());
    lines.dedup();
    lines.join("\n")
}

/// The fact that a template names.
fn value(occasion: &Occasion, priority: Priority, name: &str) -> Option<String> {
    let facts = &occasion.facts;
    Some(match name {
        "trigger" => occasion.trigger.as_str().to_owned(),
        "priority" => priority.as_str().to_owned(),
        "time" => occasion.at.to_string(),
        "run" => facts.run.clone(),
        "short" => facts.short.clone(),
        "title" => facts.title.clone(),
        "kind" => facts.kind.to_string(),
        "status" => facts.status.to_string(),
        "reason" => facts.reason.map_or("", |reason| reason.as_str()).to_owned(),
        "detail" => occasion.what.clone().or_else(|| facts.detail.clone()).unwrap_or_default(),
        "iteration" => facts.iteration.to_string(),
        "max_iterations" => facts.max_iterations.to_string(),
        "checks" => facts.checks(),
        "best" => facts.best.map(|best| best.to_string()).unwrap_or_default(),
        "cost" => facts.cost(),
        "working" => facts.working(),
        "next" => facts.next(),
        "repository" => facts.repository.clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use piton_model::notify::FACTS;
    use piton_model::{Reason, Status, Timestamp};

    use super::*;

    fn occasion() -> Occasion {
        let facts = Facts {
            run: "ralph-tidy-7f3a91c2".to_owned(),
            short: "7f3a91c2".to_owned(),
            title: "Tidy\nup".to_owned(),
            status: Status::Completed,
            reason: Some(Reason::ChecksPass),
            iteration: 3,
            max_iterations: 50,
            checks: Some((2, 2)),
            working_ms: 3_720_000,
            cost_microusd: Some(1_239_999),
            ..Facts::default()
        };
        Occasion::new(Trigger::LoopCompleted, Timestamp::from_millis(0), facts)
    }

    #[test]
    fn a_workflow_has_steps_and_speaks_of_money_where_there_is_some() {
        let mut occasion = occasion();
        occasion.facts.steps = Some((5, 6));
        assert!(
            text(&occasion).contains("5 of 6 steps · attempts 3 · 1 h 2 min · cost $1.23"),
            "{}",
            text(&occasion)
        );
        occasion.facts.cost_microusd = Some(0);
        assert!(!text(&occasion).contains("cost"), "{}", text(&occasion));
    }

    #[test]
    fn every_fact_that_a_template_may_name_is_known() {
        for name in FACTS {
            assert!(value(&occasion(), Priority::High, name).is_some(), "{name}");
        }
        assert_eq!(value(&occasion(), Priority::High, "password"), None);
    }

    #[test]
    fn our_own_words_say_how_it_stands_and_what_to_run() {
        let (title, text) = of(&occasion(), &On::of(Trigger::LoopCompleted), Priority::High);
        assert_eq!(title, "7f3a91c2: done");
        let expected = "Tidy\nup\ncompleted (checks_pass)\niteration 3 of 50 · checks 2/2 · 1 h 2 min · cost $1.23\npiton report 7f3a91c2";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_template_takes_the_place_of_our_words() {
        let on = On {
            title: Some("[{priority}] {title}".to_owned()),
            text: Some("{short} {checks} {cost}".to_owned()),
            ..On::of(Trigger::LoopCompleted)
        };
        let (title, text) = of(&occasion(), &on, Priority::High);
        assert_eq!((title.as_str(), text.as_str()), ("[high] Tidy up", "7f3a91c2 2/2 $1.23"));
    }

    #[test]
    fn a_cost_that_is_not_known_is_not_zero() {
        let mut occasion = occasion();
        occasion.facts.cost_microusd = None;
        assert!(of(&occasion, &On::of(Trigger::Error), Priority::High).1.contains("cost unknown"));
    }
}
