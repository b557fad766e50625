//! The one driver: a synchronous core and a thin shell around it.
