//! What is wrong with a definition: everything, at once, before anything runs.
//!
//! Owns the rules that need no file system. Says which step, which field and which entry; whoever read the document
//! knows the line.

use std::collections::HashMap;

use super::condition::{Condition, Operator, Subject};
use super::definition::{Collection, Definition, Gate, Items, OnReject, Step, StepId, Work};
use super::graph::{Graph, Walks};
use super::limits::{
    EDGES_FOLLOWED_MAX, GUESSES_MAX, ITEMS_BYTES_MAX, ITEMS_MAX, MILLIS_MAX, NAMES_PER_STEP_MAX,
    PARALLEL_MAX, PROBLEMS_MAX, STEPS_MAX, TRIES_MAX,
};
use super::state::StepStatus;
use crate::suggest::closest;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The step's place in the document, if it is about a step.
    pub step: Option<usize>,
    /// The field it is about, as the document calls it.
    pub field: &'static str,
    /// The entry of that field, if it is a list.
    pub entry: Option<usize>,
    /// What is wrong: lower case, no period, literals in backticks.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that is wrong with `definition`, in the order of the document, at most [`PROBLEMS_MAX`].
pub fn validate(definition: &Definition) -> Vec<Problem> {
    let graph = Graph::new(definition);
    let walks = Some(Walks::new(&graph, EDGES_FOLLOWED_MAX));
    let mut look = Look { definition, graph: &graph, walks, problems: Vec::new(), guesses: 0 };
    look.whole();
    look.names();
    for index in 0..definition.steps.len() {
        if look.problems.len() >= PROBLEMS_MAX {
            break;
        }
        look.step(index);
    }
    look.cycles();
    look.problems.truncate(PROBLEMS_MAX);
    look.problems
}

struct Look<'a> {
    definition: &'a Definition,
    graph: &'a Graph,
    /// `None` once it was said that they are too many.
    walks: Option<Walks>,
    problems: Vec<Problem>,
    guesses: usize,
}

