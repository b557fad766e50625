//! Work on very many gaps, shared among the cores of the machine.

use std::num::NonZero;
use std::thread;

/// Fewer are done before a thread has begun.
const SHARED_FROM: usize = 2_000;

/// How much can be done at a time.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What `work` makes of the items, a part at a time and in their order: of all of them together where they are few.
pub(super) fn in_parts<I: Sync, O: Send>(items: &[I], work: impl Fn(&[I]) -> O + Sync) -> Vec<O> {
    let parts = if items.len() < SHARED_FROM { 1 } else { cores() };
    let length = items.len().div_ceil(parts).max(1);
    let parts: Vec<_> = items.chunks(length).collect();
    side_by_side(&parts, |part| work(part))
}

/// What `work` makes of each part, all of them at a time.
pub(super) fn side_by_side<P: Sync, O: Send>(parts: &[P], work: impl Fn(&P) -> O + Sync) -> Vec<O> {
    if let [only] = parts {
        return vec![work(only)];
    }
    let work = &work;
    thread::scope(|scope| {
        let started: Vec<_> = parts
            .iter()
            .map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || work(part))))
            .collect();
        let finish = |(part, thread): (&P, std::io::Result<thread::ScopedJoinHandle<'_, O>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // The system has no thread left: then it is done here.
            Err(_) => work(part),
        };
        started.into_iter().map(finish).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_their_order_and_nothing_is_left_out() {
        for count in [0, 1, SHARED_FROM - 1, SHARED_FROM, 5 * SHARED_FROM + 3] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(in_parts(&items, <[usize]>::to_vec).concat(), items);
        }
    }
}
