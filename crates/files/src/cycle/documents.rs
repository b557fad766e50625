//! Which documents a cycle's directories hold, and what each says: a pure function of the state.
//!
//! A role's document is what the role wrote, below a header of piton's. The plan, the results and what coordinates the team
//! are written by piton alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use piton_model::cycle::{Document, Requirements, Role, RoleName, RoleState, State};

use super::coordination::feedback_page;
use super::exploration::exploration_page;
use super::header::{Header, page, split};
use super::logs::{CHANGES, DEBUG, DISCOVERIES, LogFile};
use super::place::{COORDINATION, CyclePlace, HISTORY};
use super::plan::{plan_file, read_plan};
use super::render::zone_of;
use super::requirements::{edge_cases_page, requirements_page};
use super::results::results_file;
use super::summary::summary_page;
use super::version::{is_version, previous_version};

/// The name of what piton's checks came to.
pub(super) const RESULTS: &str = "test-results.json";

/// What piton writes into the directory of what belongs to no role.
pub const COORDINATION_FILES: [&str; 5] =
    ["feedback.md", "timeline.md", "decisions.log", "summary.md", DISCOVERIES];

/// A document as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its name below the progress directory.
    pub(super) name: String,
    pub(super) version: String,
    pub(super) bytes: Vec<u8>,
    /// What its role wrote, which this was made of.
    pub(super) source: Option<Arc<Document>>,
    /// The version before, for the archive.
    pub(super) previous: Option<Archived>,
    /// Its role is at work, and may be writing it.
    pub(super) is_held: bool,
    /// It is written by piton alone, so its older versions are those that lie there.
    pub(super) is_pitons: bool,
}

/// An older version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Archived {
    pub(super) version: String,
    pub(super) bytes: Vec<u8>,
}

/// All documents of a cycle.
pub(super) fn documents(state: &State, place: &CyclePlace) -> Vec<Page> {
    let render = Render { state, place };
    let mut pages: Vec<Page> = state.team().flat_map(|(role, known)| render.of_role(role, known)).collect();
    pages.extend(render.sections(&pages));
    pages.extend(render.results());
    let coordination = |name: &str, text: String| Page {
        name: format!("{COORDINATION}/{name}"),
        version: String::new(),
        bytes: text.into_bytes(),
        source: None,
        previous: None,
        is_held: false,
        is_pitons: true,
    };
    pages.push(coordination("feedback.md", feedback_page(state, zone_of(state))));
    pages.extend(summary_page(state, place).map(|text| coordination("summary.md", text)));
    pages
}

/// The names of everything that piton writes into the directories of a team, now or once `own` has handed in what it is to write.
pub(super) fn rendered_names(state: &State, place: &CyclePlace, own: &RoleName) -> BTreeSet<String> {
    let pages = documents(state, place).into_iter().map(|page| page.name);
    let logs = LogFile::of(state).into_iter().map(|log| log.name());
    let coordination = COORDINATION_FILES.map(|name| format!("{COORDINATION}/{name}"));
    let role = state.config.roles.iter().find(|role| role.name == *own);
    let writes = role.into_iter().flat_map(|role| &role.writes).map(|name| format!("{own}/{name}"));
    let more = ["edge-cases.md", DISCOVERIES, RESULTS].map(|name| format!("{own}/{name}"));
    pages.chain(logs).chain(coordination).chain(writes).chain(more).collect()
}

struct Render<'a> {
    state: &'a State,
    place: &'a CyclePlace,
}

