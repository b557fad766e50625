//! The contract every backend must meet, as tests that any crate can run.
//!
//! One function per rule; its name is the rule. [`conformance_tests!`](crate::conformance_tests) makes a
//! `#[test]` of each. A backend brings a [`Journal`]: something that can be opened any number of times, at
//! once or one after the other, as processes would.
//!
//! - [`appends`]: what an append does and what is read back. [`leases`]: who may append.
//! - [`extras`]: checkpoints and blobs. [`shipping`]: from one journal to another. [`keeping`]: what is let go of. [`crowds`]: many handles and threads at once.
//! - [`faults`]: every call fails once, before or after its effect, and nothing is lost or doubled.
#![expect(missing_docs, reason = "the name of each function is its rule")]
#![expect(clippy::unwrap_used, reason = "a broken rule is reported by a panic, as in any test")]

pub mod appends;
pub mod crowds;
pub mod extras;
pub mod faults;
pub mod keeping;
pub mod leases;
pub mod shipping;
mod steps;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::Store;

/// A journal that can be opened again, also while it is open.
pub trait Journal: Sync {
    /// A handle on it.
    type Handle: Store;

    /// Another handle on the same journal.
    fn open(&self) -> Self::Handle;
}

/// Runs a future on this thread: a backend may wake it from another.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Makes a module of `#[test]`s: every rule on a journal that the expression constructs.
///
/// ```ignore
/// piton_store::conformance_tests!(memory, MemoryJournal::default());
/// ```
#[macro_export]
macro_rules! conformance_tests {
    ($module:ident, $journal:expr) => {
        $crate::conformance_tests! { @rules $module, $journal,
            appends {
                a_run_is_created_once
                ids_that_differ_in_case_name_one_run
                only_a_request_with_an_entry_creates_a_run
                nothing_is_known_of_a_run_that_is_not_there
                events_come_back_as_they_were_in_order_without_gaps
                a_long_run_is_read_from_anywhere
                an_append_stands_on_the_event_it_expects
                an_append_that_expects_nothing_goes_on_top
                an_append_tried_again_counts_once
                the_same_events_in_another_append_are_a_conflict
                a_request_counts_once
                a_request_id_counts_per_run
                an_empty_append_is_refused
                an_oversize_append_is_refused_and_leaves_nothing
                payloads_of_every_size_come_back
                the_entry_changes_with_the_append_or_stays
                reading_from_the_middle_gives_the_same_events
                runs_are_listed_newest_first
                runs_are_listed_page_by_page
                an_acknowledged_append_survives_a_reopen
                the_revision_changes_when_another_handle_appends
            }
            leases {
                a_held_lease_is_refused_and_names_its_holder
                a_released_lease_can_be_claimed_again
                a_dead_driver_frees_the_run
                a_take_over_fences_the_old_driver
                a_driver_knows_at_once_that_it_was_superseded
                a_fenced_driver_still_learns_what_it_committed
                an_epoch_that_was_not_granted_is_no_right
                a_request_needs_no_lease
                epochs_grow_over_reopens
                only_the_current_driver_removes_a_run
                a_removed_run_can_be_created_again
                the_driver_of_a_removed_run_is_fenced_from_its_namesake
                another_handle_follows_a_removed_and_new_run
            }
            extras {
                the_newest_checkpoint_at_or_before_is_served
                two_checkpoints_are_kept
                a_run_can_begin_with_a_checkpoint
                checkpoints_of_every_size_come_back
                an_append_tried_again_keeps_one_checkpoint
                blobs_come_back_by_their_digest
                a_blob_that_is_not_there_is_an_error
                an_oversize_blob_or_checkpoint_is_refused
                settling_is_for_runs_that_exist
            }
            shipping {
                a_run_that_is_shipped_and_taken_in_is_the_same
                shipping_goes_on_from_where_it_ended
                another_history_is_not_gone_on_with
                what_was_changed_on_its_way_is_not_taken_in
                a_run_that_is_there_is_not_taken_in
                drivers_of_before_are_fenced_from_what_was_taken_in
            }
            keeping {
                a_run_that_is_archived_keeps_its_chain_and_lets_go_of_its_payloads
                only_the_current_driver_archives_a_run
                what_shipped_before_goes_on_from_an_archived_run
                an_archived_run_is_taken_in_as_it_is
                payloads_come_back_to_the_run_they_belong_to_and_to_no_other
                a_run_that_was_removed_is_remembered
            }
            crowds {
                two_handles_see_one_journal
                tasks_of_one_handle_keep_every_chain_whole
                threads_with_handles_keep_every_chain_whole
                requests_of_a_crowd_each_count_once
                one_of_many_claimers_gets_the_lease
                a_reader_beside_a_writer_never_sees_damage
            }
            faults {
                every_call_may_fail_before_its_effect
                every_call_may_fail_after_its_effect
                every_call_may_be_the_last_of_its_process_before_its_effect
                every_call_may_be_the_last_of_its_process_after_its_effect
            }
        }
    };
    (@rules $module:ident, $journal:expr, $($part:ident { $($rule:ident)* })*) => {
        mod $module {
            use super::*;
            $($(
                #[test]
                fn $rule() {
                    $crate::conformance::block_on($crate::conformance::$part::$rule(&$journal));
                }
            )*)*
        }
    };
}
