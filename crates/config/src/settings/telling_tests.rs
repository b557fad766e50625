//! What `[notify]` and `[hooks]` may say, and how the rest is refused.

use piton_model::hook::{Builtin, HookCondition, HookKind, HookPoint, Method, Mode};
use piton_model::notify::{ChannelKind, Day, Encryption, Given, Notify, On, Priority, Rate, Trigger};

use crate::files::{Document, Files};
use crate::layers::{Overrides, resolve};
use crate::settings::Settings;

fn files(user: &str, project: &str) -> Files {
    let document =
        |name: &str, text: &str| Document { name: name.to_owned(), content: text.as_bytes().to_vec() };
    Files { user: Some(document("config.toml", user)), project: Some(document("piton.toml", project)) }
}

fn settings(user: &str, project: &str) -> Settings {
    resolve(&files(user, project), &|_| None, &Overrides::default()).unwrap().settings
}

fn problems(project: &str) -> String {
    resolve(&files("", project), &|_| None, &Overrides::default()).unwrap_err().to_string()
}

/// Exactly these problems, each on its line.
fn assert_said(project: &str, expected: &[(usize, &str)]) {
    let said = problems(project);
    let lines: Vec<_> = said.lines().collect();
    for (index, (line, what)) in expected.iter().enumerate() {
        let found = lines.get(index).copied().unwrap_or_default();
        let place = format!("piton.toml:{line}:");
        assert!(
            found.starts_with(&place) && found.contains(what),
            "line {line}: {what}\nis not\n{found}\n\n{said}"
        );
    }
    assert_eq!(lines.len(), expected.len(), "{said}");
}

#[test]
fn without_a_word_nobody_is_told_and_nothing_is_called() {
    let settings = settings("", "");
    assert_eq!((settings.settled_notify(), settings.settled_hooks()), (None, None));
    let off = self::settings("", "[notify]\nenabled = false\n[hooks]\nenabled = false\n");
    assert!(off.settled_notify().is_some_and(|notify| notify.channels.is_empty() && notify.on.is_empty()));
    assert_eq!(off.settled_hooks(), None);
}

#[test]
fn the_bare_sections_mean_the_defaults() {
    let settings = settings("", "[notify]\n[hooks]\n");
    assert_eq!(settings.settled_notify(), Some(Notify::default()));
    let hooks = settings.settled_hooks().unwrap();
    assert_eq!(hooks.default_timeout_ms, 30_000);
    assert_eq!(hooks.hooks, [Builtin::Logging.hook()]);
}

#[test]
fn every_documented_key_of_notify_is_read() {
    let text = r#"
        [notify]
        min_interval = "2m"
        max_per_hour = 0
        debounce = "0s"
        quiet_hours = { from = "22:00", to = "07:00", days = ["fri", "sat"], allow_critical = false }
        [notify.channels.team]
        type = "slack"
        url = { env = "SLACK_WEBHOOK_URL" }
        min_priority = "high"
        [notify.channels.chat]
        type = "discord"
        url = { file = "~/.discord" }
        [notify.channels.board]
        type = "webhook"
        url = "https://board.example.org/piton"
        token = { env = "BOARD_TOKEN" }
        [notify.channels.mail]
        type = "email"
        host = "mail.example.org"
        encryption = "tls"
        from = "piton <piton@example.org>"
        to = ["me@example.org"]
        username = "piton"
        password = { env = "MAIL_PASSWORD" }
        [notify.channels.told]
        type = "logfile"
        path = ".piton/told.log"
        [notify.channels.here]
        type = "desktop"
        [notify.triggers]
        iteration_complete = true
        loop_started = "normal"
        error = false
        attention_needed = { priority = "critical", channels = ["team"], title = "{short}", text = "{{x}} {detail}" }
    "#;
    let notify = settings("", text).settled_notify().unwrap();
    assert_eq!(notify.rate, Rate { per_trigger_ms: 120_000, per_hour: 0, debounce_ms: 0 });
    let quiet = notify.quiet.unwrap();
    assert_eq!(
        (quiet.from.to_string(), quiet.days, quiet.allow_critical),
        ("22:00".to_owned(), vec![Day::Fri, Day::Sat], false)
    );
    let kinds: Vec<_> = notify.channels.iter().map(|channel| channel.to.as_str()).collect();
    assert_eq!(kinds, ["slack", "discord", "webhook", "email", "logfile", "desktop"]);
    assert_eq!(notify.channels[0].min_priority, Priority::High);
    assert_eq!(notify.channels[0].to, ChannelKind::Slack { url: Given::Env("SLACK_WEBHOOK_URL".to_owned()) });
    let ChannelKind::Email(email) = &notify.channels[3].to else { panic!("{:?}", notify.channels[3]) };
    assert_eq!((email.port, email.encryption), (465, Encryption::Tls));
    assert_eq!(notify.on[&Trigger::IterationComplete], On::of(Trigger::IterationComplete));
    assert_eq!(notify.on[&Trigger::LoopStarted].priority, Priority::Normal);
    assert!(!notify.on.contains_key(&Trigger::Error));
    assert!(notify.on.contains_key(&Trigger::LoopFailed), "what was on stays on");
    assert_eq!(notify.on[&Trigger::AttentionNeeded].channels, ["team"]);
}

