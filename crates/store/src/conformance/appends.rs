//! What an append does, and what is read back.

use piton_model::limits::{EVENTS_PER_APPEND_MAX, INLINE_PAYLOAD_BYTES_MAX, PAYLOAD_BYTES_MAX};
use piton_model::{Entry, Kind, Reason, Seq, Status};

use super::Journal;
use super::steps::*;
use crate::types::{Append, Expect, Fence, Head, Page, Wanted};
use crate::{Error, Store, chain};

pub async fn a_run_is_created_once(journal: &impl Journal) {
    let store = journal.open();
    let head = create(&store, "a").await;
    assert_eq!(head.seq, 1);
    let another = Append { fence: Fence::Request(request("another")), ..creation("a") };
    refused!(store.append(another).await, Error::RunExists { run: r } if r == run("a"));
    assert_eq!(create(&store, "a").await, head, "the same creation again");
    assert_eq!(is_whole(&store, "a").await.len(), 1);
}

pub async fn ids_that_differ_in_case_name_one_run(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "Run-A").await;
    let another = Append { fence: Fence::Request(request("another")), ..creation("run-a") };
    refused!(store.append(another).await, Error::RunExists { .. });
    let head = store.append(asked("RUN-A", "x")).await.unwrap();
    assert_eq!(head.seq, 2);
    assert_eq!(store.row(&run("run-a")).await.unwrap().entry.run_id, run("Run-A"), "as it was given");
    assert_eq!(store.rows(Wanted::ALL).await.unwrap().rows.len(), 1);
    let lease = claim(&store, "RUN-a").await;
    refused!(store.claim(&run("run-A"), holder(2), crate::Claim::IfFree).await, Error::Held { .. });
    store.append(driven(&lease, 2, "y")).await.unwrap();
    is_whole(&store, "Run-A").await;
}

pub async fn only_a_request_with_an_entry_creates_a_run(journal: &impl Journal) {
    let store = journal.open();
    for append in [
        Append { fence: Fence::Epoch(0), ..creation("a") },
        Append { fence: Fence::Epoch(1), ..creation("a") },
        Append { expect: Expect::Any, ..creation("a") },
        Append { expect: Expect::Seq(1), ..creation("a") },
        Append { entry: None, ..creation("a") },
    ] {
        refused!(store.append(append).await, Error::UnknownRun { .. });
    }
    assert!(store.rows(Wanted::ALL).await.unwrap().rows.is_empty());
    create(&store, "a").await;
}

pub async fn nothing_is_known_of_a_run_that_is_not_there(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "there").await;
    let gone = run("gone");
    refused!(store.row(&gone).await, Error::UnknownRun { .. });
    refused!(store.read(&gone, 1, 1).await, Error::UnknownRun { .. });
    refused!(store.checkpoint(&gone, Seq::MAX).await, Error::UnknownRun { .. });
    refused!(store.holder(&gone).await, Error::UnknownRun { .. });
    refused!(store.verify(Some(&gone)).await, Error::UnknownRun { .. });
    refused!(store.append(asked("gone", "x")).await, Error::UnknownRun { .. });
    refused!(store.claim(&gone, holder(1), crate::Claim::TakeOver).await, Error::UnknownRun { .. });
}

pub async fn events_come_back_as_they_were_in_order_without_gaps(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    let mut head = Head { seq: 1, hash: events(&store, "a").await[0].hash };
    let mut expected = vec![(at(0), event("created", "{}"))];
    for n in 0..20 {
        let mut append = driven(&lease, head.seq, &format!("{n}"));
        append.at = at(n * 1000 - 5000);
        append.events = (0..=n % 3).map(|k| event("noted", &format!("{{\"n\":{n},\"k\":{k}}}"))).collect();
        append.events[0].version = 1 + (n % 4) as u16 * 300;
        append.events[0].data = [0, 255, n as u8].repeat(n as usize);
        expected.extend(append.events.iter().map(|event| (append.at, event.clone())));
        let linked = chain::link_all(&head.hash, head.seq + 1, append.at, &append.salt, &append.events);
        let count = append.events.len() as Seq;
        let next = store.append(append).await.unwrap();
        assert_eq!(next, Head { seq: head.seq + count, hash: linked }, "the chain is the published one");
        head = next;
    }
    let found: Vec<_> =
        is_whole(&store, "a").await.into_iter().map(|stored| (stored.at, stored.event)).collect();
    assert_eq!(found, expected);
}

