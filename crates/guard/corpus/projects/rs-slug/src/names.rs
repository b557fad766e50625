use std::collections::HashSet;

use crate::slug::{slugify, validate, SlugError};

#[derive(Debug, Default)]
pub struct Registry {
    taken: HashSet<String>,
}

impl Registry {
    pub fn register(&mut self, title: &str) -> Result<String, SlugError> {
        let slug = slugify(title);
        validate(&slug)?;
        let mut candidate = slug.clone();
        let mut number = 1;
        while !self.taken.insert(candidate.clone()) {
            number += 1;
            candidate = format!("{slug}-{number}");
        }
        Ok(candidate)
    }

    pub fn release(&mut self, slug: &str) -> bool {
        self.taken.remove(slug)
    }

    pub fn len(&self) -> usize {
        self.taken.len()
    }

    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }
}
