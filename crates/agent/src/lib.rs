//! The keeper that holds an agent process, and what can be known of it afterwards.
