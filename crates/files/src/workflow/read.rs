//! From a document to a definition: every field, every problem, every line.

use piton_model::closest;
use piton_model::workflow::limits::PROBLEMS_MAX;
use piton_model::workflow::{
    Collection, Condition, Definition, Gate, Items, OnReject, Step, StepId, Work, shown, validate,
};

use super::json::json;
use crate::yaml::{
    self, Anchors, Budget, Entry, Kind, Node, Problem, Problems, Reader as YamlReader, Stop, Value, integer,
    kind,
};

/// Largest document.
pub(super) const DOCUMENT_BYTES_MAX: usize = 4 << 20;
/// What a document may become, aliases written out.
const BUDGET: Budget =
    Budget { values_max: 600_000, text_bytes_max: 2 * DOCUMENT_BYTES_MAX, anchors_max: 10_000 };

const TOP: [&str; 4] = ["name", "description", "steps", "max_parallel"];
const STEP: [&str; 18] = [
    "id",
    "agent",
    "prompt",
    "run",
    "workflow",
    "needs",
    "next_on_success",
    "gates",
    "loop_back_to",
    "human_in_the_loop",
    "on_reject",
    "metadata",
    "model",
    "loop",
    "when",
    "timeout",
    "max_attempts",
    "backoff",
];
const LOOP: [&str; 7] = [
    "items",
    "items_from_step",
    "items_from_artifact",
    "max_iterations",
    "until_condition",
    "item_var",
    "index_var",
];

/// Where things stand in a document.
#[derive(Debug, Default)]
pub struct Places {
    top: Vec<Field>,
    steps: Vec<(usize, Vec<Field>)>,
}

#[derive(Debug)]
struct Field {
    name: String,
    line: usize,
    entries: Vec<usize>,
}

impl Places {
    /// The line of a field, or of one of its entries; else of the step, else the first.
    pub fn line(&self, step: Option<usize>, field: &str, entry: Option<usize>) -> usize {
        let (line, fields) = match step.and_then(|step| self.steps.get(step)) {
            Some((line, fields)) => (*line, fields),
            None => (1, &self.top),
        };
        let Some(field) = fields.iter().find(|known| known.name == field) else { return line };
        entry.and_then(|entry| field.entries.get(entry).copied()).unwrap_or(field.line)
    }
}

/// The definition in these bytes, or everything that is wrong with it, by line.
pub fn read(file: &str, bytes: &[u8]) -> Result<(Definition, Places), Vec<Problem>> {
    match read_what_can_be(file, bytes) {
        (Some(read), problems) if problems.is_empty() => Ok(read),
        (_, problems) => Err(problems),
    }
}

/// The same, as far as it can be understood, beside what is wrong with it: what it names can be looked at, too.
pub(super) fn read_what_can_be(file: &str, bytes: &[u8]) -> (Option<(Definition, Places)>, Vec<Problem>) {
    let (root, problems) = root_of(bytes);
    let mut reader = Reader { problems, places: Places::default() };
    let definition = root.map(|root| reader.definition(&root));
    let Reader { mut problems, places } = reader;
    for found in definition.iter().flat_map(validate) {
        // Where the list could not be read at all, that it is empty says nothing.
        if found.step.is_some() || found.field != "steps" || problems.count() == 0 {
            let line = Some(places.line(found.step, found.field, found.entry));
            problems.push(Problem { line, hint: found.hint, ..Problem::new(found.message) });
        }
    }
    (definition.map(|definition| (definition, places)), of_file(file, problems))
}

/// The one value of a document.
fn root_of(bytes: &[u8]) -> (Option<Node<'_>>, Problems) {
    let mut problems = Problems::at_most(PROBLEMS_MAX);
    let text = match yaml::text(bytes, DOCUMENT_BYTES_MAX) {
        Ok(text) => text,
        Err(problem) => {
            let hint = problem.hint.or(Some("split it, and name the parts with `workflow:`".to_owned()));
            problems.push(Problem { hint, ..problem });
            return (None, problems);
        }
    };
    let mut reader = YamlReader::with_anchors(text, problems, Anchors::within(BUDGET));
    let mut read = || -> Result<Option<Node<'_>>, Stop> {
        let Some((event, span)) = reader.root()? else {
            reader.problems.hinted(1, "the file is empty", "write `name:` and `steps:`");
            return Ok(None);
        };
        let root = reader.node(event, span)?;
        reader.end()?;
        Ok(Some(root))
    };
    let root = read().unwrap_or(None);
    (root, reader.problems)
}

