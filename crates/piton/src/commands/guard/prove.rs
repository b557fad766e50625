//! `piton guard --prove`: the checks, run on copies of the tree that were broken on purpose.

use piton_git::{History, Tree};
use piton_guard::{Options, Report};
use piton_view::words::{count, mutants};
use serde::Serialize;

use crate::cli::{Global, GuardArguments};
use crate::failure::{Failure, Result};
use crate::output::{Output, clean_line};
use crate::repository::prove::{self, Account, Asked, Check, Depth, ProveError, Subject};
use crate::repository::{self, configuration};

/// How many tests are named.
const NAMES_MAX: usize = 3;

/// The trees that are compared.
pub(super) struct Trees<'a> {
    pub(super) base: &'a dyn Tree,
    pub(super) head: &'a dyn Tree,
    /// Whether the second one is what lies on disk.
    pub(super) is_on_disk: bool,
}

/// What was tried, as every format shows it.
#[derive(Debug, Serialize)]
pub(super) struct Proof {
    probes: Vec<&'static str>,
    trials: u32,
    mutants: u32,
    lost: u32,
    proved_by: Vec<String>,
    not_proven: Vec<String>,
    duration_ms: u64,
    /// Breaks that the checks let pass.
    lived: u32,
    /// Somebody wanted it ended.
    #[serde(skip)]
    pub(super) is_interrupted: bool,
}

/// Tries what changed, and adds what that showed to the report.
pub(super) fn run(
    global: &Global,
    history: &History,
    arguments: &GuardArguments,
    trees: &Trees<'_>,
    (report, options): (&mut Report, &Options),
    out: &Output,
) -> Result<Proof> {
    let layout = repository::layout(&Global { repo: Some(history.root().to_owned()), ..global.clone() })?;
    // A linked work tree has its journal elsewhere; what is compared is the tree itself.
    let layout = layout.in_tree(history.root().to_owned());
    let budget_ms = match &arguments.prove_budget {
        None => None,
        Some(text) => Some(
            piton_config::parse_duration(text)
                .map_err(|why| Failure::usage(format!("--prove-budget: {why}")))?,
        ),
    };
    let checks = configuration::checks(&layout, &arguments.check)?;
    if checks.is_empty() {
        return Err(Failure::usage("there is no check to prove with")
            .hint("give one with --check 'test=…', or name it under [checks] in piton.toml"));
    }
    if let Err(why) = prove::available(&layout) {
        out.note(clean_line(&format!("nothing is proven: {why}")));
        let not_proven = vec![format!("there can be no walls around a trial: {why}")];
        return Ok(Proof::of(Account { not_proven, ..Account::default() }));
    }
    let asked = Asked {
        checks: checks
            .into_iter()
            .map(|check| Check {
                name: check.name,
                command: check.command,
                failed_before: None,
                took_ms: None,
            })
            .collect(),
        depth: Depth::Full,
        budget_ms,
        strict: arguments.strict,
        runs_otherwise: false,
    };
    let disk = history.work_tree();
    let subject = Subject {
        layout: &layout,
        base: trees.base,
        head: trees.head,
        disk: (!trees.is_on_disk).then_some(&disk as &dyn Tree),
        since: None,
        done: None,
    };
    let is_stopped = crate::repository::stopped_by_signals()?;
    let account = match prove::prove(&subject, &asked, &prove::scratch_of(&layout), &is_stopped) {
        Ok(account) => account,
        Err(ProveError::Cancelled) => {
            return Ok(Proof { is_interrupted: true, ..Proof::of(Account::default()) });
        }
        Err(ProveError::NoCopy { why }) => Account { not_proven: vec![why], ..Account::default() },
        Err(error) => return Err(Failure::environment(&error).hint("run `piton doctor`")),
    };
    piton_guard::add_demonstrated(report, account.shown.clone(), trees.base, options)
        .map_err(|error| super::unreadable(error.as_ref()))?;
    Ok(Proof::of(account))
}

impl Proof {
    fn of(account: Account) -> Self {
        Self {
            probes: account.probes.iter().map(|probe| probe.as_str()).collect(),
            trials: account.trials,
            mutants: account.mutants,
            lost: account.lost,
            proved_by: account.proved_by,
            not_proven: account.not_proven,
            duration_ms: account.took_ms,
            lived: account.lived,
            is_interrupted: false,
        }
    }

    /// What was tried and what was not, for people.
    pub(super) fn print(&self, out: &Output) {
        let what = match self.probes.is_empty() {
            true => "nothing".to_owned(),
            false => format!(
                "{} ({}), {}",
                count(self.probes.len(), "probe"),
                self.probes.join(", "),
                mutants(self.mutants, self.lived, self.lost)
            ),
        };
        out.line(format!("proved: {what}"));
        if !self.proved_by.is_empty() {
            let first: Vec<_> = self.proved_by.iter().take(NAMES_MAX).map(String::as_str).collect();
            let more = match self.proved_by.len() - first.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            out.line(clean_line(&format!("  by    {}{more}", first.join(", "))));
        }
        for why in &self.not_proven {
            out.line(clean_line(&format!("  not   {why}")));
        }
    }
}
