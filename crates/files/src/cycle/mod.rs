//! Cycles: the state that a team shares, and the files in which its work is seen.
//!
//! [`render`] writes `<id>.json`, and [`CycleView`] puts it and everything below `<id>.progress/` in its place. What roles
//! write is read by the `parse_` and `read_` functions; what a person edits, by [`CycleView::edited`]. [`import_cycle`] reads
//! a cycle of another tool, [`rebuild`] one of which only the progress files are left.
//!
//! | file | what it is |
//! |---|---|
//! | `<id>.json` | the state, see [`render`]; an edit of its status is read back |
//! | `<role>/NAME.md` | what the role wrote, below a table with version, previous, changes, date, cycle, iteration |
//! | `<role>/history/NAME-v<version>.EXT` | the same as it was in an older version |
//! | `ep/plan.json`, `vas/test-results.json` | the plan with its progress; what piton's checks came to |
//! | `<role>/changes.log`, `<role>/debug-log.ndjson` | a JSON line each, only ever added to |
//! | `coordination/timeline.md`, `decisions.log`, `discoveries.ndjson` | a line each, only ever added to |
//! | `coordination/feedback.md`, `summary.md` | who told whom what; what it came to |

mod append;
mod changes;
mod coordination;
mod discoveries;
mod documents;
mod edits;
mod exploration;
mod format;
mod header;
mod histories;
mod import;
mod logs;
mod markdown;
mod master;
mod ndjson;
mod phase_result;
mod place;
mod plan;
mod prep;
mod progress;
mod publish;
mod rebuild;
mod render;
mod requirements;
mod results;
mod summary;
mod tasks;
mod timeline;
mod version;
mod writer;
mod zone;

pub use changes::{ReadChanges, change_line, document_line, marker_line, read_changes};
pub use coordination::{decision_lines, feedback_page};
pub use discoveries::{ReadDiscoveries, discovery_kinds, discovery_line, read_discoveries};
pub use documents::COORDINATION_FILES;
pub use edits::{edits, signal};
pub use exploration::{exploration_page, parse_exploration};
pub use format::*;
pub use header::Header;
pub use histories::Histories;
pub use import::{ImportError, ImportedCycle, LeftCycle, STATE_BYTES_MAX, glance_cycle, import_cycle};
pub use logs::{CHANGES, DEBUG, DISCOVERIES, logged_changes};
pub use master::{MasterEdit, MasterFound};
pub use ndjson::{Lines, after_lines, read_lines};
pub use phase_result::{STATUS_WORDS, Said, items, parse_phase_result, phase_result};
pub use place::{COORDINATION, CYCLES, CyclePlace, HISTORY};
pub use plan::{parse_plan, plan_file};
pub use prep::{PREP_BYTES_MAX, PREP_PACKAGE, read_prep};
pub use progress::Progress;
pub use publish::{CycleView, Published};
pub use rebuild::{Rebuilt, rebuild};
pub use render::{cycle_state, render};
pub use requirements::{edge_cases_page, parse_requirements, requirements_page};
pub use results::{read_results, results_file};
pub use summary::summary_page;
pub use timeline::{timeline_head, timeline_line};
pub use version::{archived_name, iteration_of, previous_version};
pub use zone::{NoZone, Zone, moment};
