//! Cycles through the real binary: the chain of roles, iterations, files, steering, crashes, teams.

mod attacks;
mod bad_input;
mod discoveries;
mod docs;
mod document;
mod files;
mod heard;
mod judged;
mod life;
mod oauth;
mod prep;
mod running;
mod signals;
mod steering;
mod taken_up;
mod talking;
mod teams;
mod views;

use serde_json::Value;

use crate::common::{Ran, World};

/// An agent for every role: it does what `do.ROLE` says, then hands in what is expected of it.
const AGENT: &str = r#"#!/bin/sh
cat > prompt.$PITON_ROLE
echo x >> count.$PITON_ROLE
if test -f hold.$PITON_ROLE; then touch held.$PITON_ROLE; while test -f hold.$PITON_ROLE; do sleep 0.05; done; fi
if test -f do.$PITON_ROLE; then . ./do.$PITON_ROLE; fi
case $PITON_ROLE in
ra) printf '1. Iteration %s\n\n## Edge Cases\n\n- timeouts\n' $PITON_ITERATION > $PITON_ROLE_DIR/requirements.md ;;
ep) printf '## Summary\n\nSmall.\n\n## Integration Points\n\n- code.txt\n\n## Risks\n\n- none known\n' > $PITON_ROLE_DIR/exploration.md
    echo '{"tasks":[{"id":"TASK-001","description":"Build","effort":"small","depends_on":[],"files":["code.txt"]}]}' > $PITON_ROLE_DIR/plan.json ;;
cd) echo $PITON_ITERATION >> code.txt; echo "built $PITON_ITERATION" > $PITON_ROLE_DIR/implementation.md ;;
vas) echo "looked $PITON_ITERATION" > $PITON_ROLE_DIR/validation.md ;;
esac
test -n "$RESULT" || RESULT=completed
printf 'PHASE_RESULT:\n- phase: %s\n- status: %b\n- summary: it is done\n\n' "$PITON_ROLE" "$RESULT"
"#;

/// What people and tests leave beside the work, and no role is to blame for.
const IGNORED: &str = "prompt.*\ncount.*\nhold.*\nheld.*\ndo.*\nagent.sh\n.gitignore\n";

/// The check that is green once the code was touched so often.
fn touched(times: u32) -> String {
    format!("test=test \"$(cat code.txt 2>/dev/null | wc -l)\" -ge {times}")
}

fn world() -> World {
    let world = World::new();
    world.write(".gitignore", IGNORED);
    world.write("agent.sh", AGENT);
    world
}

/// Starts a cycle `c1` that is green once the code was touched so often.
fn start(world: &World, times: u32, more: &[&str]) -> Ran {
    let check = touched(times);
    let words =
        ["cycle", "start", "Implement OAuth", "--id", "c1", "--exec", "sh agent.sh", "--check", &check];
    world.piton(&[&words[..], more].concat())
}

/// The state file.
fn state(world: &World) -> Value {
    serde_json::from_str(&world.read(".workflow/.cycle/c1.json")).unwrap()
}

/// How often a role was started.
fn count(world: &World, role: &str) -> usize {
    std::fs::read_to_string(world.path(&format!("count.{role}"))).unwrap_or_default().lines().count()
}

fn status(world: &World) -> Value {
    serde_json::from_str(&world.piton(&["status", "c1", "--json"]).exits(0).out).unwrap()
}