#[test]
fn channels_and_triggers_of_both_files_go_together() {
    let user = "[notify.channels.mine]\ntype = 'desktop'\n[notify.channels.log]\ntype = 'logfile'\npath = 'a'\n\
                [notify.triggers]\nerror = false\n";
    let project = "[notify.channels.log]\ntype = 'logfile'\npath = 'b'\n[notify.triggers]\nloop_paused = 'high'\n\
                   loop_completed = { channels = ['mine'] }\n";
    let notify = settings(user, project).settled_notify().unwrap();
    let channels: Vec<_> = notify.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(channels, ["mine", "log"]);
    assert_eq!(notify.channels[1].to, ChannelKind::Logfile { path: "b".to_owned() });
    assert!(!notify.on.contains_key(&Trigger::Error) && notify.on.contains_key(&Trigger::LoopPaused));
}

#[test]
fn a_secret_that_is_written_down_is_refused() {
    insta::assert_snapshot!(problems(r#"[notify.channels.a]
type = "slack"
url = "https://hooks.slack.com/services/T0/B0/x"
[notify.channels.b]
type = "webhook"
url = "https://me:pass@example.org/"
token = "abc"
[notify.channels.c]
type = "email"
host = "mail"
from = "a@b"
to = ["a@b"]
password = "hunter2"
[hooks.d]
points = ["loop_end"]
url = "https://me:pass@example.org/"
"#), @r#"
    piton.toml:3:7: `url` is a secret: it is kept in a variable or a file of yours, not here; write `url = { env = "NAME" }` or `url = { file = "~/PATH" }`
    piton.toml:6:7: `url` holds a password; write `url = { env = "NAME" }`
    piton.toml:7:9: `token` is a secret: it is kept in a variable or a file of yours, not here; write `token = { env = "NAME" }` or `token = { file = "~/PATH" }`
    piton.toml:13:12: `password` is a secret: it is kept in a variable or a file of yours, not here; write `password = { env = "NAME" }` or `password = { file = "~/PATH" }`
    piton.toml:16:7: `url` holds a password; write `url = { env = "NAME" }`
    "#);
}

#[test]
fn everything_that_is_wrong_with_notify_is_said_at_once() {
    let text = r#"[notify]
enabeld = true
max_per_hour = 101
debounce = "soon"
quiet_hours = { from = "25:00", till = "07:00", days = ["monday"] }
[notify.channels]
a = { type = "slak" }
b = { path = "x" }
c = { type = "logfile", file = "x" }
d = { type = "email", to = ["nobody"], from = "a@b", host = "h", port = 0, username = "u" }
e = { type = "webhook", url = "example.org" }
f = { type = "slack", url = { env = "A", file = "relative" } }
[notify.triggers]
loop_complete = true
error = "urgent"
loop_failed = { chanels = ["x"], title = "{runn}" }
loop_paused = { channels = ["nowhere"] }
"#;
    assert_said(
        text,
        &[
            (2, "unknown key in `[notify]`: `enabeld`; did you mean `enabled`?"),
            (3, "`max_per_hour` is at most 100, or 0 for no limit"),
            (4, "`debounce = soon`: a number is missing"),
            (5, "`from`: `25:00` is not a time of day like `22:30`"),
            (5, "unknown key in `quiet_hours`: `till`"),
            (5, "unknown value for `days`: `monday`"),
            (5, "`quiet_hours` needs `from` and `to`"),
            (7, "unknown value for `type`: `slak`; did you mean `slack`?"),
            (8, "the channel `b` has no `type`"),
            (9, "unknown key in channel `c`: `file`"),
            (9, "the channel `c` has no `path`"),
            (10, "`port` is between 1 and 65535"),
            (10, "`nobody` is not a mail address"),
            (10, "the channel `d` has no `password`"),
            (11, "`url`: example.org does not begin with `https://` or `http://`"),
            (12, "`relative` is neither absolute nor below `~/`"),
            (12, "`url` is found in one place"),
            (14, "unknown trigger `loop_complete`; did you mean `loop_completed`?"),
            (15, "unknown value for `error`: `urgent`"),
            (16, "unknown key in `loop_failed`: `chanels`; did you mean `channels`?"),
            (16, "unknown fact in `title`: `runn`; did you mean `run`?"),
            (17, "there is no channel `nowhere`; known are d, f"),
        ],
    );
}

#[test]
fn every_documented_key_of_hooks_is_read() {
    let text = r#"
        [hooks]
        default_timeout = "10s"
        fail_on_hook_error = true
        builtin = []
        [hooks.budget]
        points = ["pre_iteration", "loop_start"]
        command = "exit 0"
        [hooks.deploy]
        points = ["loop_end"]
        priority = -10
        timeout = "2m"
        path = "scripts/deploy"
        args = ["-q"]
        conditions = [
            { type = "every_n", n = 5 }, { type = "in_mode", modes = ["hybrid"] },
            { type = "if_pattern", pattern = "a+" }, { type = "if_test_status", passing = true },
        ]
        [hooks.board]
        points = ["post_iteration"]
        url = { env = "BOARD" }
        method = "PUT"
        [hooks.git]
        type = "builtin"
        [hooks.off]
        points = ["loop_end"]
        command = "true"
        enabled = false
    "#;
    let settings = settings("", text);
    let hooks = settings.settled_hooks().unwrap();
    assert_eq!((hooks.default_timeout_ms, hooks.fail_on_hook_error), (10_000, true));
    let names: Vec<_> = hooks.hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!(names, ["budget", "deploy", "board", "git"]);
    let [budget, deploy, board, git] = hooks.hooks.as_slice() else { panic!("four") };
    assert_eq!(budget.points, [HookPoint::PreIteration, HookPoint::LoopStart]);
    assert_eq!((deploy.priority, deploy.timeout_ms), (-10, Some(120_000)));
    let script =
        HookKind::Script { path: "scripts/deploy".to_owned(), args: vec!["-q".to_owned()], digest: None };
    assert_eq!(deploy.run, script);
    let conditions = [
        HookCondition::EveryN { n: 5 },
        HookCondition::InMode { modes: vec![Mode::Hybrid] },
        HookCondition::IfPattern { pattern: "a+".to_owned() },
        HookCondition::IfTestStatus { passing: true },
    ];
    assert_eq!(deploy.conditions, conditions);
    assert_eq!(board.run, HookKind::Webhook { url: Given::Env("BOARD".to_owned()), method: Method::Put });
    assert_eq!(*git, Builtin::Git.hook());
}

#[test]
fn a_builtin_that_is_described_is_called_once() {
    let text = "[hooks]\nbuiltin = ['logging', 'git']\n[hooks.git]\ntype = 'builtin'\npriority = 7\n\
                points = ['loop_end']\n";
    let hooks = settings("", text).settled_hooks().unwrap().hooks;
    let called: Vec<_> = hooks.iter().map(|hook| (hook.name.as_str(), hook.priority)).collect();
    assert_eq!(called, [("logging", 100), ("git", 7)]);
}

#[test]
fn everything_that_is_wrong_with_hooks_is_said_at_once() {
    let text = r#"[hooks]
default_timout = "3s"
dir = ".ralph/hooks"
builtin = ["loging"]
[hooks.a]
points = ["loop_ended"]
command = " "
[hooks.b]
points = ["loop_end"]
[hooks.c]
command = "true"
path = "x"
points = ["loop_end"]
[hooks.d]
command = "true"
[hooks.e]
type = "builtin"
[hooks.f]
type = "sript"
path = "x"
points = ["loop_end"]
priority = "high"
[hooks.g]
points = ["loop_end"]
command = "true"
conditions = [{ type = "every_n", n = 0 }, { type = "if_patern" }, { n = 1 }, { type = "if_pattern", pattern = "(" }, { type = "if_test_status" }]
"#;
    assert_said(
        text,
        &[
            (2, "unknown key in `[hooks]`: `default_timout`; did you mean `default_timeout`?"),
            (4, "unknown value for `builtin`: `loging`; did you mean `logging`?"),
            (5, "hook `a`: the command is empty"),
            (6, "unknown value for `points`: `loop_ended`; did you mean `loop_end`?"),
            (8, "the hook `b` does not say what it runs"),
            (10, "the hook `c` does not say what it runs"),
            (14, "the hook `d` has no `points`"),
            (16, "unknown builtin hook `e`"),
            (18, "unknown type of hook `f`: `sript`; did you mean `script`?"),
            (22, "`priority` must be a whole number"),
            (26, "`n` is at least 1"),
            (26, "unknown value for `type`: `if_patern`; did you mean `if_pattern`?"),
            (26, "a condition of hook `g` has no `type`"),
            (26, "`pattern` of hook `g`: "),
            (26, "a condition of hook `g` has no `passing`"),
        ],
    );
}

#[test]
fn the_examples_of_the_pages_are_accepted() {
    let pages =
        [include_str!("../../../../docs/notifications.md"), include_str!("../../../../docs/hooks.md")];
    let mut examples = 0;
    for page in pages {
        for block in page.split("```toml\n").skip(1) {
            let (example, _) = block.split_once("```").expect("a block has its end");
            let settings = settings("", example);
            assert!(settings.settled_notify().is_some() || settings.settled_hooks().is_some(), "{example}");
            examples += 1;
        }
    }
    assert_eq!(examples, 5);
    for trigger in Trigger::ALL {
        assert!(pages[0].contains(&format!("`{}`", trigger.as_str())), "{trigger:?} is not on its page");
    }
    for point in HookPoint::ALL {
        assert!(pages[1].contains(&format!("`{}`", point.as_str())), "{point:?} is not on its page");
    }
}

#[test]
fn what_is_shown_names_no_secret() {
    let text = "[notify.channels.team]\ntype = 'slack'\nurl = { env = 'SLACK' }\n[notify.triggers]\nerror = false\n\
                [hooks]\nfail_on_hook_error = true\n[hooks.a]\npoints = ['loop_end']\ncommand = 'make x'\n";
    let resolved = resolve(&files("", text), &|_| None, &Overrides::default()).unwrap();
    let shown = crate::show(&resolved).to_string();
    for line in ["fail_on_hook_error = true", "a = \"make x\"", "team = \"slack\"", "error = false"] {
        assert!(shown.lines().any(|shown| shown.starts_with(line)), "{line} is not in\n{shown}");
    }
    assert!(!shown.contains("SLACK"), "{shown}");
}
