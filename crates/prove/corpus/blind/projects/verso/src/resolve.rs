use std::collections::BTreeMap;

use crate::range::Range;
use crate::version::Version;

type Needs = Vec<(String, Range)>;

/// What there is: name -> versions with their needs.
#[derive(Debug, Default)]
pub struct Catalogue {
    packages: BTreeMap<String, Vec<(Version, Needs)>>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum ResolveError {
    Unknown(String),
    NoVersion(String),
    Conflict(String),
}

impl Catalogue {
    pub fn add(&mut self, name: &str, version: &str, needs: &[(&str, &str)]) {
        let needs = needs
            .iter()
            .map(|(n, r)| (n.to_string(), Range::parse(r).expect("range")))
            .collect();
        let version = version.parse().expect("version");
        self.packages.entry(name.to_string()).or_default().push((version, needs));
    }
}

/// Takes the highest version that fits, package by package; no going back.
pub fn resolve(catalogue: &Catalogue, name: &str, range: &Range) -> Result<BTreeMap<String, Version>, ResolveError> {
    let mut chosen: BTreeMap<String, Version> = BTreeMap::new();
    let mut open = vec![(name.to_string(), range.clone())];
    while let Some((name, range)) = open.pop() {
        if let Some(version) = chosen.get(&name) {
            if !range.contains(version) {
                return Err(ResolveError::Conflict(name));
            }
            continue;
        }
        let versions = catalogue.packages.get(&name).ok_or_else(|| ResolveError::Unknown(name.clone()))?;
        let best = versions.iter().filter(|(v, _)| range.contains(v)).max_by(|a, b| a.0.cmp(&b.0));
        let (version, needs) = best.ok_or_else(|| ResolveError::NoVersion(name.clone()))?;
        chosen.insert(name, version.clone());
        open.extend(needs.iter().cloned());
    }
    Ok(chosen)
}
