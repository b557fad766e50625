//! The gaps of a ledger, changed for a front end.

use std::path::{Path, PathBuf};

use piton_model::Timestamp;
use piton_model::ledger::{Field, Gap, Overruled, Source, SourceKind, set};
use piton_model::ledger_machine::{Command, LedgerEvent, State};
use piton_sys::redact::Redactor;
use piton_view::words::{clean_line, few, ledger as words};
use piton_view::{Error, ErrorKind, GapChange, GapsChanged, LedgerAt};

use super::{LocalClient, ledger, no_such, shown};
use crate::launch::Secrets;
use crate::ledger::{Evidence, journal_for, observe, without_secrets};

pub(in crate::client) async fn change(
    client: &LocalClient,
    at: &LedgerAt,
    change: GapChange,
    now: Timestamp,
) -> Result<GapsChanged, Error> {
    let root = client.layout().root();
    let about = named(&change).map(str::to_owned);
    // Words that are wrong whatever the ledger says are told before anything is opened.
    let evidence = Evidence::of(client.layout(), at);
    let change = Prepared::of(redacted(Secrets::of(root)?.redactor(), change), &evidence, now)?;
    let store = journal_for(client.layout(), at)?;
    let ledger = ledger(client, Some(&store), at);
    let mut open = ledger.open(now).await?;
    let earlier = open.caught_up();
    let changed = match change.command(open.state(), root)? {
        Some(command) => open.run(command, now).await?,
        None => open.run(Command::Tick, now).await?,
    };
    let kept = [earlier.kept, changed.kept].concat();
    if !changed.overruled.is_empty() {
        return Err(given_up(earlier.overruled.iter().chain(&changed.overruled), &kept));
    }
    let (mut flips, mut added) = (Vec::new(), Vec::new());
    for event in &changed.events {
        match event {
            LedgerEvent::GapsFlipped { flips: changed } => flips.extend(changed.iter().cloned()),
            LedgerEvent::GapAdded { gap, .. } => added.push(gap.id.clone()),
            _ => {}
        }
    }
    let (changed, overruled) = (!changed.events.is_empty(), earlier.overruled);
    let state = open.into_state();
    let gap = about.and_then(|id| state.find(&id).map(|gap| shown(&state, gap, now)));
    Ok(GapsChanged { gaps: state.gaps.len(), gap, changed, flips, added, overruled, kept })
}

/// The gap that a change is about, where it is about one.
fn named(change: &GapChange) -> Option<&str> {
    match change {
        GapChange::Add { gap, .. }
        | GapChange::Set { gap, .. }
        | GapChange::Check { gap }
        | GapChange::Verify { gap, .. }
        | GapChange::Remove { gap }
        | GapChange::Undo { gap } => Some(gap),
        GapChange::Adopt | GapChange::AddMissing(_) | GapChange::FlipDue => None,
    }
}

/// Nobody is told that a change is made which the file does not hold.
fn given_up<'a>(overruled: impl Iterator<Item = &'a Overruled>, kept: &[PathBuf]) -> Error {
    let mut details = few(overruled.map(|what| clean_line(&words::overruled(what))), "change");
    details.extend(kept.iter().map(|kept| words::kept(kept)));
    Error::new(ErrorKind::Failed, "the file was edited meanwhile; not all of this was done")
        .details(details)
        .hint("look at the file, then run the command again if that is still what you want")
}

/// What people type is written down as little as what agents print, where it is secret.
fn redacted(redactor: &Redactor, change: GapChange) -> GapChange {
    let clean = |text: String| redactor.redact(&text).into_owned();
    let all = |texts: Vec<String>| texts.into_iter().map(clean).collect();
    match change {
        GapChange::Add { gap, category, fields } => GapChange::Add { gap, category, fields: all(fields) },
        GapChange::Set { gap, fields, reason } => {
            GapChange::Set { gap, fields: all(fields), reason: clean(reason) }
        }
        GapChange::Verify { gap, findings, sources, reason } => GapChange::Verify {
            gap,
            findings: findings.map(clean),
            sources: all(sources),
            reason: clean(reason),
        },
        GapChange::AddMissing(gaps) => {
            let clean_gap = |gap: Gap| without_secrets(redactor, gap);
            GapChange::AddMissing(gaps.into_iter().map(clean_gap).collect())
        }
        GapChange::Adopt
        | GapChange::FlipDue
        | GapChange::Check { .. }
        | GapChange::Remove { .. }
        | GapChange::Undo { .. } => change,
    }
}