pub async fn a_long_run_is_read_from_anywhere(journal: &impl Journal) {
    let store = journal.open();
    let ids = ["a", "b", "c"];
    for id in ids {
        create(&store, id).await;
    }
    // Rows of one to five events, those of the runs in turns.
    for n in 0..120_usize {
        for (k, id) in ids.into_iter().enumerate() {
            let mut append = asked(id, &format!("{id} {n}"));
            let event = append.events[0].clone();
            append.events.extend(std::iter::repeat_n(event, (n * (k + 1)) % 5));
            store.append(append).await.unwrap();
        }
    }
    for id in ids {
        let whole = is_whole(&store, id).await;
        assert!(whole.len() > 200, "longer than what lies between two marks");
        for from in 1..=whole.len() {
            for count in [1, 70, usize::MAX] {
                let events = store.read(&run(id), from as Seq, count).await.unwrap();
                assert!(events.len() >= count.min(whole.len() + 1 - from), "{id} from {from}: {count}");
                assert_eq!(events, whole[from - 1..from - 1 + events.len()], "{id} from {from}");
            }
        }
        assert_eq!(store.read(&run(id), whole.len() as Seq + 1, 9).await.unwrap(), []);
    }
}

pub async fn an_append_stands_on_the_event_it_expects(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    store.append(driven(&lease, 1, "one")).await.unwrap();
    for wrong in [0, 1, 3, 99, Seq::MAX] {
        let result = store.append(driven(&lease, wrong, "two")).await;
        refused!(result, Error::Conflict { expected, found: 2, .. } if expected == wrong);
        let by_request = Append { fence: Fence::Request(request("two")), ..driven(&lease, wrong, "two") };
        match store.append(by_request).await {
            Err(Error::Conflict { found: 2, .. }) => {}
            Err(Error::RunExists { .. }) if wrong == 0 => {}
            other => panic!("expected a conflict at {wrong}, got {other:?}"),
        }
    }
    store.append(driven(&lease, 2, "two")).await.unwrap();
    assert_eq!(words(&store, "a").await, ["{}", "one", "two"]);
    is_whole(&store, "a").await;
}

pub async fn an_append_that_expects_nothing_goes_on_top(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    for (n, words) in ["one", "two", "three"].into_iter().enumerate() {
        assert_eq!(store.append(asked("a", words)).await.unwrap().seq, n as Seq + 2);
    }
    assert_eq!(words(&store, "a").await, ["{}", "one", "two", "three"]);
}

pub async fn an_append_tried_again_counts_once(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    let mut append = driven(&lease, 1, "one");
    append.events.push(event("noted", "and more"));
    let first = store.append(append.clone()).await.unwrap();
    assert_eq!(store.append(append.clone()).await.unwrap(), first, "right away");
    store.append(driven(&lease, 3, "two")).await.unwrap();
    store.append(asked("a", "three")).await.unwrap();
    assert_eq!(store.append(append.clone()).await.unwrap(), first, "after others");
    drop(store);
    assert_eq!(journal.open().append(append).await.unwrap(), first, "after a reopen");
    assert_eq!(words(&journal.open(), "a").await, ["{}", "one", "and more", "two", "three"]);
}

pub async fn the_same_events_in_another_append_are_a_conflict(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let lease = claim(&store, "a").await;
    let append = driven(&lease, 1, "one");
    store.append(append.clone()).await.unwrap();
    let longer = [append.events.clone(), append.events.clone()].concat();
    for other in [
        Append { salt: bytes_of("another"), ..append.clone() },
        Append { at: at(2), ..append.clone() },
        Append { events: longer, ..append.clone() },
    ] {
        refused!(store.append(other).await, Error::Conflict { expected: 1, found: 2, .. });
    }
    assert_eq!(words(&store, "a").await, ["{}", "one"]);
}

pub async fn a_request_counts_once(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let first = store.append(asked("a", "one")).await.unwrap();
    store.append(asked("a", "two")).await.unwrap();
    assert_eq!(store.append(asked("a", "one")).await.unwrap(), first);
    let reworded =
        Append { salt: bytes_of("other"), events: vec![event("noted", "reworded")], ..asked("a", "one") };
    assert_eq!(store.append(reworded.clone()).await.unwrap(), first, "the id is what counts");
    let expecting = Append { expect: Expect::Seq(1), ..asked("a", "one") };
    assert_eq!(store.append(expecting).await.unwrap(), first);
    drop(store);
    assert_eq!(journal.open().append(reworded).await.unwrap(), first, "after a reopen");
    assert_eq!(words(&journal.open(), "a").await, ["{}", "one", "two"]);
}

