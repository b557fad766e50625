//! What the index says is compared with what the same fold says.

use piton_model::loop_machine::{AgentConfig, LoopConfig};
use piton_model::{RunEvent, Timestamp, create};
use piton_store::{Append, Expect, Fence};

use super::*;

/// What is found in a journal whose index says this of a run that began.
async fn found(entry: impl FnOnce(Entry) -> Entry) -> Vec<String> {
    let store = piton_store::memory::Memory::default();
    let run: RunId = "r".parse().expect("an id");
    let agent = AgentConfig::new("", &["a"]);
    let check = piton_model::loop_machine::Check::new("test", "true");
    let event = create(run.clone(), "task", LoopConfig::new("task", agent, vec![check])).expect("a run");
    let at = Timestamp::from_millis(1_771_157_000_000);
    let state = State::apply(None, &event, at).expect("a state");
    let append = Append {
        run,
        fence: Fence::Request([1; 16]),
        expect: Expect::Seq(0),
        at,
        events: vec![event.encode()],
        entry: Some(entry(state.entry())),
        checkpoint: None,
        salt: [2; 16],
    };
    store.append(append).await.expect("room");
    let view = verify(&store, None, &mut |_, _| {}).await.expect("it can be read");
    view.problems.into_iter().map(|problem| problem.what).collect()
}

#[tokio::test]
async fn what_another_fold_said_in_the_index_is_not_held_against_the_events() {
    let other = |entry: Entry| Entry { iteration: 9, ..entry };
    assert_eq!(found(|entry| entry).await, [] as [&str; 0]);
    assert_eq!(found(other).await, ["the index does not say what its events say"]);
    let older = |entry: Entry| Entry { fold: State::FOLD - 1, ..other(entry) };
    assert_eq!(found(older).await, [] as [&str; 0]);
}
