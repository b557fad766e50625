//! Cycles: the state that a team shares, and the files in which its work is seen.

mod changes;
mod coordination;
mod discoveries;
mod exploration;
mod format;
mod header;
mod markdown;
mod ndjson;
mod phase_result;
mod place;
mod plan;
mod render;
mod requirements;
mod results;
mod summary;
mod tasks;
mod timeline;
mod version;
mod zone;

pub use changes::{ReadChanges, change_line, document_line, marker_line, read_changes};
pub use coordination::{decision_lines, feedback_page};
pub use discoveries::{ReadDiscoveries, discovery_line, new_discoveries, read_discoveries};
pub use exploration::{exploration_page, parse_exploration};
pub use format::*;
pub use header::Header;
pub use ndjson::{Lines, after_lines, read_lines};
pub use phase_result::{Said, items, parse_phase_result, phase_result};
pub use place::{COORDINATION, CYCLES, CyclePlace, HISTORY};
pub use plan::{parse_plan, plan_file};
pub use render::{cycle_state, render};
pub use requirements::{edge_cases_page, parse_requirements, requirements_page};
pub use results::{read_results, results_file};
pub use summary::summary_page;
pub use timeline::{timeline_head, timeline_line};
pub use version::{archived_name, iteration_of, previous_version};
pub use zone::{NoZone, Zone, moment};
