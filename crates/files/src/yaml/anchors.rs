//! Aliases, written out. The budget is checked before anything is copied, so that no text can grow into more than it.

use std::collections::HashMap;

use super::node::Node;

/// How much one document may become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Most values.
    pub(crate) values_max: usize,
    /// Most text: an alias of one long word is a bomb as well.
    pub(crate) text_bytes_max: usize,
    /// Most anchors: what each marks is kept.
    pub(crate) anchors_max: usize,
}

/// What aliases stand for, and how much was read, aliases written out.
#[derive(Debug)]
pub(crate) struct Anchors<'a> {
    budget: Budget,
    known: HashMap<usize, (Node<'a>, Size)>,
    size: Size,
    /// How many values the anchors keep: one inside of the other keeps them again.
    kept: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    values: usize,
    text_bytes: usize,
}

/// The budget does not allow for it: what is wrong, and what to do.
pub(super) struct TooMuch(pub(super) String, pub(super) &'static str);

impl<'a> Anchors<'a> {
    pub(crate) fn within(budget: Budget) -> Self {
        Self { budget, known: HashMap::new(), size: Size::default(), kept: 0 }
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// One more value with so much text.
    pub(super) fn count(&mut self, text_bytes: usize) -> Result<(), TooMuch> {
        self.grow(Size { values: 1, text_bytes })
    }

    fn grow(&mut self, more: Size) -> Result<(), TooMuch> {
        self.size.values += more.values;
        self.size.text_bytes += more.text_bytes;
        let Budget { values_max, text_bytes_max, .. } = self.budget;
        let too_much = if self.size.values > values_max {
            format!("more than {values_max} values, with every alias written out")
        } else if self.size.text_bytes > text_bytes_max {
            format!("more than {} MiB of text, with every alias written out", text_bytes_max >> 20)
        } else {
            return Ok(());
        };
        Err(TooMuch(too_much, "write less, or use fewer aliases"))
    }

    /// Keeps what the anchor marks, which began when so much had been read.
    pub(super) fn keep(&mut self, id: usize, node: &Node<'a>, before: Size) -> Result<(), TooMuch> {
        let size = Size {
            values: self.size.values - before.values,
            text_bytes: self.size.text_bytes - before.text_bytes,
        };
        self.kept += size.values;
        let Budget { values_max, anchors_max, .. } = self.budget;
        if self.known.len() >= anchors_max || self.kept > values_max {
            let too_much = format!("more than {anchors_max} anchors, or {values_max} values under them");
            return Err(TooMuch(too_much, "write less of them"));
        }
        self.known.insert(id, (node.clone(), size));
        Ok(())
    }

    /// What the anchor marks; `None` while that is still being read.
    pub(super) fn copy(&mut self, id: usize) -> Result<Option<Node<'a>>, TooMuch> {
        let Some(size) = self.known.get(&id).map(|(_, size)| *size) else { return Ok(None) };
        self.grow(size)?;
        Ok(self.known.get(&id).map(|(node, _)| node.clone()))
    }
}
