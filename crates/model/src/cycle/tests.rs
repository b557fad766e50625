mod harness;
mod hearing;
mod people;
mod phases;
mod properties;
mod verdicts;
