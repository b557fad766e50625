//! What an agent of a loop does and says.

use piton_model::loop_machine::{AttemptOutcome, ErrorClass, Report, ReportStatus, Usage};

use super::Scene;
use crate::kind::Intended;
use crate::rng::Rng;

pub(super) fn intend(attempt: u32, scene: &Scene, rng: &mut Rng) -> Intended<Report> {
    let mut report = Report::default();
    if rng.percent(70) {
        report.cost_microusd = Some(rng.between(1_000, 200_000));
        report.usage = Some(Usage {
            input_tokens: rng.below(1_000),
            output_tokens: rng.below(400),
            cached_input_tokens: None,
        });
    }
    if rng.percent(70) {
        report.session_id = Some(scene.session.clone().unwrap_or_else(|| format!("session-{attempt}")));
        report.context_usage_percent = Some(rng.below(101) as u8);
    }
    if rng.one_in(12) {
        report.summary = Some("CRITICAL: I have to start over.".to_owned());
    } else if scene.chatty {
        report.summary = Some("I looked at the code and changed it. ".repeat(60));
    }
    let steps = rng.between(1, 3);
    let ends = |outcome, said, steps| Intended { outcome, said, steps };
    if rng.below(1_000) < scene.done_permille {
        report.status = Some(ReportStatus::Done);
        return ends(AttemptOutcome::Succeeded, Some(report), steps);
    }
    match rng.below(100) {
        0..70 => {
            report.status = Some(ReportStatus::Continue);
            ends(AttemptOutcome::Succeeded, Some(report), steps)
        }
        70..74 => {
            report.status = Some(ReportStatus::Blocked);
            report.reason = Some(format!("no key {}", rng.below(1_000)));
            ends(AttemptOutcome::Succeeded, Some(report), steps)
        }
        74..84 => {
            report.error_class = rng.one_in(4).then_some(ErrorClass::ContextFull);
            ends(AttemptOutcome::Failed, Some(report), steps)
        }
        84..87 => ends(AttemptOutcome::Hung, None, steps + 4),
        87..90 => ends(AttemptOutcome::TimedOut, None, steps + 4),
        90..96 => {
            let overloaded = rng.one_in(2);
            report.error_class =
                Some(if overloaded { ErrorClass::Overloaded } else { ErrorClass::RateLimit });
            ends(AttemptOutcome::Failed, Some(report), 1)
        }
        96 => {
            report.error_class = Some(ErrorClass::Auth);
            ends(AttemptOutcome::Failed, Some(report), 1)
        }
        97 => ends(AttemptOutcome::NotStartable, None, 0),
        _ => ends(AttemptOutcome::Succeeded, None, steps),
    }
}
