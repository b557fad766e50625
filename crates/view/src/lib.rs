//! What a front end can see and ask: plain structs and one async trait.