impl Render<'_> {
    /// What a role wrote.
    fn of_role(&self, role: &Role, known: &RoleState) -> Vec<Page> {
        let own = known.documents.values().filter(|document| is_document(&document.name));
        own.filter(|document| !self.is_outdated(document))
            .map(|document| self.page(role, known, document))
            .collect()
    }

    /// The edge cases of another version than the requirements are not those of the requirements.
    fn is_outdated(&self, document: &Document) -> bool {
        let requirements = self.state.requirements.as_deref();
        document.name == "edge-cases.md"
            && requirements.is_some_and(|known| known.version != document.version)
    }

    fn page(&self, role: &Role, known: &RoleState, document: &Arc<Document>) -> Page {
        let before = known.previous.get(&document.name).filter(|before| before.version != document.version);
        let header = Header {
            previous: before.map(|before| before.version.clone()),
            changes: change(known, document),
            ..self.header(document.iteration, document)
        };
        let archived = |before: &Arc<Document>| {
            let header = Header {
                previous: previous_version(before.iteration),
                changes: change(known, before),
                ..self.header(before.iteration, before)
            };
            let bytes = match before.name.as_str() {
                "plan.json" => self.older_plan(before),
                _ => text(before, &header).into_bytes(),
            };
            Archived { version: before.version.clone(), bytes }
        };
        let plan = self.state.plan.as_deref().filter(|_| document.name == "plan.json");
        Page {
            name: format!("{}/{}", role.name, document.name),
            version: document.version.clone(),
            bytes: match plan {
                Some(plan) => plan_file(plan, zone_of(self.state)),
                None => text(document, &header).into_bytes(),
            },
            source: Some(Arc::clone(document)),
            previous: before.filter(|before| is_version(&before.version)).map(archived),
            is_held: known.open.is_some(),
            is_pitons: false,
        }
    }

    fn older_plan(&self, document: &Document) -> Vec<u8> {
        match read_plan(document.text.as_bytes()) {
            Ok(mut plan) => {
                (plan.version, plan.last_updated) = (document.version.clone(), document.at);
                plan_file(&plan, zone_of(self.state))
            }
            Err(_) => document.text.clone().into_bytes(),
        }
    }

    fn header(&self, iteration: u32, document: &Document) -> Header {
        let date = zone_of(self.state).show(document.at);
        let header = Header::of_iteration(&self.place.cycle_id, iteration, &date, "");
        Header { version: document.version.clone(), ..header }
    }

    /// What is known of a section for which its role left no document, as of a cycle that another tool began.
    fn sections(&self, pages: &[Page]) -> Vec<Page> {
        let is_there = |name: &str| pages.iter().any(|page| page.name == name);
        let zone = zone_of(self.state);
        let header = |version: &str, at| {
            let iteration = super::version::iteration_of(version).unwrap_or(1);
            let header = Header::of_iteration(&self.place.cycle_id, iteration, &zone.show(at), "");
            Header { version: version.to_owned(), ..header }
        };
        let mut found: Vec<(&str, String, Vec<u8>)> = Vec::new();
        if let Some(known) = self.state.requirements.as_deref() {
            let Requirements { version, last_updated, .. } = known;
            let header = header(version, *last_updated);
            found.push((
                "ra/requirements.md",
                version.clone(),
                requirements_page(&header, known).into_bytes(),
            ));
            found.push(("ra/edge-cases.md", version.clone(), edge_cases_page(&header, known).into_bytes()));
        }
        if let Some(known) = self.state.exploration.as_deref() {
            let bytes = exploration_page(&header(&known.version, known.last_updated), known).into_bytes();
            found.push(("ep/exploration.md", known.version.clone(), bytes));
        }
        if let Some(known) = self.state.plan.as_deref() {
            found.push(("ep/plan.json", known.version.clone(), plan_file(known, zone)));
        }
        found.retain(|(name, ..)| !is_there(name));
        found.into_iter().map(|(name, version, bytes)| self.pitons(name, version, bytes)).collect()
    }

    fn results(&self) -> Option<Page> {
        let tests = self.state.tests.as_ref()?;
        let bytes = results_file(tests, &self.state.checks, zone_of(self.state));
        let validator = self.state.config.roles.iter().find(|role| role.validates);
        let role = validator.map_or("vas", |role| role.name.as_str());
        let page = self.pitons(&format!("{role}/{RESULTS}"), tests.version.clone(), bytes);
        Some(Page { is_held: false, ..page })
    }

    /// What piton alone writes into a role's directory.
    fn pitons(&self, name: &str, version: String, bytes: Vec<u8>) -> Page {
        let role = name.split('/').next().map(RoleName::from).unwrap_or_default();
        let is_held = self.state.role(&role).is_some_and(|known| known.open.is_some());
        Page { name: name.to_owned(), version, bytes, source: None, previous: None, is_held, is_pitons: true }
    }
}

/// A role's document: text below a header, anything else as it is.
fn text(document: &Document, header: &Header) -> String {
    match document.name.strip_suffix(".md") {
        Some(stem) => page(&title(stem), header, &split(&document.text).1),
        None => document.text.clone(),
    }
}

/// `Edge cases` of `edge-cases`.
fn title(stem: &str) -> String {
    let words = stem.replace(['-', '_'], " ");
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// What the role's log says of this version.
fn change(known: &RoleState, document: &Document) -> String {
    let is_its = |line: &&piton_model::cycle::LogLine| {
        line.document == document.name && line.version == document.version
    };
    known.log.recent.iter().rev().find(is_its).map(|line| line.change.clone()).unwrap_or_default()
}

/// Whether a file of a role's directory is a document: a plain name that is none of piton's own.
pub(super) fn is_document(name: &str) -> bool {
    let own = [CHANGES, DEBUG, DISCOVERIES, HISTORY, RESULTS];
    !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(['/', '\\', '\0', '\n'])
        && !own.contains(&name)
}

/// The version that a document which lies there says it has.
pub(super) fn version_in(name: &str, bytes: &[u8]) -> Option<String> {
    let version = if name.ends_with(".json") {
        let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        value.get("version")?.as_str()?.to_owned()
    } else {
        split(std::str::from_utf8(bytes).ok()?).0.version
    };
    is_version(&version).then_some(version)
}
