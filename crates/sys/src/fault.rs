//! Crash points: named places where a test kills the process.
//!
//! Every write, sync and rename of the ports calls [`point`] with the name of its site just before it acts.
//! In debug builds `PITON_ABORT_AT=N` aborts the process at the N-th point it hits, and
//! `PITON_FAULT_LOG=path` appends the name of every point hit as a line (and `abort NAME` where it ended);
//! so a test counts the points of a workload once, then runs it once per point. Every process counts for
//! itself; `PITON_ABORT_IN=WORD` spares those that do not have that very argument, so that of a viewer, its
//! driver and a keeper one can be chosen. In release builds a point compiles to nothing.
//!
//! To add a site: call `fault::point("crate.operation.step")` and add the name to [`SITES`].

/// Every site there is, by crate, then in the order of the code. A hit of any other name is a bug.
pub const SITES: &[&str] = &[
    // sys
    "file.write_atomic.create",
    "file.write_atomic.write",
    "file.write_atomic.sync",
    "file.write_atomic.rename",
    "file.create_new.create",
    "file.create_new.write",
    "file.create_new.sync",
    "file.create_private_dir.create",
    "file.rename_noreplace.rename",
    "file.exchange.rename",
    "file.sync_dir.sync",
    "file.sync_file.sync",
    "file.remove.unlink",
    "lock.create",
    "lock.acquire",
    // store
    "anchor.write",
    "anchor.sync",
    "store.begin",
    "store.commit",
    "store.committed",
    "store.migrate.step",
    "store.migrate.commit",
    "store.migrate.committed",
    "store.anew.blob",
    "store.anew.rows",
    // seal
    "seal.write",
    "seal.spare",
    "seal.written",
    "seal.current",
    // agent
    "agent.keeper.prepare",
    "agent.keeper.publish",
    "agent.keeper.published",
    "agent.keeper.spawn",
    "agent.keeper.spawned",
    "agent.keeper.started",
    "agent.keeper.tree_empty",
    "agent.keeper.exit",
    "agent.keeper.unlock",
    "agent.keeper.done",
    "agent.abandon.publish",
    // store
    // git
    // files
    "files.directory.create",
    "files.publish.aside",
    "files.publish.write",
    "files.tasks.exchange",
    "files.gaps.base",
    "files.gaps.prepare",
    "files.gaps.displace",
    "files.gaps.displaced",
    "files.gaps.clear",
    "files.gaps.log",
    "files.gaps.logged",
    "files.cycle.archive",
    "files.cycle.append",
    "files.cycle.displace",
    "files.cycle.displaced",
    "files.cycle.put_back",
    // engine
];

/// A place where a test may end the process. `site` must be one of [`SITES`].
#[cfg(debug_assertions)]
pub fn point(site: &'static str) {
    debug_assert!(SITES.contains(&site), "`{site}` is not in fault::SITES");
    armed::hit(site);
}

/// A place where a test may end the process: nothing in this build.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn point(_site: &'static str) {}

#[cfg(debug_assertions)]
mod armed {
    use std::fs::{File, OpenOptions};
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// What the environment asked for, read once.
    struct Plan {
        abort_at: Option<u64>,
        log: Option<File>,
        hits: AtomicU64,
    }

    static PLAN: OnceLock<Plan> = OnceLock::new();

    fn plan() -> Plan {
        let is_meant =
            std::env::var_os("PITON_ABORT_IN").is_none_or(|word| std::env::args_os().any(|arg| arg == word));
        let abort_at =
            std::env::var("PITON_ABORT_AT").ok().filter(|_| is_meant).and_then(|text| text.parse().ok());
        let log = std::env::var_os("PITON_FAULT_LOG")
            .and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
        Plan { abort_at, log, hits: AtomicU64::new(0) }
    }

    pub(super) fn hit(site: &'static str) {
        let plan = PLAN.get_or_init(plan);
        let hit = plan.hits.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(mut log) = plan.log.as_ref() {
            // One write, so that lines of several processes do not mix.
            let _ = log.write_all(format!("{site}\n").as_bytes());
        }
        if plan.abort_at == Some(hit) {
            if let Some(mut log) = plan.log.as_ref() {
                let _ = log.write_all(format!("abort {site}\n").as_bytes());
            }
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_unique_and_named_crate_operation_step() {
        let mut names = SITES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SITES.len());
        for site in SITES {
            let well_formed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
            assert!(site.contains('.') && site.chars().all(well_formed), "`{site}`");
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "not in fault::SITES")]
    fn an_unlisted_site_is_a_bug() {
        point("file.not_listed");
    }
}