/// A change, as far as its words can be judged without the ledger.
enum Prepared {
    Command(Command),
    Adopt,
    AddMissing(Vec<Gap>),
    Set { gap: String, fields: Vec<String>, reason: String },
    FlipDue,
}

impl Prepared {
    fn of(change: GapChange, evidence: &Evidence<'_>, now: Timestamp) -> Result<Self, Error> {
        Ok(Prepared::Command(match change {
            GapChange::Adopt => return Ok(Prepared::Adopt),
            GapChange::FlipDue => return Ok(Prepared::FlipDue),
            GapChange::AddMissing(gaps) => return Ok(Prepared::AddMissing(gaps)),
            GapChange::Set { gap, fields, reason } => {
                let known = |text: &String| text.split_once('=').is_some_and(|(key, _)| is_field(key));
                if !fields.iter().all(known) {
                    with_fields(Gap::new("", ""), &fields)?;
                }
                return Ok(Prepared::Set { gap, fields, reason });
            }
            GapChange::Add { gap, category, fields } => {
                Command::Add(Box::new(with_fields(Gap::new(&gap, category), &fields)?))
            }
            GapChange::Check { gap } => Command::Check { gap },
            GapChange::Remove { gap } => Command::Remove { gap },
            GapChange::Undo { gap } => Command::Undo { gap },
            GapChange::Verify { gap, findings, sources, reason } => {
                let sources = sources.iter().map(|text| source(evidence, text, now));
                let sources = sources.collect::<Result<_, _>>()?;
                Command::Verify { gap, finding: findings.map(|findings| (findings, sources)), reason }
            }
        }))
    }

    fn command(self, state: &State, root: &Path) -> Result<Option<Command>, Error> {
        Ok(Some(match self {
            Prepared::Adopt => return Ok(None),
            Prepared::Command(command) => command,
            Prepared::FlipDue => Command::FlipDue { observed: observe(root, &state.gaps) },
            Prepared::AddMissing(gaps) => {
                Command::AddAll(gaps.into_iter().filter(|gap| state.find(&gap.id).is_none()).collect())
            }
            Prepared::Set { gap, fields, reason } => {
                let found = state.find(&gap).cloned().ok_or_else(|| no_such(&gap))?;
                Command::Edit { gap: Box::new(with_fields(found, &fields)?), reason }
            }
        }))
    }
}

fn is_field(key: &str) -> bool {
    Field::from_word(key).is_some()
}

/// The gap with these fields; every problem with them at once.
fn with_fields(mut gap: Gap, fields: &[String]) -> Result<Gap, Error> {
    let mut problems = Vec::new();
    let mut is_usage = false;
    for text in fields {
        let Some((key, value)) = text.split_once('=') else {
            is_usage = true;
            problems.push(format!("`{}` is not FIELD=VALUE", clean_line(text)));
            continue;
        };
        let Some(field) = Field::from_word(key) else {
            is_usage = true;
            let known = Field::ALL.map(Field::as_str).join(", ");
            problems.push(format!("there is no field `{}`: use {known}", clean_line(key)));
            continue;
        };
        match set(&gap, field, value) {
            Ok(changed) => gap = changed,
            Err(error) => problems.push(clean_line(&error.to_string())),
        }
    }
    let kind = if is_usage { ErrorKind::Usage } else { ErrorKind::Failed };
    match problems.as_slice() {
        [] => Ok(gap),
        [only] => Err(Error::new(kind, only.clone())),
        several => Err(Error::new(kind, format!("{} things are wrong", several.len())).details(problems)),
    }
}

/// `file:docs/prices.md`, `command:…`, `commit:…`, `url:…`.
fn source(evidence: &Evidence<'_>, text: &str, now: Timestamp) -> Result<Source, Error> {
    let bad = |why: &str| Error::usage(format!("`{}`: {why}", clean_line(text)));
    let (kind, rest) = text.split_once(':').ok_or_else(|| bad("give KIND:TEXT"))?;
    let kind = match kind {
        "file" => {
            let hash = Some(evidence.hash(rest).map_err(|why| bad(&format!("it {why}")))?);
            SourceKind::File { path: rest.to_owned(), hash }
        }
        "command" => SourceKind::Command(rest.to_owned()),
        "commit" => SourceKind::Commit(rest.to_owned()),
        "url" => SourceKind::Url(rest.to_owned()),
        "http" | "https" => SourceKind::Url(text.to_owned()),
        _ => return Err(bad("a source is a file, command, commit or url")),
    };
    Ok(Source { kind, at: Some(now) })
}
