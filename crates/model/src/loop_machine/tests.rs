//! The rules of the loop, one test per rule. A driver that does nothing but fold stands in for the world.

mod attempts;
mod ceilings;
mod done;
mod guard;
mod harness;
mod people;
mod properties;
mod quality;
mod recovery;
mod rests;
mod stop;