pub async fn a_request_id_counts_per_run(journal: &impl Journal) {
    let store = journal.open();
    for id in ["a", "b"] {
        create(&store, id).await;
        assert_eq!(store.append(asked(id, "one")).await.unwrap().seq, 2);
    }
}

pub async fn an_empty_append_is_refused(journal: &impl Journal) {
    let store = journal.open();
    refused!(store.append(Append { events: vec![], ..creation("a") }).await, Error::TooLarge { .. });
    create(&store, "a").await;
    refused!(store.append(Append { events: vec![], ..asked("a", "x") }).await, Error::TooLarge { .. });
    assert_eq!(is_whole(&store, "a").await.len(), 1);
}

pub async fn an_oversize_append_is_refused_and_leaves_nothing(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let large = event("noted", &"x".repeat(PAYLOAD_BYTES_MAX + 1));
    let small = event("noted", "small");
    for events in
        [vec![large.clone()], vec![small.clone(), large], vec![small.clone(); EVENTS_PER_APPEND_MAX + 1]]
    {
        refused!(store.append(Append { events, ..asked("a", "x") }).await, Error::TooLarge { .. });
    }
    assert_eq!(is_whole(&store, "a").await.len(), 1);
    let most = Append { events: vec![small; EVENTS_PER_APPEND_MAX], ..asked("a", "x") };
    store.append(most).await.unwrap();
    is_whole(&store, "a").await;
}

pub async fn payloads_of_every_size_come_back(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    const EDGE: usize = INLINE_PAYLOAD_BYTES_MAX;
    let mut data = Vec::new();
    for size in [0, 1, 1007, 1008, 1024, EDGE - 1, EDGE, EDGE + 1, 3 * EDGE, PAYLOAD_BYTES_MAX] {
        data.push(vec![b'x'; size]);
        data.push(noise(size));
    }
    for (n, data) in data.iter().enumerate() {
        let mut append = asked("a", &format!("{n}"));
        append.events[0].data = data.clone();
        append.events.push(event("noted", "beside it"));
        store.append(append).await.unwrap();
    }
    drop(store);
    let stored = is_whole(&journal.open(), "a").await;
    for (n, data) in data.iter().enumerate() {
        assert!(stored[1 + 2 * n].event.data == *data, "payload {n} of {} bytes", data.len());
    }
}

