//! The hooks that a run is created with: those of the configuration, those in files of their own, sealed.

use piton_config::{Settings, hook_files};
use piton_model::hook::Hooks;
use piton_model::loop_machine::LoopConfig;
use piton_notify::given::Environment;
use piton_notify::hook::seal;
use piton_view::Error;
use piton_view::words::clean_line;

use crate::configuration;
use crate::layout::Layout;

/// The files that describe hooks here.
pub fn files(layout: &Layout, settings: &Settings) -> Vec<hook_files::HookFile> {
    let dir = settings.hooks.dir.as_ref().map_or(hook_files::HOOKS_DIR, |dir| dir.value.as_str());
    hook_files::read(layout.root(), dir)
}

/// Adds what files of their own describe, and seals every script. What nobody trusts is named and will be skipped.
pub(super) fn add(
    config: &mut LoopConfig,
    layout: &Layout,
    settings: &Settings,
    trusted: bool,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    if settings.hooks.enabled.as_ref().is_some_and(|enabled| !enabled.value) {
        return Ok(());
    }
    for file in files(layout, settings) {
        let mut hook = match file.hook {
            Ok(Some(hook)) => hook,
            Ok(None) => continue,
            Err(why) => {
                return Err(Error::usage(format!("{}: {}", file.path, clean_line(&why)))
                    .hint("docs/hooks.md says what such a file holds"));
            }
        };
        hook.untrusted = !trusted && !configuration::is_trusted_content(layout, &file.content)?;
        if hook.untrusted {
            let command = clean_line(&hook.run.label());
            notes.push(format!(
                "warning: hook `{}` of {} is skipped, not trusted: {command}; look at it, then run `piton trust`",
                hook.name, file.path
            ));
        }
        let hooks = config.hooks.get_or_insert_with(Hooks::default);
        hooks.hooks.retain(|known| known.name != hook.name);
        hooks.hooks.push(hook);
    }
    let Some(hooks) = &mut config.hooks else { return Ok(()) };
    for sealed in seal(hooks, layout.root(), &Environment) {
        notes.push(format!("warning: hook `{}` will be skipped: {}", sealed.hook, clean_line(&sealed.why)));
    }
    Ok(())
}
