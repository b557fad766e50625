//! The prep package of a cycle: looked for once, before it begins. What becomes of it is on record with the cycle.

use std::path::{Component, Path, PathBuf};

use piton_files::cycle::{CYCLES, PREP_BYTES_MAX, PREP_PACKAGE, read_prep};
use piton_model::cycle::PrepFound;
use piton_model::cycle::prep::{Asked, PrepCheck, PrepFailure, PrepPackage, SourceKind, take};
use piton_store::chain;
use piton_sys::{Clock, SystemClock, file};
use piton_view::{CycleOrder, Error, PrepChoice};

use crate::launch::Secrets;
use crate::layout::Layout;

/// What is found where a package may lie; nothing where there is none or none is wanted. `notes` is told of it.
pub(super) fn find(
    layout: &Layout,
    order: &CycleOrder,
    notes: &mut Vec<String>,
) -> Result<Option<PrepFound>, Error> {
    let root = layout.root();
    let (shown, read) = match &order.prep {
        PrepChoice::Without => return Ok(None),
        PrepChoice::Usual => {
            let path = root.join(CYCLES).join(PREP_PACKAGE);
            if path.symlink_metadata().is_err() {
                return Ok(None);
            }
            // It may be a link, or lie behind one: then it is no file of this repository.
            let read = file::within(root, &path, |path| file::read_regular(path, PREP_BYTES_MAX));
            (format!("{CYCLES}/{PREP_PACKAGE}"), read)
        }
        PrepChoice::File(path) => {
            let path = PathBuf::from(path);
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            (shown, file::read_regular(&path, PREP_BYTES_MAX))
        }
    };
    let found = match read {
        Ok(None) if matches!(order.prep, PrepChoice::File(_)) => {
            return Err(Error::usage(format!("--prep: there is no file `{shown}`")));
        }
        Ok(None) => return Ok(None),
        Ok(Some(bytes)) => judge(layout, order, &shown, &bytes)?,
        Err(error) => Err(unreadable(format!("it cannot be read: {}", error.source))),
    };
    Ok(Some(match found {
        Ok(prep) => {
            notes.push(format!(
                "note: the prep package `{shown}` counts (quality {} of 10)",
                prep.quality_score
            ));
            PrepFound::Taken(Box::new(prep))
        }
        Err(failed) => {
            let why: Vec<String> =
                failed.iter().map(|failure| format!("{}: {}", failure.check, failure.why)).collect();
            notes.push(format!("warning: the prep package `{shown}` is ignored; {}", why.join("; ")));
            PrepFound::Ignored { path: shown, failed }
        }
    }))
}

fn unreadable(why: String) -> Vec<PrepFailure> {
    vec![PrepFailure { check: PrepCheck::Readable, why }]
}

type Judged = Result<piton_model::cycle::Prep, Vec<PrepFailure>>;

fn judge(layout: &Layout, order: &CycleOrder, shown: &str, bytes: &[u8]) -> Result<Judged, Error> {
    let secrets = Secrets::of(layout.root())?;
    let clean = secrets.redactor().redact_bytes(bytes);
    let package = match read_prep(clean.as_ref()) {
        Ok(package) => package,
        Err(why) => return Ok(Err(unreadable(why))),
    };
    let root = layout.root();
    let package = PrepPackage { source_refs: within(root, &package), ..package };
    let is_here = package.project_root.as_deref().is_some_and(|said| is_same(Path::new(said), root));
    let asked = Asked { task: &order.task, is_here, now: SystemClock.now() };
    Ok(take(package, shown, chain::hex(&chain::digest(bytes)), asked))
}

fn is_same(said: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    said.is_absolute() && real(said).is_some() && real(said) == real(root)
}

/// The sources that roles may be sent to: links, and files below the repository. A package of somebody else's sends nobody to a
/// key in your home.
fn within(root: &Path, package: &PrepPackage) -> Vec<piton_model::cycle::prep::SourceRef> {
    let mut kept = Vec::new();
    for source in &package.source_refs {
        if source.kind == SourceKind::Url {
            kept.push(source.clone());
            continue;
        }
        let path = Path::new(&source.path);
        let below = path.strip_prefix(root).unwrap_or(path);
        let is_plain =
            below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if is_plain {
            let mut source = source.clone();
            source.path = below.display().to_string();
            kept.push(source);
        }
    }
    kept
}