/// Bytes that do not compress.
fn noise(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

pub async fn the_entry_changes_with_the_append_or_stays(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    let created = Entry { updated_at: at(0), ..entry("a", "created") };
    assert_eq!(store.row(&run("a")).await.unwrap().entry, created);
    let changed = Entry {
        run_id: run("a"),
        kind: Kind::Workflow,
        title: "another".to_owned(),
        status: Status::Waiting,
        reason: Some(Reason::Blocked),
        created_at: at(-7),
        updated_at: at(99),
        iteration: u32::MAX,
        waiting_for: Some("a person".to_owned()),
        fold: 4,
    };
    let later = Append { entry: Some(changed.clone()), at: at(99), ..asked("a", "one") };
    let head = store.append(later).await.unwrap();
    for store in [&store, &journal.open()] {
        let row = store.row(&run("a")).await.unwrap();
        assert_eq!((&row.entry, row.head, row.epoch), (&changed, head, 0));
        assert_eq!(store.rows(Wanted::ALL).await.unwrap().rows, [row]);
    }
    store.append(asked("a", "two")).await.unwrap();
    let later = Entry { updated_at: at(1), ..changed.clone() };
    assert_eq!(store.row(&run("a")).await.unwrap().entry, later, "no entry keeps the one that is there");
    store.append(Append { entry: Some(entry("a", "running")), ..asked("a", "three") }).await.unwrap();
    assert_eq!(
        store.row(&run("a")).await.unwrap().entry,
        entry("a", "running"),
        "an absent value is absent again"
    );
    let refused = Append { entry: Some(changed), ..note("a", Fence::Epoch(9), Expect::Any, "x") };
    refused!(store.append(refused).await, Error::Fenced { .. });
    assert_eq!(store.row(&run("a")).await.unwrap().entry, entry("a", "running"), "all or none");
}

pub async fn reading_from_the_middle_gives_the_same_events(journal: &impl Journal) {
    let store = journal.open();
    create(&store, "a").await;
    for n in 0..7 {
        let events = (0..=n % 3).map(|k| event("noted", &format!("{n}.{k}"))).collect();
        store.append(Append { events, ..asked("a", &format!("{n}")) }).await.unwrap();
    }
    let all = is_whole(&store, "a").await;
    assert_eq!(store.read(&run("a"), 0, usize::MAX).await.unwrap(), all, "0 is before the first");
    for from in 1..=all.len() {
        for count in [1, 2, 5, usize::MAX] {
            let part = store.read(&run("a"), from as Seq, count).await.unwrap();
            let rest = &all[from - 1..];
            assert!(part.len() >= count.min(rest.len()), "from {from}: {} of {count}", part.len());
            assert!(
                part.len() < count.saturating_add(EVENTS_PER_APPEND_MAX),
                "rounded up to an append at most"
            );
            assert_eq!(part, rest[..part.len()], "from {from}");
        }
    }
    for beyond in [all.len() as Seq + 1, i64::MAX as Seq, Seq::MAX] {
        assert!(store.read(&run("a"), beyond, 10).await.unwrap().is_empty());
    }
}

pub async fn runs_are_listed_newest_first(journal: &impl Journal) {
    let store = journal.open();
    for id in ["b", "a", "c"] {
        create(&store, id).await;
    }
    store.append(asked("b", "later")).await.unwrap();
    let ids: Vec<_> =
        store.rows(Wanted::ALL).await.unwrap().rows.into_iter().map(|row| row.entry.run_id).collect();
    assert_eq!(ids, [run("c"), run("a"), run("b")]);
}

pub async fn runs_are_listed_page_by_page(journal: &impl Journal) {
    let store = journal.open();
    for id in ["a", "b", "c", "d", "e"] {
        create(&store, id).await;
    }
    let ids = |page: &Page| page.rows.iter().map(|row| row.entry.run_id.to_string()).collect::<Vec<_>>();
    let first = store.rows(Wanted { count_max: 2, ..Wanted::ALL }).await.unwrap();
    assert_eq!(ids(&first), ["e", "d"]);
    // What comes and goes in between neither repeats nor hides another run.
    create(&store, "f").await;
    let lease = claim(&store, "d").await;
    store.remove(lease).await.unwrap();
    let after = first.next.clone();
    let second = journal.open().rows(Wanted { after, count_max: 2, ..Wanted::ALL }).await.unwrap();
    assert_eq!(ids(&second), ["c", "b"]);
    let third = store.rows(Wanted { after: second.next, count_max: 2, ..Wanted::ALL }).await.unwrap();
    assert_eq!((ids(&third), third.next), (vec!["a".to_owned()], None));
    let all = store.rows(Wanted::ALL).await.unwrap();
    assert_eq!((all.rows.len(), all.next), (5, None));
}

pub async fn an_acknowledged_append_survives_a_reopen(journal: &impl Journal) {
    for n in 0..5 {
        let store = journal.open();
        let head = match n {
            0 => create(&store, "a").await,
            _ => store.append(asked("a", &format!("{n}"))).await.unwrap(),
        };
        drop(store);
        let store = journal.open();
        assert_eq!(store.row(&run("a")).await.unwrap().head, head);
        assert_eq!(is_whole(&store, "a").await.len(), n + 1);
    }
}

pub async fn the_revision_changes_when_another_handle_appends(journal: &impl Journal) {
    let (one, other) = (journal.open(), journal.open());
    create(&one, "a").await;
    let mut seen = vec![other.revision().await.unwrap()];
    assert_eq!(other.revision().await.unwrap(), seen[0], "nothing happened");
    for n in 0..3 {
        one.append(asked("a", &format!("{n}"))).await.unwrap();
        seen.push(other.revision().await.unwrap());
        assert_eq!(seen.last(), Some(&other.revision().await.unwrap()), "nothing happened");
    }
    let mut distinct = seen.clone();
    distinct.dedup();
    assert_eq!(seen, distinct, "an append went unnoticed");
    let mine = one.revision().await.unwrap();
    one.append(asked("a", "mine")).await.unwrap();
    assert_ne!(one.revision().await.unwrap(), mine, "one's own appends count too");
}
