//! The command line as a user meets it: the real binary, in a repository of its own for each test.
//!
//! One file per command area, one harness in [`common`]. A test says what a person would notice; what the parts
//! guarantee in detail is tested where they live.
#![expect(clippy::unwrap_used, reason = "what a test cannot have is a failed test")]

mod agent;
mod agents;
mod aiwg;
mod answer;
mod at_rest;
#[cfg(target_os = "linux")]
mod between_walls;
mod buckets;
mod canary;
mod cheats;
mod checks_write;
mod common;
mod crash;
mod cycle;
mod disk;
mod encrypted;
mod exchange;
mod fallback;
mod foreign;
mod forge;
mod forged;
mod gaps;
mod guard;
mod hidden;
mod hooks;
mod ids;
mod imports;
mod interrupted;
mod judged_anew;
mod keep;
mod land;
mod left_between;
mod left_over;
mod limits;
mod live;
mod loops;
mod lost_runs;
mod modes;
mod night;
mod notify;
mod numbers;
mod out_of_sight;
mod outside;
mod pages;
mod prompts;
mod proved;
mod queue;
mod quiet;
mod recovery;
mod redact;
mod rejected;
mod replicas;
mod restore;
mod reviewed;
mod schema;
mod see;
mod servers;
mod settings;
mod setup;
mod shown;
mod steer;
mod stop;
mod store;
mod surroundings;
mod talk;
mod trust;
mod untrusted;
mod vault;
mod views;
#[cfg(target_os = "linux")]
mod walls;
mod widths;
mod workflow;
mod workflow_answered;
mod workflow_files;
mod workflow_hostile;
mod workflow_inner;
mod workflow_moments;
mod workflow_money;
mod workflow_once;
mod workflow_words;
mod worktree;
