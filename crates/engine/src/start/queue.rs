//! Starting a queue: its list is read, every item is checked as the loop that it will be, and all of it is put on record.
//!
//! Whatever is wrong is said before the first agent is paid: a list that is empty, an item that is there twice, items in a circle, a check that
//! cannot be started, a forge that does not answer. What is on record then is what runs, whatever the list and `piton.toml` say later.

use std::path::{Path, PathBuf};
use std::time::Duration;

use piton_config::Limit;
use piton_files::tasks::{Ceilings, Listed, Named, named, read_issues, read_markdown, read_prd, read_prompt};
use piton_model::loop_machine::{LoopConfig, Prompt, Worktree};
use piton_model::workflow::{
    CostAction, Definition, Item, List, NewItem, Options, Order, Queue, State, StepId, StepStatus, Work,
    create,
};
use piton_model::{Kind, Machine, RunId, Seq, loop_machine, slug};
use piton_sys::process::{Program, RunLimits, find_program};
use piton_sys::{Ids, SystemIds, file};
use piton_view::words::clean_line;
use piton_view::{Error, ErrorKind, ItemOrder, LimitWords, LoopOrder, QueueOrder};

use super::loops::{LOOPS_MAX, plan_of, prepared};
use super::options::relative;
use super::{free_branch, furnished, known, ready, tree_beside};
use crate::client::LocalClient;
use crate::configuration;
use crate::driver_process;
use crate::launch::Secrets;
use crate::layout::Layout;
use crate::world::open_workspace;

/// The largest list, and the largest prompt file of a directory.
const LIST_BYTES_MAX: u64 = 4 << 20;

/// How long the forge may take to list its issues.
const FORGE_WITHIN: Duration = Duration::from_secs(60);

/// Most issues that are asked for.
const ISSUES_MAX: &str = "200";

/// What names the issues of the forge in place of a file.
const ISSUES: &str = "issues";

/// What is to be done about a name or a place that is taken.
const FREE_IT: &str = "move it out of the way, then `piton queue retry`";

/// Begins a queue.
pub(super) async fn start(
    client: &LocalClient,
    order: &QueueOrder,
    notes: &mut Vec<String>,
) -> Result<(RunId, Seq), Error> {
    let layout = client.layout();
    let parallel = order.parallel.unwrap_or(1);
    if parallel == 0 || parallel as usize > LOOPS_MAX && !order.each.force {
        return Err(Error::usage(format!("--parallel: {parallel} is outside of 1 to {LOOPS_MAX}"))
            .hint("give --force for more at once"));
    }
    let totals = Totals::of(&order.total)?;
    let (list, listed) = read(layout, &order.list)?;
    let tasks = named(listed, &[]).map_err(|problems| wrong(&order.list, problems))?;
    refuse_second(client, &list, order).await?;
    let tasks = not_yet_done(client, &list, tasks, order, notes).await?;
    let Some(first) = tasks.first() else { return Err(nothing_to_do(&order.list)) };
    let mut each = LoopOrder { task: Some(first.listed.task.clone()), id: None, ..order.each.clone() };
    let run = run_of(order, &list)?;
    let (mut config, settings, _) = prepared(client, &each, true, notes)?;
    let secrets = Secrets::of(layout.root())?;
    let mut items = Vec::new();
    for task in tasks {
        each.task = Some(task.listed.task.clone());
        let mut item = item_of(layout, &each, &config, task, notes)?;
        let clean = secrets.redactor().redact(&item.item.task).into_owned();
        if clean != item.item.task {
            notes.push(format!("note: what looks like a secret was taken out of the task of `{}`", item.id));
            item.item.task = clean;
        }
        // Whatever a loop of this kind is refused for is known before the first begins.
        loop_machine::create(run.clone(), &item.item.title, of_item(&config, &item.item)).map_err(
            |rejection| {
                Error::from(rejection).hint(format!(
                    "item `{}`: give --check, `[checks]` in piton.toml, or a line `check: CMD` below it",
                    item.id
                ))
            },
        )?;
        items.push(item);
    }
    require_chains(&items)?;
    if config.confine.is_some() {
        configuration::require_home_outside(layout.root())?;
    }
    // One start at a time looks whether the list is free, and puts its queue on record.
    let _alone = driver_process::alone_to_start(layout).await?;
    refuse_second(client, &list, order).await?;
    config.worktree = Some(furnished(layout, &run, &settings.worktree)?);
    config.prompt = Prompt::default();
    let options = options_of(order, parallel, &list, (config, totals));
    let definition = Definition {
        name: title_of(items.len(), &order.list),
        steps: items.into_iter().map(NewItem::into_step).collect(),
        ..Definition::default()
    };
    notes.extend(super::goes_along(layout, &run)?);
    if let Some(worktree) = options.queue.as_ref().and_then(|queue| queue.config.worktree.as_ref()) {
        notes.extend(super::said_of(worktree));
        notes.extend(super::too_large(layout, &run, worktree)?);
        notes.extend(super::not_filtered(layout, &run)?);
    }
    let created = create(Order { run: run.clone(), definition, options, inherited: None })?;
    if let Err(error) = client.create::<State>(&[created]).await {
        return Err(super::overtaken(client, &run, error.into()).await);
    }
    if let Err(failure) = known::remember(layout) {
        notes.push(format!("note: `piton ls --everywhere` will not find this run: {}", failure.message));
    }
    driver_process::start(client, &run, false).await?;
    Ok((run, 0))
}

