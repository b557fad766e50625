mod harness;
mod people;
mod phases;
mod properties;
mod verdicts;
