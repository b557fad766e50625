mod harness;
mod hearing;
mod hooks;
mod people;
mod phases;
mod prepared;
mod properties;
mod verdicts;
