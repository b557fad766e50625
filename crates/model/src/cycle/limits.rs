//! Bounds of what a cycle keeps, by name. The lengths of windows belong to the fold.

/// Roles of a team.
pub const ROLES_MAX: usize = 12;
/// Longest name of a role: it is a piece of a path.
pub const ROLE_NAME_BYTES_MAX: usize = 32;
/// Longest title of a cycle, in characters, as the published format has it.
pub const TITLE_CHARS_MAX: usize = 100;
/// Largest document that a role hands in; of a larger one the beginning counts.
pub const DOCUMENT_BYTES_MAX: usize = 128 << 10;
/// Documents that one role hands in.
pub const DOCUMENTS_MAX: usize = 12;
/// Entries of a list in a section: edge cases, integration points, risks.
pub const SECTION_ITEMS_MAX: usize = 200;
/// Longest such entry.
pub const ITEM_BYTES_MAX: usize = 2 << 10;
/// Tasks of a plan.
pub const TASKS_MAX: usize = 500;
/// Fields of a phase result that are kept.
pub const RESULT_FIELDS_MAX: usize = 64;
/// Lines of one log that one attempt can add; so many are kept in a state, too.
pub const LOG_LINES_MAX: usize = 500;
/// Distinct files whose changes are counted by name.
pub const CHANGED_FILES_MAX: usize = 5_000;
/// Iterations kept in a state; older ones are read from the journal.
pub const ITERATIONS_KEPT_MAX: usize = 100;
/// Tasks kept in the history of a state.
pub const TASK_HISTORY_MAX: usize = 100;
/// Largest description; extensions beyond it are in the journal and in the history of tasks.
pub const DESCRIPTION_BYTES_MAX: usize = 256 << 10;
/// Entries of the feedback log kept in a state.
pub const FEEDBACK_MAX: usize = 200;
/// Entries that wait for the next prompt of one role; the oldest makes room.
pub const WAITING_FEEDBACK_MAX: usize = 16;
/// Decisions, and blockers, kept in a state: those that are settled make room first.
pub const DECISIONS_MAX: usize = 100;
/// Options of a decision.
pub const OPTIONS_MAX: usize = 12;
/// Phase errors kept in a state.
pub const PHASE_ERRORS_MAX: usize = 100;
/// Lines of the timeline kept in a state.
pub const TIMELINE_MAX: usize = 200;
/// Discoveries that are known by their key.
pub const DISCOVERIES_MAX: usize = 500;
/// Issues of an iteration that are named.
pub const ISSUES_MAX: usize = 50;
/// Extensions that wait to be begun.
pub const EXTENSIONS_WAITING_MAX: usize = 16;
/// Longest directive of a prep package to one role.
pub const FOCUS_BYTES_MAX: usize = 200;
/// Documents of a prep package that the task comes from.
pub const SOURCE_REFS_MAX: usize = 50;
/// Iterations that a prep package names of one gate.
pub const GATE_ITERATIONS_MAX: usize = 100;
/// Times that one role may send another back to work within one iteration: what comes beyond is kept for the next.
pub const SENT_BACK_MAX: u32 = 2;
/// Tries of a role in one iteration.
pub const TRIES_MAX: u32 = 3;
/// Attempts in a row whose outcome could not be known.
pub const LOST_MAX: u32 = 3;
