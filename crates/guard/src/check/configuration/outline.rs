//! An outline of a YAML file: keys, their values and what is indented below them.
//!
//! Enough to know which step a command is part of. Anchors, tags and flow collections are read as text.

/// A key or an item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Empty for an item of a list.
    pub(super) key: String,
    /// On the same line, or the text of a block (`key: |`), without quotes.
    pub(super) value: String,
    /// Where the value begins, from 1.
    pub(super) value_line: u32,
    pub(super) children: Vec<Node>,
}

/// The nodes at the outermost level.
pub(super) fn outline(text: &str) -> Vec<Node> {
    let lines: Vec<&str> = text.lines().collect();
    // Nodes that are open, with how far each is indented.
    let mut open: Vec<(isize, Node)> = vec![(-1, Node::default())];
    let mut at = 0;
    while at < lines.len() {
        let (line, number) = (lines[at], at as u32 + 1);
        at += 1;
        let content = line.trim_start();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let (mut indent, mut content) = (line.len() - content.len(), content);
        // A list may stand right below its key, no further in.
        let is_item = content.starts_with("- ");
        close(&mut open, indent as isize, is_item);
        // `- key: value` is an item with a key in it.
        while let Some(rest) = content.strip_prefix("- ") {
            open.push((indent as isize, Node { value_line: number, ..Node::default() }));
            indent += content.len() - rest.trim_start().len();
            content = rest.trim_start();
        }
        let (key, value) = pair(content);
        let (mut value, mut value_line) = (value.to_owned(), number);
        if matches!(value.trim_end(), "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            let folded = value.starts_with('>');
            let (block, taken) = block(&lines[at..], indent);
            value = if folded { block.replace('\n', " ") } else { block };
            value_line = number + 1;
            at += taken;
        }
        match key {
            Some(key) => {
                let node =
                    Node { key: key.to_owned(), value: plain(&value), value_line, children: Vec::new() };
                open.push((indent as isize, node));
            }
            None => {
                // The value of the item that was just opened, or more of the value above.
                if let Some((_, node)) = open.last_mut() {
                    if !node.value.is_empty() {
                        node.value.push(' ');
                    }
                    node.value.push_str(&plain(&value));
                }
            }
        }
    }
    close(&mut open, -1, false);
    let (_, root) = open.pop().unwrap_or_default();
    root.children
}

/// Puts every node that is indented at least so far into the one around it.
fn close(open: &mut Vec<(isize, Node)>, indent: isize, is_item: bool) {
    let is_done = |(depth, node): &(isize, Node)| {
        *depth > indent || *depth == indent && (node.key.is_empty() || !is_item)
    };
    while open.len() > 1 && open.last().is_some_and(is_done) {
        let Some((_, node)) = open.pop() else { return };
        if let Some((_, outer)) = open.last_mut() {
            outer.children.push(node);
        }
    }
}

/// `key: value`, where the key is one word or quoted.
fn pair(content: &str) -> (Option<&str>, &str) {
    let is_key = |key: &str| {
        let key = key.trim_matches(['"', '\'']);
        !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '$'))
    };
    if let Some((key, value)) = content.split_once(": ").filter(|(key, _)| is_key(key)) {
        return (Some(key.trim_matches(['"', '\''])), value.trim());
    }
    match content.trim_end().strip_suffix(':').filter(|key| is_key(key)) {
        Some(key) => (Some(key.trim_matches(['"', '\''])), ""),
        None => (None, content.trim()),
    }
}

/// The lines of a block that is indented further than its key, and how many they are.
fn block(lines: &[&str], indent: usize) -> (String, usize) {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let taken = lines.iter().take_while(|line| line.trim().is_empty() || depth(line) > indent).count();
    let inside = &lines[..taken];
    let margin =
        inside.iter().filter(|line| !line.trim().is_empty()).map(|line| depth(line)).min().unwrap_or(0);
    let text: Vec<&str> = inside.iter().map(|line| line.get(margin..).unwrap_or_default()).collect();
    (text.join("\n").trim_end().to_owned(), taken)
}

/// Without the quotes around it, or the comment behind it.
fn plain(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.rsplit_once(quote)) {
            return if quote == '"' { inside.replace("\\\"", "\"") } else { inside.replace("''", "'") };
        }
    }
    match value.contains('\n') {
        true => value.to_owned(),
        false => value.split(" #").next().unwrap_or(value).trim_end().to_owned(),
    }
}
