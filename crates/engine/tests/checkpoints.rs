//! Checkpoints: one that another version of the fold made is passed by, one that is not what was recorded is damage.

use std::sync::Arc;

use piton_engine::core::{Action, Core, Input, checkpoint_of};
use piton_engine::load::{LoadError, load, load_from_start};
use piton_model::limits::CHECKPOINT_BYTES_MIN;
use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, Place};
use piton_model::{
    CheckpointName, Command, Event, Machine, RunEvent, RunId, State, Timestamp, apply, create,
};
use piton_store::{Append, Error, Expect, Fence, Store, chain};

const NOW: Timestamp = Timestamp::from_millis(1_771_157_000_000);

fn run() -> RunId {
    "r".parse().expect("an id")
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(future)
}

/// A journal whose checkpoint holds `bytes`, named as `named`.
fn journal(change: impl FnOnce(&State) -> (Vec<u8>, CheckpointName)) -> (Arc<dyn Store>, State) {
    let store: Arc<dyn Store> = Arc::new(piton_store::memory::Memory::default());
    let (check, agent) = (Check::new("test", "true"), AgentConfig::new("a", &["a"]));
    let mut events = vec![create(run(), "task", LoopConfig::new("task", agent, vec![check])).expect("a run")];
    // As much as makes a checkpoint due.
    let text = "look at the logs ".repeat(200);
    events.extend((0..30).map(|_| Event::AgentTold { text: text.clone() }));
    let fold = |state: Option<State>, event: &Event| apply(state, event, NOW);
    let state = events.iter().fold(None, fold).expect("a state");
    let (checkpoint, named) = change(&state);
    assert_eq!(named.seq, events.len() as u64 + 1);
    events.push(Event::checkpoint_taken(named));
    let state = apply(Some(state), &events[events.len() - 1], NOW).expect("a state");
    let append = Append {
        run: run(),
        fence: Fence::Request([1; 16]),
        expect: Expect::Seq(0),
        at: NOW,
        events: events.iter().map(Event::encode).collect(),
        entry: Some(state.entry()),
        checkpoint: Some(checkpoint),
        salt: [2; 16],
    };
    block_on(store.append(append)).expect("room");
    (store, state)
}

fn named(state: &State) -> (Vec<u8>, CheckpointName) {
    let (bytes, event) = checkpoint_of(state, 32);
    let named = event.as_checkpoint().expect("the record of a checkpoint");
    (bytes, named)
}

/// The stored state without one of its fields, as another piton would have had it.
fn without_a_field(state: &State) -> Vec<u8> {
    let mut value = serde_json::to_value(state).expect("plain data");
    value.as_object_mut().expect("an object").remove("judged").expect("a field");
    serde_json::to_vec(&value).expect("plain data")
}

#[test]
fn a_checkpoint_is_loaded_instead_of_the_events_before_it() {
    let (store, state) = journal(named);
    let loaded = block_on(load::<State>(&*store, &run())).expect("a run");
    assert_eq!((&loaded.state, loaded.tail_bytes), (&state, 0));
    assert!(loaded.checkpoint_bytes > 0);
}

#[test]
fn a_checkpoint_of_another_fold_is_passed_by_and_the_next_driver_stores_a_new_one() {
    let other = |state: &State| {
        let bytes = without_a_field(state);
        let digest = chain::hex(&chain::digest(&bytes));
        (bytes, CheckpointName { seq: 32, digest, fold: State::FOLD + 1 })
    };
    let (store, state) = journal(other);
    let loaded = block_on(load::<State>(&*store, &run())).expect("a run");
    let whole = block_on(load_from_start::<State>(&*store, &run(), u64::MAX)).expect("a run");
    assert_eq!((&loaded.state, &whole.state), (&state, &state));
    assert!(loaded.tail_bytes > CHECKPOINT_BYTES_MIN, "{}", loaded.tail_bytes);

    let mut core = Core::new(loaded.state, loaded.head, 1, loaded.tail_bytes, loaded.checkpoint_bytes);
    let place = Place { host: "h".to_owned(), boot: "b".to_owned(), pid: 7 };
    let begin = Command::Drive { epoch: 1, place, version: "test".to_owned() };
    let actions = core.step(Input::Begin(begin), NOW);
    let Some(Action::Append(planned)) = actions.first() else { panic!("{actions:?}") };
    assert!(planned.checkpoint.is_some(), "it stores a new one at once");
}

#[test]
fn a_checkpoint_of_this_very_fold_that_does_not_decode_is_damage_and_not_passed_by_in_silence() {
    let odd = |state: &State| {
        let bytes = without_a_field(state);
        let digest = chain::hex(&chain::digest(&bytes));
        (bytes, CheckpointName { seq: 32, digest, fold: State::FOLD })
    };
    let (store, state) = journal(odd);
    let refused = block_on(load::<State>(&*store, &run()));
    assert!(matches!(refused, Err(LoadError::Store(Error::Corrupt(_)))), "{refused:?}");
    // The events are whole: whoever reads all of them has the run.
    let whole = block_on(load_from_start::<State>(&*store, &run(), u64::MAX)).expect("a run");
    assert_eq!(whole.state, state);
}

#[test]
fn a_checkpoint_that_is_not_what_was_recorded_is_damage_whoever_made_it() {
    for fold in [State::FOLD, State::FOLD + 1] {
        let rotten = |state: &State| {
            let (_, named) = named(state);
            (without_a_field(state), CheckpointName { fold, ..named })
        };
        let (store, _) = journal(rotten);
        let refused = block_on(load::<State>(&*store, &run()));
        assert!(matches!(refused, Err(LoadError::Store(Error::Corrupt(_)))), "{refused:?}");
    }
}
