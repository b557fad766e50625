use std::collections::BTreeMap;
use std::fmt;

pub const LONGEST: u32 = 1000;

/// Places and the roads between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    roads: BTreeMap<String, BTreeMap<String, u32>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MapError {
    Unreadable { line: usize },
    Length { line: usize, text: String },
    Loop { line: usize },
    Twice { line: usize },
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Unreadable { line } => write!(f, "line {line}: cannot be read"),
            MapError::Length { line, text } => write!(f, "line {line}: '{text}' is no length"),
            MapError::Loop { line } => write!(f, "line {line}: a road to where it begins"),
            MapError::Twice { line } => write!(f, "line {line}: the road is there already"),
        }
    }
}

impl std::error::Error for MapError {}

impl Map {
    /// Reads a map.
    pub fn parse(text: &str) -> Result<Map, MapError> {
        let mut map = Map::default();
        for (index, raw) in text.lines().enumerate() {
            let line = index + 1;
            let words: Vec<&str> = raw.split_whitespace().collect();
            let (from, arrow, to, length) = match words[..] {
                [] => continue,
                [first, ..] if first.starts_with('#') => continue,
                [from, arrow @ ("-" | "->"), to, length] => (from, arrow, to, length),
                _ => return Err(MapError::Unreadable { line }),
            };
            let wrong = || MapError::Length { line, text: length.to_string() };
            let length: u32 = length.parse().map_err(|_| wrong())?;
            if length == 0 || length > LONGEST {
                return Err(wrong());
            }
            if from == to {
                return Err(MapError::Loop { line });
            }
            map.add(from, to, length, line)?;
            if arrow == "-" {
                map.add(to, from, length, line)?;
            }
        }
        Ok(map)
    }

    fn add(&mut self, from: &str, to: &str, length: u32, line: usize) -> Result<(), MapError> {
        self.roads.entry(to.to_string()).or_default();
        let roads = self.roads.entry(from.to_string()).or_default();
        if roads.insert(to.to_string(), length).is_some() {
            return Err(MapError::Twice { line });
        }
        Ok(())
    }

    pub fn places(&self) -> impl Iterator<Item = &str> {
        self.roads.keys().map(String::as_str)
    }

    pub fn has(&self, place: &str) -> bool {
        self.roads.contains_key(place)
    }

    /// The roads that leave a place, by name.
    pub fn roads_from(&self, place: &str) -> impl Iterator<Item = (&str, u32)> {
        self.roads.get(place).into_iter().flatten().map(|(to, length)| (to.as_str(), *length))
    }

    pub fn length(&self, from: &str, to: &str) -> Option<u32> {
        self.roads.get(from)?.get(to).copied()
    }
}
