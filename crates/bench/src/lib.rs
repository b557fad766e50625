//! Measurements, each beside the raw limit of the machine.
