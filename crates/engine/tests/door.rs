//! The door as a front end holds it: an object, on any thread, that tells what is new in words and as data.

use std::sync::Arc;
use std::time::Duration;

use piton_engine::{Layout, LocalClient};
use piton_model::loop_machine::{AgentConfig, Check, LoopConfig, create};
use piton_model::{RunId, Status};
use piton_view::{Client, ErrorKind, Removal, Request, Seen, StatusOf, Weight};

const NO_WAIT: Duration = Duration::ZERO;

struct World {
    directory: tempfile::TempDir,
    client: LocalClient,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("room for a directory");
        let client = LocalClient::create_when_needed(Layout::new(directory.path().to_owned()));
        Self { directory, client }
    }

    async fn begin(&self, name: &str) -> RunId {
        let check = Check { cheap: true, ..Check::new("test", "true") };
        let agent = AgentConfig::new("exec", &["true"]);
        let config = LoopConfig::new("Make it so", agent, vec![check]);
        let begun =
            create(name.parse().expect("a name"), "Make it so", config).expect("a sound configuration");
        self.client.create_loop(begun, None).await.expect("the name is free")
    }
}

#[tokio::test]
async fn a_front_end_holds_the_door_as_an_object_on_any_thread() {
    let world = World::new();
    let run = world.begin("one").await;
    let layout = Layout::new(world.directory.path().to_owned());
    let door: Arc<dyn Client> = Arc::new(LocalClient::existing(layout).unwrap().unwrap());
    let other = Arc::clone(&door);
    let asked = run.clone();
    let status = tokio::spawn(async move { other.status(&asked).await }).await.unwrap().unwrap();
    assert_eq!((status.entry().status, status.seq, status.entry().run_id.clone()), (Status::Created, 1, run));
    assert!(matches!(status.of, StatusOf::Loop(_)));
}

#[tokio::test]
async fn a_door_that_was_only_looked_at_leaves_nothing_behind() {
    let world = World::new();
    assert!(LocalClient::existing(world.client.layout().clone()).unwrap().is_none());
    assert!(!world.directory.path().join(".piton").exists());
}

#[tokio::test]
async fn changes_tell_of_every_run_what_was_not_seen_yet() {
    let world = World::new();
    let door: &dyn Client = &world.client;
    let (one, two) = (world.begin("one").await, world.begin("two").await);
    let names = |changes: &piton_view::Changes| -> Vec<String> {
        changes.runs.iter().map(|run| run.entry.run_id.to_string()).collect()
    };
    let first = door.changes(Seen::default(), NO_WAIT).await.unwrap();
    assert_eq!(names(&first), ["two", "one"]);
    let nothing = door.changes(first.seen.clone(), NO_WAIT).await.unwrap();
    assert_eq!((names(&nothing), &nothing.seen), (Vec::new(), &first.seen));
    door.request(&one, Request::Note { text: "look".to_owned(), set: Default::default() }).await.unwrap();
    let second = door.changes(first.seen, NO_WAIT).await.unwrap();
    assert_eq!(names(&second), ["one"]);
    door.remove(&two, Removal { force: true, files: false, tree: false }).await.unwrap();
    let third = door.changes(second.seen, NO_WAIT).await.unwrap();
    assert_eq!((names(&third), third.gone), (Vec::new(), vec![two]));
}

#[tokio::test]
async fn whoever_follows_is_told_in_words_and_never_folds() {
    let world = World::new();
    let run = world.begin("one").await;
    let door: &dyn Client = &world.client;
    let mut follow = door.follow(&run, 0).await.unwrap();
    assert_eq!(follow.standing(), None, "nothing was told yet");
    let updates = follow.next(NO_WAIT).await.unwrap();
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0].event.kind, "run_created");
    assert_eq!(updates[0].told[0].weight, Weight::Heading);
    assert!(updates[0].told[0].text.starts_with("run one · exec"), "{:?}", updates[0].told);
    let standing = follow.standing().unwrap();
    assert_eq!((standing.entry.exit_code(), standing.undriven), (None, true));
    door.request(&run, Request::Tell("hurry".to_owned())).await.unwrap();
    let updates = follow.next(NO_WAIT).await.unwrap();
    let texts: Vec<_> = updates.iter().map(|update| update.event.text.as_str()).collect();
    assert_eq!(texts, ["to the agent: hurry"]);
    assert!(follow.next(NO_WAIT).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_a_kind_that_a_program_can_tell() {
    let world = World::new();
    let run = world.begin("one").await;
    let door: &dyn Client = &world.client;
    let refused = door.request(&run, Request::Skip).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Rejected, "{refused:?}");
    assert!(refused.hint.is_some());
    let unknown = door.status(&"two".parse().unwrap()).await.unwrap_err();
    assert_eq!(unknown.kind, ErrorKind::UnknownRun, "{unknown:?}");
}