/// The work tree of an item, by what all of its queue have in common.
pub(crate) fn item_tree(
    layout: &Layout,
    run: &RunId,
    template: &Worktree,
    from: Option<String>,
) -> Result<Worktree, Error> {
    let branch = free_branch(&open_workspace(layout, run)?, run.as_str(), FREE_IT)?;
    Ok(Worktree { path: tree_beside(layout, run.as_str(), FREE_IT)?, branch, from, ..template.clone() })
}

/// The commit at the end of a branch, if it is there.
pub(crate) fn tip_of(layout: &Layout, run: &RunId, branch: &str) -> Result<Option<String>, Error> {
    let tip = open_workspace(layout, run)?.branch_tip(branch).map_err(|error| Error::environment(&error))?;
    Ok(tip.map(|tip| tip.to_string()))
}

/// An item that somebody adds to a queue that is there.
pub(crate) fn added(layout: &Layout, state: &State, order: &ItemOrder) -> Result<NewItem, Error> {
    let Some(queue) = &state.options.queue else {
        return Err(Error::usage(format!("run `{}` is no queue", state.run)));
    };
    let title = order.task.lines().map(|line| line.trim_start_matches(['#', ' ']).trim());
    let title = title.into_iter().find(|line| !line.is_empty());
    let Some(title) = title else { return Err(Error::usage("the task says nothing")) };
    let listed = Listed {
        id: order.id.clone(),
        title: title.to_owned(),
        task: order.task.clone(),
        after: order.after.clone(),
        checks: order.checks.clone(),
        entry: title.to_owned(),
        place: "the new item".to_owned(),
        ..Listed::default()
    };
    let taken: Vec<StepId> = state.plan.steps.iter().map(|step| step.id.clone()).collect();
    let tasks = named(vec![listed], &taken).map_err(|problems| wrong("it", problems))?;
    let Some(task) = tasks.into_iter().next() else { return Err(Error::usage("the task says nothing")) };
    let each = LoopOrder { task: Some(order.task.clone()), trust: true, ..LoopOrder::default() };
    let mut checks = Vec::new();
    if !order.checks.is_empty() {
        // Beside those that the queue began with, as if they had been said then.
        let said = LoopOrder { checks: order.checks.clone(), plain: true, agent: exec(), ..each };
        let own = plan_of(layout, &said, true)?.config.checks;
        checks = queue.config.checks.clone();
        checks.retain(|check| own.iter().all(|other| other.name != check.name));
        checks.extend(own);
        ready::require_checks(&checks, layout.root())?;
    }
    let clean = Secrets::of(layout.root())?.redactor().redact(&order.task).into_owned();
    let item = Item { title: task.listed.title, task: clean, checks, limits: None, entry: None };
    loop_machine::create(state.run.clone(), &item.title, of_item(&queue.config, &item))?;
    Ok(NewItem { id: task.id, after: task.after, item: Box::new(item) })
}

/// Checks are read without anybody who works; some agent has to be named all the same.
fn exec() -> piton_view::AgentChoice {
    piton_view::AgentChoice { exec: Some("true".to_owned()), ..piton_view::AgentChoice::default() }
}