impl Look<'_> {
    fn whole(&mut self) {
        let count = self.definition.steps.len();
        if count == 0 {
            self.report(None, "steps", None, "a workflow needs at least one step", "add one under `steps:`");
        }
        if count > STEPS_MAX {
            let message = format!("{count} steps are more than the {STEPS_MAX} that are allowed");
            self.report(None, "steps", None, message, "split it, and name the parts with `workflow:`");
        }
        let parallel = self.definition.max_parallel;
        self.range(None, "max_parallel", parallel.map(u64::from), u64::from(PARALLEL_MAX));
    }

    /// Ids are there, sound and unique, whatever the file system thinks of case.
    fn names(&mut self) {
        let mut first: HashMap<String, usize> = HashMap::new();
        for (index, step) in self.definition.steps.iter().enumerate() {
            // A missing id was reported by whoever read the document.
            if step.id.as_str().is_empty() {
                continue;
            }
            if !step.id.is_sound() {
                let message = format!("`{}` cannot name a step", shown(step.id.as_str()));
                let hint = "use 1 to 64 letters, digits, `-` or `_`, starting with a letter or digit";
                self.report(Some(index), "id", None, message, hint);
            }
            if let Some(other) = first.get(&step.id.key()) {
                let same = self.definition.steps[*other].id == step.id;
                let id = shown(step.id.as_str());
                let message = match same {
                    true => {
                        format!("step `{id}` is there twice; the first is step {} of the list", other + 1)
                    }
                    false => format!("step `{id}` differs from step {} only in case", other + 1),
                };
                self.report(Some(index), "id", None, message, "give it a name of its own");
            } else {
                first.insert(step.id.key(), index);
            }
        }
    }

    fn step(&mut self, index: usize) {
        let step = &self.definition.steps[index];
        self.work(index, step);
        self.targets(index, "needs", &step.needs);
        self.targets(index, "next_on_success", &step.next_on_success);
        if let Some(place) = step.needs.iter().position(|need| *need == step.id) {
            self.report(Some(index), "needs", Some(place), "a step cannot wait for itself", "remove it");
        }
        if step.model.as_ref().is_some_and(|model| model.contains('\0')) {
            self.report(Some(index), "model", None, "`model` holds a NUL", "remove it");
        }
        self.variables(index, step);
        self.gates(index, &step.gates);
        self.loop_back(index, step);
        if let Some(collection) = &step.collection {
            self.collection(index, step, collection);
        }
        if let Some(when) = &step.when {
            self.condition(index, "when", when, false);
        }
        self.range(Some(index), "timeout", step.timeout_ms, MILLIS_MAX);
        self.range(Some(index), "max_attempts", step.max_attempts.map(u64::from), u64::from(TRIES_MAX));
        if step.backoff_ms.is_some_and(|millis| millis > MILLIS_MAX) {
            self.report(Some(index), "backoff", None, "longer than a year", "use something like `10s`");
        }
    }

    fn work(&mut self, index: usize, step: &Step) {
        match &step.work {
            Work::Agent { agent, prompt } => {
                self.filled(index, "agent", agent);
                self.filled(index, "prompt", prompt);
            }
            Work::Run { command, .. } => self.filled(index, "run", command),
            Work::Workflow { path } => self.filled(index, "workflow", path),
            Work::Loop(item) => self.filled(index, "task", &item.task),
            // Reported by whoever read the document: it knows which field is missing.
            Work::Nothing {} => {}
        }
    }

    fn filled(&mut self, index: usize, field: &'static str, text: &str) {
        if text.trim().is_empty() {
            self.report(Some(index), field, None, format!("`{field}` is empty"), "say what it is");
        } else if text.contains('\0') {
            self.report(Some(index), field, None, format!("`{field}` holds a NUL"), "remove it");
        }
    }

    fn targets(&mut self, index: usize, field: &'static str, names: &[StepId]) {
        if names.len() > NAMES_PER_STEP_MAX {
            let message = format!("more than {NAMES_PER_STEP_MAX} names");
            self.report(Some(index), field, None, message, "put a step between");
        }
        for (place, name) in names.iter().enumerate().take(NAMES_PER_STEP_MAX) {
            self.target(index, field, Some(place), name);
        }
    }

    fn target(
        &mut self,
        index: usize,
        field: &'static str,
        entry: Option<usize>,
        name: &StepId,
    ) -> Option<usize> {
        let found = self.graph.place(name);
        if found.is_none() {
            let message = format!("there is no step `{}`", shown(name.as_str()));
            let hint = self.guess(name.as_str());
            self.problems.push(Problem { step: Some(index), field, entry, message, hint });
        }
        found
    }

    /// Two needs whose artifacts would be exported under the same name.
    fn variables(&mut self, index: usize, step: &Step) {
        let mut seen: HashMap<String, &StepId> = HashMap::new();
        for (place, need) in step.needs.iter().enumerate().take(NAMES_PER_STEP_MAX) {
            let Some(other) = seen.insert(variable(need), need) else { continue };
            let message = match other == need {
                true => format!("`{}` is named twice", shown(need.as_str())),
                false => format!("`{other}` and `{need}` would both export `DEP_{}_…`", variable(need)),
            };
            let hint = if other == need { "name it once" } else { "rename one of them" };
            self.report(Some(index), "needs", Some(place), message, hint);
        }
    }

    fn gates(&mut self, index: usize, gates: &[Gate]) {
        for (place, gate) in gates.iter().enumerate().take(NAMES_PER_STEP_MAX) {
            self.misspelt(index, "gates", Some(place), gate);
            let text = match gate {
                Gate::Named(text) | Gate::Command(text) | Gate::Gaps(Some(text)) => text,
                Gate::Gaps(None) | Gate::Guard => continue,
            };
            if text.contains('\0') {
                self.report(Some(index), "gates", Some(place), "a gate holds a NUL", "remove it");
            }
            if text.trim().is_empty() {
                let hint = "a name of the gate-state file, `cmd:COMMAND`, `gaps-fresh` or `guard-clean`";
                self.report(Some(index), "gates", Some(place), "a gate without a name", hint);
            }
        }
    }

    fn misspelt(&mut self, index: usize, field: &'static str, entry: Option<usize>, gate: &Gate) {
        if let Some(meant) = gate.meant() {
            let message = format!("`{}` is too close to `{meant}` to name a gate", shown(&gate.to_string()));
            let hint = format!("did you mean `{meant}`? a gate of your own needs another name");
            self.report(Some(index), field, entry, message, &hint);
        }
    }

    fn loop_back(&mut self, index: usize, step: &Step) {
        if let Some(name) = &step.loop_back_to
            && let Some(target) = self.target(index, "loop_back_to", None, name)
            && target != index
            && self.waits_for((index, "loop_back_to"), target, index) == Some(true)
        {
            let message = format!("`{name}` waits for `{}`, so going back to it would never end", step.id);
            self.report(Some(index), "loop_back_to", None, message, "name a step that comes before");
        }
        if step.on_reject == Some(OnReject::LoopBack) && step.loop_back_to.is_none() {
            let hint = "add `loop_back_to`";
            self.report(Some(index), "on_reject", None, "there is nowhere to go back to", hint);
        }
        if step.on_reject.is_some() && !step.human_in_the_loop {
            let hint = "add `human_in_the_loop: true`";
            self.report(Some(index), "on_reject", None, "nobody is asked, so nobody can say no", hint);
        }
    }

    fn collection(&mut self, index: usize, step: &Step, collection: &Collection) {
        let sources = collection.sources.len();
        if sources != 1 {
            let message = format!("a loop has exactly one source of items, this one has {sources}");
            let hint = "keep one of `items`, `items_from_step` and `items_from_artifact`";
            self.report(Some(index), "loop", None, message, hint);
        }
        for source in &collection.sources {
            match source {
                Items::Given(items) => {
                    if let Some(message) = oversize(items) {
                        self.report(Some(index), "items", None, message, "put them into several steps");
                    }
                }
                Items::FromStep(name) => {
                    if self.target(index, "items_from_step", None, name).is_some()
                        && !step.needs.contains(name)
                    {
                        let message = format!("`{name}` is not among the `needs` of this step");
                        let hint = format!("add `{name}` to `needs`");
                        self.report(Some(index), "items_from_step", None, message, &hint);
                    }
                }
                Items::FromArtifact(path) => {
                    self.filled(index, "items_from_artifact", path);
                    if !is_inside(path) {
                        let hint = "name a file of the repository, by its path from the root";
                        let message = "the path leads out of the repository";
                        self.report(Some(index), "items_from_artifact", None, message, hint);
                    }
                }
            }
        }
        let most = collection.max_iterations.map(u64::from);
        self.range(Some(index), "loop.max_iterations", most, ITEMS_MAX as u64);
        if let Some(until) = &collection.until_condition {
            self.condition(index, "until_condition", until, true);
        }
        for (field, name) in [("item_var", &collection.item_var), ("index_var", &collection.index_var)] {
            if !is_variable(name) {
                let message = format!("`{}` cannot name a variable", shown(name));
                self.report(Some(index), field, None, message, "use letters, digits and `_`");
            }
        }
        if collection.item_var.eq_ignore_ascii_case(&collection.index_var) {
            let hint = "give one of them another name";
            self.report(Some(index), "index_var", None, "item and index have the same name", hint);
        }
    }

    /// What a condition asks about must be known by then.
    fn condition(&mut self, index: usize, field: &'static str, condition: &Condition, of_itself: bool) {
        for part in condition.parts() {
            let named = part.subject.step();
            let own = named.is_none_or(|name| *name == self.definition.steps[index].id);
            if let Some(name) = named
                && !own
                && let Some(place) = self.target(index, field, None, name)
                && self.waits_for((index, field), index, place) == Some(false)
            {
                let message = format!("what became of `{name}` is not known by then");
                self.report(Some(index), field, None, message, &format!("add `{name}` to `needs`"));
            }
            if own && !of_itself && !matches!(part.subject, Subject::Open(_)) {
                let hint = "name the step that is meant: `STEP.status == COMPLETED`";
                let message = "a step cannot be asked about before it ran";
                self.report(Some(index), field, None, message, hint);
            }
            if of_itself && matches!(part.subject, Subject::Open(_)) {
                let message = "gates are looked at before a step, not after each item";
                self.report(Some(index), field, None, message, "ask about metrics or artifacts");
            }
            if let Subject::Open(gate) = &part.subject {
                self.misspelt(index, field, None, gate);
            }
            self.word(index, field, &part.subject, part.comparison.as_ref());
        }
    }

    fn word(
        &mut self,
        index: usize,
        field: &'static str,
        subject: &Subject,
        comparison: Option<&(Operator, String)>,
    ) {
        let known: Vec<&str> = match subject {
            Subject::Status(_) => StepStatus::ALL.map(StepStatus::as_str).to_vec(),
            Subject::Gate(_) => vec!["passed", "failed"],
            Subject::Metric(..) | Subject::Artifacts(_) | Subject::Open(_) => return,
        };
        if let Some((_, word)) = comparison
            && !known.contains(&word.as_str())
        {
            let message = format!("`{}` is none of {}", shown(word), known.join(", "));
            let hint = closest(word, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
            self.problems.push(Problem { step: Some(index), field, entry: None, message, hint });
        }
    }

    fn cycles(&mut self) {
        for cycle in self.graph.cycles(GUESSES_MAX) {
            // A step that waits for itself was reported with its entry.
            let [first, second, ..] = cycle[..] else { continue };
            if first == second {
                continue;
            }
            let mut names: Vec<&str> =
                cycle.iter().take(10).map(|index| self.definition.steps[*index].id.as_str()).collect();
            if cycle.len() > names.len() {
                names.push("…");
            }
            let message = format!("these steps wait for each other: {}", names.join(" → "));
            let entry = self.definition.steps[first]
                .needs
                .iter()
                .position(|need| *need == self.definition.steps[second].id);
            self.report(Some(first), "needs", entry, message, "remove one of these `needs`");
        }
    }

    fn range(&mut self, step: Option<usize>, field: &'static str, value: Option<u64>, most: u64) {
        if value.is_some_and(|value| value == 0 || value > most) {
            let name = field.rsplit('.').next().unwrap_or(field);
            let message = format!("`{name}` is outside of 1 to {most}");
            self.report(step, field, None, message, "use a number in that range");
        }
    }

    /// Whether `step` waits for `other`, asked for a field. That it cannot be found out is reported once.
    fn waits_for(&mut self, asked: (usize, &'static str), step: usize, other: usize) -> Option<bool> {
        let found = self.walks.as_mut()?.waits_for(self.graph, step, other);
        if found.is_none() {
            self.walks = None;
            let message = "this and what stands before it look too far back to be checked";
            self.report(
                Some(asked.0),
                asked.1,
                None,
                message,
                "name steps that are closer, or split the workflow",
            );
        }
        found
    }

    fn guess(&mut self, name: &str) -> Option<String> {
        self.guesses += 1;
        if self.guesses > GUESSES_MAX {
            return None;
        }
        let known = self.definition.steps.iter().map(|step| step.id.as_str());
        Some(match closest(name, known.filter(|known| !known.is_empty())) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "add it, or remove the name".to_owned(),
        })
    }

    fn report(
        &mut self,
        step: Option<usize>,
        field: &'static str,
        entry: Option<usize>,
        message: impl Into<String>,
        hint: &str,
    ) {
        let hint = Some(hint.to_owned());
        self.problems.push(Problem { step, field, entry, message: message.into(), hint });
    }
}