/// The problems of `file`, by line.
fn of_file(file: &str, problems: Problems) -> Vec<Problem> {
    let Problems { mut found, more, .. } = problems;
    found.sort_by_key(|problem| problem.line);
    if more > 0 {
        found.push(Problem::new(format!("and {more} more")));
    }
    found.iter_mut().for_each(|problem| problem.file = Some(file.to_owned()));
    found
}

struct Reader {
    problems: Problems,
    places: Places,
}

impl Reader {
    fn definition(&mut self, root: &Node<'_>) -> Definition {
        let Some(entries) = self.map(root, "a workflow") else { return Definition::default() };
        self.known(entries, &TOP, "a workflow");
        self.places.top = fields(entries, "");
        let mut definition = Definition { name: "unnamed".to_owned(), ..Definition::default() };
        for Entry { key, node, .. } in entries {
            match key.as_ref() {
                "name" => definition.name = self.text(node, "name").unwrap_or(definition.name),
                "description" => definition.description = self.text(node, "description").unwrap_or_default(),
                "max_parallel" => definition.max_parallel = self.number(node, "max_parallel"),
                "steps" => definition.steps = self.steps(node),
                _ => {}
            }
        }
        if !entries.iter().any(|entry| entry.key == "steps") {
            let hint = "add `steps:` with at least one step";
            self.problems.hinted(root.line, "a workflow needs `steps`", hint);
        }
        definition
    }

    fn steps(&mut self, node: &Node<'_>) -> Vec<Step> {
        let items = match &node.value {
            Value::List { items, .. } => items,
            other => {
                let message = format!("`steps` is {}, not a list", other.name());
                self.problems.hinted(node.line, message, "begin each step with `- id:`");
                return Vec::new();
            }
        };
        items.iter().map(|item| self.step(item)).collect()
    }

    fn step(&mut self, node: &Node<'_>) -> Step {
        let nothing = Step::new("", Work::Nothing {});
        let Some(entries) = self.map(node, "a step") else {
            self.places.steps.push((node.line, Vec::new()));
            return nothing;
        };
        self.known(entries, &STEP, "a step");
        let mut places = fields(entries, "");
        let mut step = nothing;
        for Entry { key, node, .. } in entries {
            match key.as_ref() {
                "id" => step.id = StepId::new(self.text(node, "id").unwrap_or_default()),
                "needs" => step.needs = self.names(node, "needs"),
                "next_on_success" => step.next_on_success = self.names(node, "next_on_success"),
                "gates" => {
                    let gates = self.texts(node, "gates").into_iter();
                    step.gates = gates.map(Gate::from).collect();
                }
                "loop_back_to" => step.loop_back_to = self.text(node, "loop_back_to").map(StepId::new),
                "human_in_the_loop" => step.human_in_the_loop = self.truth(node, "human_in_the_loop"),
                "on_reject" => step.on_reject = self.on_reject(node),
                "metadata" => step.metadata = self.metadata(node),
                "model" => step.model = self.text(node, "model"),
                "when" => step.when = self.condition(node, "when"),
                "timeout" => step.timeout_ms = self.duration(node, "timeout"),
                "max_attempts" => step.max_attempts = self.number(node, "max_attempts"),
                "backoff" => step.backoff_ms = self.duration(node, "backoff"),
                "loop" => {
                    step.collection = self.collection(node);
                    if let Value::Map { entries: inner, .. } = &node.value {
                        places.extend(fields(inner, "loop."));
                        places.extend(fields(inner, ""));
                    }
                }
                _ => {}
            }
        }
        let has_id = entries.iter().any(|entry| entry.key == "id");
        if !has_id {
            self.problems.hinted(node.line, "a step needs an `id`", "add `id: NAME`");
        }
        step.work = self.work(node, entries);
        self.places.steps.push((node.line, places));
        step
    }

