use crate::{Amount, Day, Unit};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    pub amount: Amount,
    pub best_before: Option<Day>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum TakeError {
    NotEnough { name: String, wanted: Amount, left: u32 },
    Nothing,
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TakeError::NotEnough { name, wanted, left } => write!(f, "{wanted} {name} wanted, {left} left"),
            TakeError::Nothing => write!(f, "nothing wanted"),
        }
    }
}

impl std::error::Error for TakeError {}

/// Everything that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stock {
    items: Vec<Item>,
}

impl Stock {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Adds an item; the same thing with the same day becomes one item.
    pub fn add(&mut self, item: Item) {
        let same =
            |other: &&mut Item| other.name == item.name && other.amount.unit == item.amount.unit && other.best_before == item.best_before;
        if let Some(known) = self.items.iter_mut().find(same) {
            known.amount.value = known.amount.value.saturating_add(item.amount.value);
            return;
        }
        self.items.push(item);
        self.items
            .sort_by(|a, b| (&a.name, a.best_before.is_none(), a.best_before).cmp(&(&b.name, b.best_before.is_none(), b.best_before)));
    }

    pub fn left(&self, name: &str, unit: Unit) -> u32 {
        self.matching(name, unit).map(|item| item.amount.value).sum()
    }

    /// Takes an amount, of what expires first.
    pub fn take(&mut self, name: &str, wanted: Amount) -> Result<(), TakeError> {
        if wanted.value == 0 {
            return Err(TakeError::Nothing);
        }
        let left = self.left(name, wanted.unit);
        if left < wanted.value {
            return Err(TakeError::NotEnough { name: name.to_string(), wanted, left });
        }
        let mut missing = wanted.value;
        for item in &mut self.items {
            if item.name == name && item.amount.unit == wanted.unit {
                let taken = missing.min(item.amount.value);
                item.amount.value -= taken;
                missing -= taken;
            }
        }
        self.items.retain(|item| item.amount.value > 0);
        Ok(())
    }

    pub fn expired(&self, today: Day) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.best_before.is_some_and(|day| day < today))
    }

    fn matching<'a>(&'a self, name: &'a str, unit: Unit) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| item.name == name && item.amount.unit == unit)
    }
}