/// The loop of an item but for its place.
fn of_item(config: &LoopConfig, item: &Item) -> LoopConfig {
    let mut config = config.clone();
    config.prompt = Prompt::Text(item.task.clone());
    if !item.checks.is_empty() {
        config.checks.clone_from(&item.checks);
    }
    config
}

/// An item with what its list says of it beside its task.
fn item_of(
    layout: &Layout,
    each: &LoopOrder,
    config: &LoopConfig,
    task: Named,
    notes: &mut Vec<String>,
) -> Result<NewItem, Error> {
    let Named { id, after, listed } = task;
    let Ceilings { iterations, duration, cost, tokens } = listed.ceilings.clone();
    let has_own = !listed.checks.is_empty() || listed.ceilings != Ceilings::default();
    let (mut checks, mut limits) = (Vec::new(), None);
    if has_own {
        let mut own = each.clone();
        own.checks.extend(listed.checks.iter().cloned());
        own.limits = LimitWords {
            iterations: iterations.or(own.limits.iterations),
            duration: duration.or(own.limits.duration),
            cost: cost.or(own.limits.cost),
            tokens: tokens.or(own.limits.tokens),
            ..own.limits
        };
        let mut planned = plan_of(layout, &own, true)
            .map_err(|mut error| {
                error.message = format!("{}: {}", listed.place, error.message);
                error
            })?
            .config;
        planned.limits.deadline = config.limits.deadline;
        ready::require_checks(&planned.checks, layout.root())?;
        if planned.checks != config.checks {
            let said: Vec<String> =
                listed.checks.iter().map(|check| format!("`{}`", clean_line(check))).collect();
            notes.push(format!("note: checks of `{id}` alone: {}", said.join(", ")));
            checks = planned.checks;
        }
        limits = Some(planned.limits).filter(|limits| *limits != config.limits);
    }
    let item = Item { title: listed.title, task: listed.task, checks, limits, entry: Some(listed.entry) };
    Ok(NewItem { id, after, item: Box::new(item) })
}

/// What an item comes after must come after each other: its branch begins where the last of them ended.
fn require_chains(items: &[NewItem]) -> Result<(), Error> {
    let above = |id: &StepId| {
        let (mut seen, mut open) = (Vec::new(), vec![id]);
        while let Some(next) = open.pop() {
            let item = items.iter().find(|item| item.id == *next);
            for other in item.into_iter().flat_map(|item| &item.after) {
                if !seen.contains(&other) {
                    seen.push(other);
                    open.push(other);
                }
            }
        }
        seen
    };
    for item in items.iter().filter(|item| item.after.len() > 1) {
        let is_last = |id: &StepId| {
            let before = above(id);
            item.after.iter().all(|other| other == id || before.contains(&other))
        };
        if !item.after.iter().any(is_last) {
            let names: Vec<String> = item.after.iter().map(|id| format!("`{id}`")).collect();
            let (id, names) = (&item.id, names.join(" and "));
            return Err(Error::usage(format!(
                "`{id}` comes after {names}, which do not come after each other"
            ))
            .hint("its branch begins where one of them ended: have one of them come after the other"));
        }
    }
    Ok(())
}

fn wrong(list: &str, problems: Vec<String>) -> Error {
    let list = clean_line(list);
    Error::usage(match problems.len() {
        1 => format!("the list {list} cannot be run"),
        many => format!("the list {list} cannot be run: {many} problems"),
    })
    .details(problems.iter().map(|problem| clean_line(problem)).collect())
}

fn nothing_to_do(list: &str) -> Error {
    let list = clean_line(list);
    Error::usage(format!("nothing is left to do on {list}"))
        .hint("a task is a line `- [ ] what is to be done`, or a story whose `passes` is false")
}

/// Another queue that works on the list, or is to go on with it: the same item would be run twice.
async fn refuse_second(client: &LocalClient, list: &List, order: &QueueOrder) -> Result<(), Error> {
    for (state, is_driven) in queues_of(client, list).await? {
        let is_unfinished =
            !matches!(state.status, piton_model::Status::Completed | piton_model::Status::Failed);
        let run = &state.run;
        if is_driven {
            return Err(Error::new(
                ErrorKind::Held,
                format!("run `{run}` works on {} already", clean_line(&order.list)),
            )
            .hint(format!("`piton attach {run}` shows it, `piton queue add {run} TASK` adds to it")));
        }
        if is_unfinished && !order.each.force {
            return Err(Error::usage(format!(
                "run `{run}` has not come to the end of {}",
                clean_line(&order.list)
            ))
            .hint(format!("`piton resume {run}` goes on with it; --force begins another all the same")));
        }
    }
    Ok(())
}

