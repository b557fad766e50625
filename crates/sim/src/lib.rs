//! A seeded simulator of the driver, and a checker that shares no code with it.
