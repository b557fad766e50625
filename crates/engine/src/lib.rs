//! The one driver: a synchronous core and a thin shell around it.
//!
//! Owns how a run is started and advanced: [`start`] puts what was ordered on record and has a [`driver_process`] started,
//! in which [`core`] decides what to do and [`driver`] does it against a [`World`]; [`load`] brings a run back from the
//! journal; [`world`] is the one that users have, and [`client`] the door to all of it. [`launch`] says how everything that
//! a run starts is started, [`supervise`] what becomes of it, [`journal`] whose journal it may go on with. Never prints and knows no SQL.

pub mod absence;
mod at_work;
pub mod client;
pub mod configuration;
pub mod core;
pub mod cycle;
pub mod driver;
pub mod driver_process;
pub mod journal;
pub mod keys;
pub mod launch;
mod layout;
pub mod ledger;
pub mod load;
pub mod manager;
mod moved;
pub mod prove;
pub mod start;
pub mod supervise;
mod unjudged;
mod unsound;
pub mod worker;
pub mod workflow;
pub mod world;

pub use client::{ClientError, LocalClient};
pub use driver::{DriveError, Driver, World, drive};
pub use layout::Layout;
pub use worker::Worker;
