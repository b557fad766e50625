//! Workflows: the document that defines one, and the files of a run.
//!
//! [`load`] reads a workflow with all that it names and reports every problem with its line. [`render`] writes
//! `run_state.json` and [`RunView`] puts it in its place. [`launch`] and [`read_report`] are the contract with wrappers,
//! as data: nothing here starts a process.
//!
//! | file | what it is |
//! |---|---|
//! | `run_state.json` | the view, see [`render`]; an edit of a status at rest is read back by [`edits`] |
//! | `reports/<run>__<step>.json` | what a wrapper writes, see [`read_report`] |
//! | `manual_inputs/<run>__<step>.json` | what a person writes, see [`read_manual_input`] |
//! | `logs/<run>__<step>__attempt<N>.log` | what an attempt printed |
//! | `.agents/run_archive.db` | a row for each run whose directory was removed, see [`RunArchive`] |

mod archive;
mod difference;
mod guidance;
mod import;
pub(crate) mod json;
mod launch;
mod load;
mod manual;
mod memory;
mod place;
mod plan;
mod publish;
mod read;
mod render;
mod report;
mod schema;

pub use archive::RunArchive;
pub use difference::difference;
pub use guidance::{Guidance, guidance_table};
pub use import::{Edits, ImportError, Imported, Left, STATE_BYTES_MAX, edits, glance, import};
pub use launch::{Launch, LaunchError, StepPlaces, check_template, item_variables, launch, render_template};
pub use load::{Disk, Loaded, Look, Unusable, load, nested, resolve_prompt};
pub use manual::{input_digest, read_manual_input};
pub use memory::{Memory, memories, remembered};
pub use place::{RUNS, RunPlace};
pub use plan::{mermaid, plan};
pub use publish::{Edited, RunView, has_view};
pub use read::{Places, read};
pub use render::render;
pub use report::{Expectations, REPORT_BYTES_MAX, Refusal, Report, read_report};
pub use schema::ReportSchema;
