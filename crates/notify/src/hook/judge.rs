//! What the results of all hooks at a point mean for the run.

use piton_model::hook::{HookPoint, Hooks};
use serde_json::{Map, Value};

use super::HookResult;

/// What a point's hooks want.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// The run is to stop, and who wants it.
    pub stop: Option<StopBy>,
    /// What was about to happen is not to happen: only before a reboot.
    pub skip: bool,
    /// The values that were changed, later hooks winning.
    pub data: Map<String, Value>,
    /// What people should know: skipped and failed hooks.
    pub warnings: Vec<String>,
}

/// Why a run is to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopBy {
    pub hook: String,
    /// Why, as a sentence for people.
    pub why: String,
}

/// What `results` at `point` mean. The first hook that wants to stop is the one that is named.
pub fn judge(hooks: &Hooks, point: HookPoint, results: &[HookResult]) -> Judgement {
    let mut judgement = Judgement::default();
    for result in results {
        let name = &result.hook_name;
        let said = result.error.as_deref().or(result.output.as_deref());
        if result.skipped {
            judgement.warnings.push(format!("hook `{name}` {}", said.unwrap_or("skipped")));
            continue;
        }
        if !result.success {
            judgement
                .warnings
                .push(format!("hook `{name}` failed: {}", said.unwrap_or("it does not say why")));
            judgement.skip |= point == HookPoint::PreReboot;
        }
        let is_fatal = !result.success && hooks.fail_on_hook_error;
        if (!result.continue_loop || is_fatal) && judgement.stop.is_none() && point != HookPoint::LoopEnd {
            let verb = if result.continue_loop { "failed" } else { "stopped the run" };
            let why = match said {
                Some(said) => format!("hook `{name}` {verb} at {}: {said}", point.as_str()),
                None => format!("hook `{name}` {verb} at {}", point.as_str()),
            };
            judgement.stop = Some(StopBy { hook: name.clone(), why });
        }
        judgement.data.extend(result.modified_data.clone());
    }
    judgement
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lenient() -> Hooks {
        Hooks::default()
    }

    fn strict() -> Hooks {
        Hooks { fail_on_hook_error: true, ..Hooks::default() }
    }

    fn stopping(name: &str) -> HookResult {
        HookResult { continue_loop: false, output: Some("enough".to_owned()), ..HookResult::new(name) }
    }

    #[test]
    fn a_run_goes_on_unless_a_hook_says_no() {
        let point = HookPoint::PreIteration;
        assert_eq!(judge(&lenient(), point, &[HookResult::new("a")]), Judgement::default());
        let stopped = judge(&lenient(), point, &[HookResult::new("a"), stopping("b"), stopping("c")]);
        let stop = stopped.stop.unwrap();
        assert_eq!(
            (stop.hook.as_str(), stop.why.as_str()),
            ("b", "hook `b` stopped the run at pre_iteration: enough")
        );
    }

    #[test]
    fn a_failure_stops_the_run_only_where_that_was_asked_for() {
        let failed = [HookResult::failed("a", "it took longer than 1 s")];
        let judged = judge(&lenient(), HookPoint::PostIteration, &failed);
        assert_eq!(judged.stop, None);
        assert_eq!(judged.warnings, ["hook `a` failed: it took longer than 1 s"]);
        let judged = judge(&strict(), HookPoint::PostIteration, &failed);
        assert_eq!(judged.stop.unwrap().why, "hook `a` failed at post_iteration: it took longer than 1 s");
    }

    #[test]
    fn what_was_skipped_is_said_and_stops_nothing() {
        let skipped = [HookResult::skipped("a", "skipped, not trusted: rm -rf /")];
        let judged = judge(&strict(), HookPoint::PreReboot, &skipped);
        assert_eq!((judged.stop, judged.skip), (None, false));
        assert_eq!(judged.warnings, ["hook `a` skipped, not trusted: rm -rf /"]);
    }

    #[test]
    fn a_failure_before_a_reboot_keeps_the_session() {
        for point in HookPoint::ALL {
            let judged = judge(&lenient(), point, &[HookResult::failed("a", "no")]);
            assert_eq!(judged.skip, point == HookPoint::PreReboot, "{point:?}");
        }
    }

    #[test]
    fn a_run_that_has_ended_cannot_be_stopped() {
        assert_eq!(judge(&strict(), HookPoint::LoopEnd, &[stopping("a")]).stop, None);
    }

    #[test]
    fn later_hooks_win_over_earlier_ones() {
        let changed = |name: &str, data: Value| {
            let modified_data = data.as_object().unwrap().clone();
            HookResult { modified_data, ..HookResult::new(name) }
        };
        let results = [changed("a", json!({"x": 1, "y": 1})), changed("b", json!({"y": 2}))];
        let judged = judge(&lenient(), HookPoint::PreIteration, &results);
        assert_eq!(Value::Object(judged.data), json!({"x": 1, "y": 2}));
    }
}