/// Without what another queue did: where a list says so itself, it is not here any more.
async fn not_yet_done(
    client: &LocalClient,
    list: &List,
    tasks: Vec<Named>,
    order: &QueueOrder,
    notes: &mut Vec<String>,
) -> Result<Vec<Named>, Error> {
    if list.is_ticked() || order.each.force {
        return Ok(tasks);
    }
    let mut done: Vec<(String, String, RunId)> = Vec::new();
    for (state, _) in queues_of(client, list).await? {
        let is_done = |index: &usize| state.steps[*index].status == StepStatus::Completed;
        for index in (0..state.steps.len()).filter(is_done) {
            if let Work::Loop(item) = &state.plan.step(index).work
                && let Some(entry) = &item.entry
            {
                done.push((entry.clone(), item.task.clone(), state.run.clone()));
            }
        }
    }
    let mut left = Vec::new();
    let mut gone: Vec<StepId> = Vec::new();
    for mut task in tasks {
        let by =
            done.iter().find(|(entry, text, _)| *entry == task.listed.entry && *text == task.listed.task);
        if let Some((_, _, run)) = by {
            notes.push(format!("note: `{}` was done by run `{run}`; --force does it again", task.id));
            gone.push(task.id);
            continue;
        }
        task.after.retain(|id| !gone.contains(id));
        left.push(task);
    }
    left.iter_mut().for_each(|task| task.after.retain(|id| !gone.contains(id)));
    Ok(left)
}

/// The queues of this list, and whether somebody drives them.
async fn queues_of(client: &LocalClient, list: &List) -> Result<Vec<(State, bool)>, Error> {
    let mut queues = Vec::new();
    let Some(store) = client.existing_store()? else { return Ok(queues) };
    let rows =
        store.rows(piton_store::Wanted::ALL_THERE).await.map_err(crate::client::ClientError::from)?.rows;
    for entry in rows.into_iter().map(|row| row.entry).filter(|entry| entry.kind == Kind::Workflow) {
        let loaded = LocalClient::unless_damaged(client.load::<State>(&entry.run_id, None).await)?;
        let Some(state) = loaded.map(|loaded| loaded.state) else { continue };
        if state.options.queue.as_deref().is_some_and(|queue| queue.list == *list) {
            let is_driven = client.driver_of(&state.run).await?.is_some() && !state.is_at_rest();
            queues.push((state, is_driven));
        }
    }
    Ok(queues)
}

fn run_of(order: &QueueOrder, list: &List) -> Result<RunId, Error> {
    if let Some(id) = &order.each.id {
        return super::name_of(id);
    }
    let name = match list {
        List::Markdown(path) | List::Prd(path) | List::Directory(path) => {
            Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
        }
        List::Issues(label) => label.clone().unwrap_or_else(|| ISSUES.to_owned()),
    };
    super::name_of(&format!("queue-{}-{}", slug(&name), SystemIds.hex(8)))
}

fn title_of(count: usize, list: &str) -> String {
    let items = if count == 1 { "item" } else { "items" };
    format!("{count} {items} of {}", clean_line(list))
}

/// What all items may use together.
struct Totals {
    cost_microusd: Option<u64>,
    tokens: Option<u64>,
    working_ms: Option<u64>,
}

impl Totals {
    fn of(words: &LimitWords) -> Result<Self, Error> {
        let total = |limit: Limit, flag: &str, text: &Option<String>| {
            let failed = |why: String| Error::usage(format!("{flag}: {why}"));
            text.as_deref().map(|text| limit.raised(None, text).map_err(failed)).transpose()
        };
        Ok(Self {
            cost_microusd: total(Limit::MaxCost, "--total-cost", &words.cost)?,
            tokens: total(Limit::MaxTokens, "--total-tokens", &words.tokens)?,
            working_ms: total(Limit::MaxDuration, "--total-duration", &words.duration)?,
        })
    }
}

