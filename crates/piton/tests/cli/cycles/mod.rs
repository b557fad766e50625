//! `piton cycle`, held against the document of its format and against the page about it.

mod docs;
mod document;
mod oauth;
