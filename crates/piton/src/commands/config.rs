//! `piton config show`: every value, and where it came from.

use piton_config::{Overrides, resolve, show as shown};
use piton_model::ExitCode;

use crate::cli::Global;
use crate::failure::Result;
use crate::output::Output;
use crate::repository::{self, configuration};

pub(super) fn show(global: &Global, out: &Output) -> Result {
    let layout = repository::layout(global)?;
    let files = configuration::read(&layout)?;
    let resolved =
        resolve(&files, &configuration::variable, &Overrides::default()).map_err(configuration::problems)?;
    let shown = shown(&resolved);
    if out.json {
        out.json(&shown);
    } else {
        out.line(shown.to_string().trim_end());
    }
    Ok(ExitCode::Done)
}
