//! Which hooks are called at a point, in which order.

use piton_model::hook::{Hook, HookCondition, Hooks};
use regex::Regex;

use super::Context;

/// A hook whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due<'a> {
    pub hook: &'a Hook,
    /// Why it is not called all the same.
    pub skipped: Option<String>,
}

/// The hooks whose turn it is, in the order they are called: the highest priority first, then as declared.
pub fn due<'a>(hooks: &'a Hooks, context: &Context) -> Vec<Due<'a>> {
    let is_due = |hook: &&Hook| {
        hook.points.contains(&context.hook_point)
            && hook.conditions.iter().all(|condition| holds(condition, context))
    };
    let mut due: Vec<_> = hooks.hooks.iter().filter(is_due).collect();
    due.sort_by_key(|hook| std::cmp::Reverse(hook.priority));
    due.into_iter()
        .map(|hook| {
            let skipped = hook.untrusted.then(|| format!("skipped, not trusted: {}", hook.run.label()));
            Due { hook, skipped }
        })
        .collect()
}

fn holds(condition: &HookCondition, context: &Context) -> bool {
    match condition {
        HookCondition::EveryN { n } => *n > 0 && context.iteration.is_multiple_of(*n),
        HookCondition::InMode { modes } => modes.contains(&context.mode),
        HookCondition::IfPattern { pattern } => {
            let text = context.text.as_deref().unwrap_or_default();
            // The configuration refuses what is no expression.
            Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
        }
        HookCondition::IfTestStatus { passing } => context.tests_passing == Some(*passing),
    }
}

#[cfg(test)]
mod tests {
    use piton_model::hook::{Builtin, HookKind, HookPoint, Mode};

    use super::*;
    use crate::hook::tests::context;

    fn hook(name: &str, points: &[HookPoint], priority: i32) -> Hook {
        let run = HookKind::Command { command: format!("run {name}") };
        let points = points.to_vec();
        Hook { name: name.to_owned(), points, priority, run, ..Builtin::Logging.hook() }
    }

    fn names(hooks: &[Hook], context: &Context) -> Vec<String> {
        let hooks = Hooks { hooks: hooks.to_vec(), ..Hooks::default() };
        due(&hooks, context).into_iter().map(|due| due.hook.name.clone()).collect()
    }

    #[test]
    fn hooks_are_called_at_their_points_the_highest_priority_first() {
        use HookPoint::{LoopEnd, LoopStart, PreIteration};
        let hooks = [
            hook("a", &[LoopStart, LoopEnd], 0),
            hook("b", &[LoopEnd], 50),
            hook("c", &[LoopEnd], -5),
            hook("d", &[LoopEnd], 0),
            hook("e", &[LoopStart], 0),
        ];
        assert_eq!(names(&hooks, &context(LoopEnd)), ["b", "a", "d", "c"]);
        assert_eq!(names(&hooks, &context(LoopStart)), ["a", "e"]);
        assert_eq!(names(&hooks, &context(PreIteration)), [""; 0]);
    }

    #[test]
    fn builtins_have_the_order_of_the_document() {
        let hooks: Vec<_> = Builtin::ALL
            .into_iter()
            .rev()
            .map(|builtin| Hook { points: vec![HookPoint::LoopEnd], ..builtin.hook() })
            .collect();
        let expected = ["logging", "metrics", "backup", "git", "notification"];
        assert_eq!(names(&hooks, &context(HookPoint::LoopEnd)), expected);
    }

    #[test]
    fn all_conditions_must_hold() {
        let in_mode = |modes: &[Mode]| HookCondition::InMode { modes: modes.to_vec() };
        let pattern = |pattern: &str| HookCondition::IfPattern { pattern: pattern.to_owned() };
        // Iteration 4, unattended, the text is `panicked at 3`, checks fail.
        let table = [
            (vec![HookCondition::EveryN { n: 2 }], true),
            (vec![HookCondition::EveryN { n: 3 }], false),
            (vec![HookCondition::EveryN { n: 0 }], false),
            (vec![in_mode(&[Mode::Attended, Mode::Unattended])], true),
            (vec![in_mode(&[Mode::Attended])], false),
            (vec![in_mode(&[])], false),
            (vec![pattern(r"panicked at \d")], true),
            (vec![pattern("^ok$")], false),
            (vec![pattern("(")], false),
            (vec![HookCondition::IfTestStatus { passing: false }], true),
            (vec![HookCondition::IfTestStatus { passing: true }], false),
            (vec![HookCondition::EveryN { n: 2 }, pattern("ok")], false),
            (vec![HookCondition::EveryN { n: 2 }, pattern("panicked")], true),
        ];
        let mut now = context(HookPoint::PostIteration);
        (now.text, now.tests_passing) = (Some("panicked at 3".to_owned()), Some(false));
        for (conditions, is_due) in table {
            let hook = Hook { conditions: conditions.clone(), ..hook("a", &[HookPoint::PostIteration], 0) };
            assert_eq!(names(&[hook], &now).len() == 1, is_due, "{conditions:?}");
        }
    }

    #[test]
    fn checks_that_were_not_run_neither_pass_nor_fail() {
        for passing in [true, false] {
            let conditions = vec![HookCondition::IfTestStatus { passing }];
            let hook = Hook { conditions, ..hook("a", &[HookPoint::LoopStart], 0) };
            assert_eq!(names(&[hook], &context(HookPoint::LoopStart)), [""; 0]);
        }
    }

    #[test]
    fn what_is_not_trusted_is_skipped_by_its_command() {
        let hooks = vec![Hook { untrusted: true, ..hook("a", &[HookPoint::LoopStart], 0) }];
        let hooks = Hooks { hooks, ..Hooks::default() };
        let due = due(&hooks, &context(HookPoint::LoopStart));
        assert_eq!(due[0].skipped.as_deref(), Some("skipped, not trusted: run a"));
    }
}
