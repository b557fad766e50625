//! A path in the work tree exists: `--until file:PATH`.

use piton_record::record;

use super::{Probe, Rule, Table, Until};

/// A path in the work tree exists.
#[record(Eq)]
pub struct FileCreated {
    pub path: String,
}

impl Rule for FileCreated {
    const TYPE: &'static str = "file_created";
    const KEYS: &'static [&'static str] = &["path"];
    const PRIORITY: u8 = 40;
    const UNTIL: Option<Until> = Some(Until {
        form: "file:PATH",
        without: "names no path",
        fields: |rest| Some(vec![("path", rest)]),
    });

    fn read(table: &mut dyn Table) -> Option<Self> {
        Some(Self { path: table.path("path")? })
    }

    fn words(&self) -> String {
        format!("file_created({})", self.path)
    }

    fn until(&self) -> Option<String> {
        Some(format!("file:{}", self.path))
    }

    fn probe(&self) -> Option<Probe<'_>> {
        Some(Probe::Exists(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loop_machine::stop::tests::after_three;

    #[test]
    fn it_holds_where_the_last_look_found_it() {
        let state = after_three().state;
        let file = |path: &str| FileCreated { path: path.to_owned() };
        assert!(file("out").is_met(&state) && !file("other").is_met(&state));
    }
}
