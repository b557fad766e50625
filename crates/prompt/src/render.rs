//! A prompt with its facts filled in.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::blocks::{Node, NodeKind};
use crate::error::{Problem, Problems, What};
use crate::evaluate::{BYTES_PER_STEP, Item, Names, is_true, show};
use crate::facts::Facts;
use crate::load::{File, Loaded};
use crate::tag::Path;
use crate::{Mode, PROMPT_BYTES_MAX, STEPS_MAX, WARNINGS_MAX};

/// A prompt that is ready.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// What the agent gets.
    pub text: String,
    /// The digest of the files that went in: [`Loaded::digest`].
    pub digest: String,
    /// What was not understood and stayed as it is; the first few.
    pub warnings: Vec<Problem>,
}

impl Loaded {
    /// The text of this prompt, with `facts` filled in.
    ///
    /// One pass: what a fact says is text and never a tag.
    pub fn render(&self, facts: &Facts, mode: Mode) -> Result<Rendered, Problems> {
        let builtins: Map<String, Value> = facts.builtins();
        let names = Names::new(facts, &builtins, &self.header);
        let main = &self.files[0];
        let mut renderer = Renderer {
            loaded: self,
            names,
            text: String::new(),
            warnings: self.warnings.iter().take(WARNINGS_MAX).cloned().collect(),
            steps: 0,
        };
        renderer.nodes(main, &main.nodes)?;
        renderer.look_for_required();
        let Renderer { text, warnings, .. } = renderer;
        if text.trim().is_empty() {
            return Err(Problem::new(&main.path, 1, What::Empty).into());
        }
        if !warnings.is_empty() && (mode == Mode::Strict || self.header.strict) {
            return Err(Problems::of(warnings));
        }
        Ok(Rendered { text, digest: self.digest.clone(), warnings })
    }
}

struct Renderer<'a> {
    loaded: &'a Loaded,
    names: Names<'a>,
    text: String,
    warnings: Vec<Problem>,
    steps: usize,
}

impl<'a> Renderer<'a> {
    fn nodes(&mut self, file: &'a File, nodes: &'a [Node]) -> Result<(), Problem> {
        for node in nodes {
            self.node(file, node)?;
        }
        Ok(())
    }

    fn node(&mut self, file: &'a File, node: &'a Node) -> Result<(), Problem> {
        self.step(file, node, 1)?;
        match self.known(file, node) {
            Ok(rendered) => rendered,
            Err(what) => {
                self.warn(Problem::new(&file.path, node.line, what));
                self.push(file, node, &file.body[node.span.clone()])
            }
        }
    }

    /// What `node` becomes; outside, why it stays as it is.
    fn known(&mut self, file: &'a File, node: &'a Node) -> Result<Result<(), Problem>, What> {
        match &node.kind {
            NodeKind::Text => Ok(self.push(file, node, &file.body[node.span.clone()])),
            NodeKind::Escape(braces) => Ok(self.push(file, node, braces)),
            NodeKind::Include(path) => {
                let included = &self.loaded.files[file.includes[path]];
                Ok(self.nodes(included, &included.nodes))
            }
            NodeKind::Value(expression) => {
                let text = show(self.names.evaluate(expression)?.as_ref());
                let work = text.len() / BYTES_PER_STEP + self.names.work.take();
                Ok(self.step(file, node, work).and_then(|()| self.push(file, node, &text)))
            }
            NodeKind::If { subject, then, otherwise } => {
                let half = if is_true(self.find(subject)?.as_ref()) { then } else { otherwise };
                Ok(self.nodes(file, half))
            }
            NodeKind::Each { list, item, body } => {
                let items = self.list(list)?;
                Ok(self.each(file, node, items, (item, body)))
            }
        }
    }

    fn each(
        &mut self,
        file: &'a File,
        node: &'a Node,
        items: &'a [Value],
        (name, body): (&'a str, &'a [Node]),
    ) -> Result<(), Problem> {
        for (index, value) in items.iter().enumerate() {
            // Also where there is nothing to do per item.
            self.step(file, node, 1)?;
            self.names.items.push(Item { name, value, index, last: index + 1 == items.len() });
            let rendered = self.nodes(file, body);
            self.names.items.pop();
            rendered?;
        }
        Ok(())
    }

    fn find(&self, path: &Path) -> Result<Cow<'a, Value>, What> {
        self.names.find(path).ok_or_else(|| self.names.unknown(path))
    }

    fn list(&self, path: &Path) -> Result<&'a [Value], What> {
        match self.find(path)? {
            Cow::Borrowed(Value::Array(items)) => Ok(items),
            Cow::Borrowed(Value::Null) => Ok(&[]),
            _ => Err(What::NoList { name: path.name() }),
        }
    }

    /// Variables that the header requires.
    fn look_for_required(&mut self) {
        let loaded = self.loaded;
        for name in &loaded.header.required_vars {
            let path = Path(name.split('.').map(str::to_owned).collect());
            let has_value = self.names.find(&path).is_some_and(|value| !value.is_null() && *value != "");
            if !has_value {
                self.warn_header(What::RequiredMissing { name: name.clone() });
            }
            if !loaded.mentions(name) {
                self.warn_header(What::RequiredUnused { name: name.clone() });
            }
        }
    }

    fn warn_header(&mut self, what: What) {
        let file = self.loaded.files[0].path.clone();
        self.warn(Problem::new(&file, 1, what));
    }

    fn warn(&mut self, problem: Problem) {
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.contains(&problem) {
            self.warnings.push(problem);
        }
    }

    fn push(&mut self, file: &File, node: &Node, text: &str) -> Result<(), Problem> {
        if self.text.len() + text.len() > PROMPT_BYTES_MAX {
            let what = What::TooLarge { subject: "the text of the prompt", max: PROMPT_BYTES_MAX };
            return Err(Problem::new(&file.path, node.line, what));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn step(&mut self, file: &File, node: &Node, steps: usize) -> Result<(), Problem> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS_MAX {
            return Err(Problem::new(&file.path, node.line, What::TooMuchWork));
        }
        Ok(())
    }
}