fn options_of(
    order: &QueueOrder,
    parallel: u32,
    list: &List,
    (config, totals): (LoopConfig, Totals),
) -> Options {
    let workflow_file = match list {
        List::Markdown(path) | List::Prd(path) | List::Directory(path) => path.clone(),
        List::Issues(_) => order.list.clone(),
    };
    Options {
        max_attempts: 1,
        max_iterations: 1,
        max_parallel: parallel,
        max_cost_microusd: totals.cost_microusd,
        cost_limit_action: CostAction::Pause,
        workflow_file,
        notify: config.notify.clone(),
        queue: Some(Box::new(Queue {
            list: list.clone(),
            config: Box::new(config),
            max_tokens: totals.tokens,
            max_working_ms: totals.working_ms,
        })),
        ..Options::default()
    }
}

/// The list that somebody means, and what is on it.
fn read(layout: &Layout, text: &str) -> Result<(List, Vec<Listed>), Error> {
    let label = match text.split_once(':') {
        Some((ISSUES, label)) if !label.trim().is_empty() => Some(Some(label.trim().to_owned())),
        None if text == ISSUES && !Path::new(text).exists() => Some(None),
        _ => None,
    };
    if let Some(label) = label {
        let listed = issues(layout, label.as_deref())?;
        return Ok((List::Issues(label), listed));
    }
    let path = Path::new(text);
    let wanted = relative(layout, path)?;
    if path.is_dir() {
        return Ok((List::Directory(wanted), prompts(path)?));
    }
    let text_of = |path: &Path| -> Result<String, Error> {
        let bytes = file::read_regular(path, LIST_BYTES_MAX)?;
        let bytes = bytes.ok_or_else(|| {
            Error::usage(format!("there is no list `{}`", clean_line(text)))
                .hint("name a Markdown file, a prd.json, a directory of prompt files, or `issues:LABEL`")
        })?;
        String::from_utf8(bytes).map_err(|_| Error::usage(format!("`{}` is not UTF-8", clean_line(text))))
    };
    let content = text_of(path)?;
    let name = clean_line(text);
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        let listed = read_prd(&content, &name).map_err(|why| wrong(text, vec![why]))?;
        return Ok((List::Prd(wanted), listed));
    }
    Ok((List::Markdown(wanted), read_markdown(&content, &name)))
}

/// The prompt files of a directory, in the order of their names.
fn prompts(directory: &Path) -> Result<Vec<Listed>, Error> {
    let entries = std::fs::read_dir(directory).map_err(|error| Error::environment(&error))?;
    let is_prompt = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(".");
        let ending = path.extension().and_then(|ending| ending.to_str());
        !name.starts_with('.') && matches!(ending, Some("md" | "txt" | "prompt")) && path.is_file()
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_prompt).collect();
    paths.sort();
    let mut listed = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = file::read_regular(&path, LIST_BYTES_MAX)?.unwrap_or_default();
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::usage(format!("`{}` is not UTF-8", clean_line(&name))))?;
        listed.extend(read_prompt(&text, &name));
    }
    Ok(listed)
}

/// The open issues of the forge, as its program lists them.
fn issues(layout: &Layout, label: Option<&str>) -> Result<Vec<Listed>, Error> {
    let gone = |what: String| {
        Error::new(ErrorKind::Environment, what)
            .hint("`gh auth status` says whether it can be reached; a Markdown file needs no forge")
    };
    let path = std::env::var_os("PATH");
    if find_program("gh".as_ref(), path.as_deref(), layout.root()).is_none() {
        return Err(gone("issues are listed by `gh`, which is not in PATH".to_owned()));
    }
    let mut arguments = vec!["issue", "list", "--state", "open", "--limit", ISSUES_MAX];
    arguments.extend(["--json", "number,title,body"]);
    let label = label.map(|label| format!("--label={label}"));
    arguments.extend(label.as_deref());
    let limits = RunLimits { deadline: FORGE_WITHIN, output_bytes_max: LIST_BYTES_MAX as usize };
    let ran = Program::new("gh").args(arguments).current_dir(layout.root()).run(limits);
    let ran = ran.map_err(|error| gone(format!("`gh issue list`: {error}")))?;
    if ran.timed_out {
        return Err(gone(format!("`gh issue list` did not answer within {} s", FORGE_WITHIN.as_secs())));
    }
    if !ran.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        let said = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(gone(clean_line(&format!("`gh issue list` failed: {said}"))));
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    read_issues(&text).map_err(|why| gone(clean_line(&why)))
}