    /// Exactly one of an agent with a prompt, a command, and another workflow.
    fn work(&mut self, node: &Node<'_>, entries: &[Entry<'_>]) -> Work {
        let find = |name: &str| entries.iter().find(|entry| entry.key == name);
        let kinds: Vec<&Entry<'_>> =
            ["prompt", "run", "workflow"].iter().filter_map(|name| find(name)).collect();
        if let [_, second, ..] = kinds[..] {
            let message = format!(
                "a step has one of `prompt`, `run` and `workflow`; this one also has `{}`",
                second.key
            );
            self.problems.hinted(second.line, message, "split it into two steps");
        }
        let agent = find("agent").and_then(|entry| self.text(&entry.node, "agent"));
        let Some(kind) = kinds.first() else {
            let missing = if find("agent").is_some() {
                "a step with an `agent` needs a `prompt`"
            } else {
                "a step needs something to do"
            };
            let hint = "add `agent` and `prompt`, or `run`, or `workflow`";
            self.problems.hinted(node.line, missing, hint);
            return Work::Nothing {};
        };
        let Some(text) = self.text(&kind.node, &kind.key) else { return Work::Nothing {} };
        match kind.key.as_ref() {
            "run" => Work::Run { command: text, agent },
            "workflow" => Work::Workflow { path: text },
            _ => {
                let has_agent = find("agent").is_some();
                if !has_agent {
                    self.problems.hinted(
                        node.line,
                        "a step with a `prompt` needs an `agent`",
                        "add `agent: NAME`".to_owned(),
                    );
                    return Work::Nothing {};
                }
                match agent {
                    Some(agent) => Work::Agent { agent, prompt: text },
                    None => Work::Nothing {},
                }
            }
        }
    }

    fn collection(&mut self, node: &Node<'_>) -> Option<Collection> {
        let entries = self.map(node, "`loop`")?;
        self.known(entries, &LOOP, "`loop`");
        let mut collection = Collection {
            item_var: "item".to_owned(),
            index_var: "index".to_owned(),
            ..Collection::default()
        };
        for Entry { key, node, .. } in entries {
            match key.as_ref() {
                "items" => match &node.value {
                    Value::List { items, .. } => {
                        let items = items.iter().map(|item| json(item, &mut self.problems)).collect();
                        collection.sources.push(Items::Given(items));
                    }
                    other => {
                        let message = format!("`items` is {}, not a list", other.name());
                        self.problems.hinted(node.line, message, "write `items: [a, b]`");
                    }
                },
                "items_from_step" => {
                    let name = self.text(node, "items_from_step");
                    collection.sources.extend(name.map(|name| Items::FromStep(StepId::new(name))));
                }
                "items_from_artifact" => {
                    let path = self.text(node, "items_from_artifact");
                    collection.sources.extend(path.map(Items::FromArtifact));
                }
                "max_iterations" => collection.max_iterations = self.number(node, "max_iterations"),
                "until_condition" => collection.until_condition = self.condition(node, "until_condition"),
                "item_var" => {
                    collection.item_var = self.text(node, "item_var").unwrap_or(collection.item_var)
                }
                "index_var" => {
                    collection.index_var = self.text(node, "index_var").unwrap_or(collection.index_var)
                }
                _ => {}
            }
        }
        Some(collection)
    }

    fn metadata(&mut self, node: &Node<'_>) -> serde_json::Map<String, serde_json::Value> {
        match json(node, &mut self.problems) {
            serde_json::Value::Object(map) => map,
            serde_json::Value::Null => serde_json::Map::new(),
            _ => {
                let message = format!("`metadata` is {}, not a mapping", node.value.name());
                self.problems.hinted(node.line, message, "write `metadata: {key: value}`");
                serde_json::Map::new()
            }
        }
    }

    fn on_reject(&mut self, node: &Node<'_>) -> Option<OnReject> {
        match self.text(node, "on_reject")?.as_str() {
            "fail" => Some(OnReject::Fail),
            "loop_back" => Some(OnReject::LoopBack),
            other => {
                let message = format!("`{}` is not known for `on_reject`", shown(other));
                self.problems.hinted(node.line, message, "use `fail` or `loop_back`");
                None
            }
        }
    }

    fn condition(&mut self, node: &Node<'_>, field: &str) -> Option<Condition> {
        let text = self.text(node, field)?;
        match Condition::parse(&text) {
            Ok(condition) => Some(condition),
            Err(error) => {
                let hint =
                    "for example `review.status == COMPLETED and tests.metrics.coverage >= 80`".to_owned();
                self.problems.hinted(node.line, format!("`{field}`: {error}"), hint);
                None
            }
        }
    }

    fn map<'n, 'a>(&mut self, node: &'n Node<'a>, what: &str) -> Option<&'n [Entry<'a>]> {
        match &node.value {
            Value::Map { entries, .. } => Some(entries),
            Value::Unreadable => None,
            other => {
                let hint = "write `name: value` lines";
                self.problems.hinted(node.line, format!("{what} is {}, not a mapping", other.name()), hint);
                None
            }
        }
    }

    fn known(&mut self, entries: &[Entry<'_>], known: &[&str], what: &str) {
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_ref())) {
            let hint = match closest(&entry.key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if known.contains(&"metadata") => "put what is yours under `metadata`".to_owned(),
                None => "remove it".to_owned(),
            };
            self.problems.hinted(entry.line, format!("{what} has no field `{}`", shown(&entry.key)), hint);
        }
    }

    /// Text. A word that is no text to other readers is a problem.
    fn text(&mut self, node: &Node<'_>, field: &str) -> Option<String> {
        match &node.value {
            Value::Unreadable => None,
            Value::Scalar(text, style) => match kind(text, *style) {
                Kind::Text | Kind::Number => Some(text.clone().into_owned()),
                Kind::Null => {
                    self.problems.hinted(node.line, format!("`{field}` is empty"), "say what it is");
                    None
                }
                Kind::Boolean(_) => {
                    let message = format!("`{field}: {text}` is true or false to many readers, not text");
                    self.problems.hinted(node.line, message, format!("write `\"{text}\"`"));
                    None
                }
            },
            other => {
                let message = format!("`{field}` is {}, not a single value", other.name());
                self.problems.hinted(node.line, message, format!("write `{field}: VALUE`"));
                None
            }
        }
    }

    fn texts(&mut self, node: &Node<'_>, field: &str) -> Vec<String> {
        match &node.value {
            // An entry that cannot be read keeps its place, so that lines fit.
            Value::List { items, .. } => {
                items.iter().map(|item| self.text(item, field).unwrap_or_default()).collect()
            }
            Value::Scalar(text, style) if kind(text, *style) == Kind::Null => Vec::new(),
            Value::Unreadable => Vec::new(),
            other => {
                let message = format!("`{field}` is {}, not a list", other.name());
                self.problems.hinted(node.line, message, format!("write `{field}: [NAME]`"));
                Vec::new()
            }
        }
    }

    fn names(&mut self, node: &Node<'_>, field: &str) -> Vec<StepId> {
        self.texts(node, field).into_iter().map(StepId::new).collect()
    }

    fn truth(&mut self, node: &Node<'_>, field: &str) -> bool {
        if let Value::Scalar(text, style) = &node.value
            && let Kind::Boolean(truth) = kind(text, *style)
        {
            return truth;
        }
        self.problems.hinted(
            node.line,
            format!("`{field}` is neither true nor false"),
            "use `true` or `false`".to_owned(),
        );
        false
    }

    fn number(&mut self, node: &Node<'_>, field: &str) -> Option<u32> {
        if let Value::Scalar(text, style) = &node.value
            && kind(text, *style) == Kind::Number
            && let Ok(number @ 0..) = integer(text)
        {
            // What does not fit is out of every range, and is reported as that.
            return Some(u32::try_from(number).unwrap_or(u32::MAX));
        }
        self.problems.hinted(
            node.line,
            format!("`{field}` is not a whole number"),
            format!("write `{field}: 3`"),
        );
        None
    }

    fn duration(&mut self, node: &Node<'_>, field: &str) -> Option<u64> {
        if let Value::Scalar(text, _) = &node.value
            && let Some(millis) = millis(text)
        {
            return Some(millis);
        }
        let hint = format!("write `{field}: 90s`, `30m` or `2h`");
        self.problems.hinted(node.line, format!("`{field}` is not a duration"), hint);
        None
    }
}

fn fields(entries: &[Entry<'_>], prefix: &str) -> Vec<Field> {
    let lines = |node: &Node<'_>| match &node.value {
        Value::List { items, .. } => items.iter().map(|item| item.line).collect(),
        _ => Vec::new(),
    };
    let field = |entry: &Entry<'_>| Field {
        name: format!("{prefix}{}", entry.key),
        line: entry.line,
        entries: lines(&entry.node),
    };
    entries.iter().map(field).collect()
}

/// `500ms`, `90s`, `30m`, `2h`, `1d`; a bare number is seconds.
fn millis(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let unit = match text[digits..].trim() {
        "ms" => 1,
        "s" | "" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok().map(|count| count.saturating_mul(unit))
}
