//! `piton guard allow`: one more entry in `piton.allow.toml`.

use piton_git::History;
use piton_guard::{ALLOW_FILE, Allowance, Allowances};
use piton_model::ExitCode;
use piton_sys::file::{self, Durability};

use crate::cli::AllowArguments;
use crate::failure::{ErrorKind, Failure, Result};
use crate::output::{Output, clean_line};

const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
const HEADER: &str = "# Findings of `piton guard` that a person allowed. Commit this file: it counts as it stands in the base.\n";

pub(super) fn run(history: &History, arguments: &AllowArguments, out: &Output) -> Result {
    let is_id =
        arguments.finding.len() == 10 && arguments.finding.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id {
        return Err(Failure::usage(format!("`{}` is not the id of a finding", arguments.finding))
            .hint("run `piton guard`; each finding shows its id"));
    }
    if arguments.reason.trim().is_empty() {
        return Err(Failure::usage("a finding is allowed for a reason").hint("say why with --reason"));
    }
    if let Some(expires) = &arguments.expires {
        let bad = || Failure::usage(format!("`{expires}` is not a day")).hint("write it as 2026-12-31");
        expires.parse::<jiff::civil::Date>().map_err(|_| bad())?;
    }
    let path = history.root().join(ALLOW_FILE);
    let text = file::read_regular(&path, FILE_BYTES_MAX)?.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&text).into_owned();
    let known = Allowances::parse(&text)
        .map_err(|error| Failure::of(ErrorKind::Usage, &error).hint(format!("repair `{ALLOW_FILE}`")))?;
    if known.allow.iter().any(|allowance| allowance.finding == arguments.finding) {
        out.note(format!("{} is allowed already", arguments.finding));
        return Ok(ExitCode::Done);
    }
    if text.is_empty() {
        text.push_str(HEADER);
    }
    text.push_str(&Allowances::entry(&Allowance {
        finding: arguments.finding.clone(),
        reason: arguments.reason.clone(),
        expires: arguments.expires.clone(),
    }));
    file::write_atomic(&path, text.as_bytes(), Durability::Synced)?;
    out.did(clean_line(&format!(
        "allowed {} in {ALLOW_FILE}: commit it; it counts once it is part of the base",
        arguments.finding
    )));
    Ok(ExitCode::Done)
}