/// Why these are too many items, if they are.
pub fn oversize(items: &[serde_json::Value]) -> Option<String> {
    if items.len() > ITEMS_MAX {
        return Some(format!("{} items are more than the {ITEMS_MAX} that are allowed", items.len()));
    }
    let bytes: usize = items.iter().map(|item| item.to_string().len()).sum();
    (bytes > ITEMS_BYTES_MAX).then(|| format!("the items are larger than {ITEMS_BYTES_MAX} bytes"))
}

/// A step's name as a piece of a variable's name: upper case, everything else but letters and digits as `_`.
pub fn variable(step: &StepId) -> String {
    let fold = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    step.as_str().chars().map(fold).collect()
}

fn is_variable(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && name.len() <= 64
        && name.chars().all(word)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a relative path stays below where it starts, by its text alone.
pub fn is_inside(path: &str) -> bool {
    let mut depth = 0_i64;
    for piece in path.split('/') {
        match piece {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return false;
        }
    }
    !path.starts_with('/') && !path.contains(['\0', '\\'])
}

/// Text for a message: escaped, and not too long.
pub fn shown(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    let mut shown = String::with_capacity(cut.len());
    for character in cut.chars() {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
    }
    if cut.len() < text.len() {
        shown.push('…');
    }
    shown
}
