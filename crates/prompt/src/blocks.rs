//! Blocks: which end belongs to which beginning.

use std::ops::Range;

use crate::BLOCK_DEPTH_MAX;
use crate::error::{Problem, What};
use crate::scan::{Piece, PieceKind};
use crate::tag::{Expression, Path, Tag};

/// A part of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// Where it stands, its end included: what is left where it is not understood.
    pub(crate) span: Range<usize>,
    /// Its first line.
    pub(crate) line: usize,
    pub(crate) kind: NodeKind,
}

/// What a part of a file is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NodeKind {
    /// Text, as it is.
    Text,
    /// Braces that are meant.
    Escape(&'static str),
    Value(Expression),
    /// Another file, by its path as it is written.
    Include(String),
    /// One of two halves.
    If {
        /// The variable that decides.
        subject: Path,
        /// Where it is true.
        then: Vec<Node>,
        /// Where it is not.
        otherwise: Vec<Node>,
    },
    /// Once per item.
    Each {
        list: Path,
        /// What an item is called.
        item: String,
        /// What is there for each.
        body: Vec<Node>,
    },
}

/// A block whose end is still to come.
struct Open {
    piece: Piece,
    tag: Opening,
    children: Vec<Node>,
    /// The tag between the halves, and what came before it.
    first_half: Option<(Piece, Vec<Node>)>,
}

enum Opening {
    If(Path),
    Each(Path, String),
}

/// The parts of `text`, made of its pieces. A block that does not match is text.
pub(crate) fn build(
    file: &str,
    text: &str,
    pieces: Vec<Piece>,
    warnings: &mut Vec<Problem>,
) -> Result<Vec<Node>, Problem> {
    let mut builder = Builder { file, text, top: Vec::new(), open: Vec::new(), warnings };
    for piece in pieces {
        builder.take(piece)?;
    }
    while let Some(open) = builder.open.pop() {
        builder.give_up(open);
    }
    Ok(builder.top)
}

struct Builder<'a> {
    file: &'a str,
    text: &'a str,
    top: Vec<Node>,
    open: Vec<Open>,
    warnings: &'a mut Vec<Problem>,
}

impl Builder<'_> {
    fn take(&mut self, piece: Piece) -> Result<(), Problem> {
        let kind = match &piece.kind {
            PieceKind::Text => NodeKind::Text,
            PieceKind::Escape(braces) => NodeKind::Escape(braces),
            PieceKind::Tag(Tag::Value(expression)) => NodeKind::Value(expression.clone()),
            PieceKind::Tag(Tag::Include(path)) => NodeKind::Include(path.clone()),
            PieceKind::Tag(Tag::If(subject)) => return self.begin(Opening::If(subject.clone()), piece),
            PieceKind::Tag(Tag::Each(list, item)) => {
                return self.begin(Opening::Each(list.clone(), item.clone()), piece);
            }
            PieceKind::Tag(Tag::Else) => {
                self.turn(piece);
                return Ok(());
            }
            PieceKind::Tag(Tag::EndIf | Tag::EndEach) => {
                self.end(piece);
                return Ok(());
            }
        };
        self.push(Node { span: piece.span, line: piece.line, kind });
        Ok(())
    }

    fn begin(&mut self, tag: Opening, piece: Piece) -> Result<(), Problem> {
        if self.open.len() == BLOCK_DEPTH_MAX {
            return Err(Problem::new(self.file, piece.line, What::BlocksTooDeep { max: BLOCK_DEPTH_MAX }));
        }
        self.open.push(Open { piece, tag, children: Vec::new(), first_half: None });
        Ok(())
    }

    /// The other half of an `#if` begins.
    fn turn(&mut self, piece: Piece) {
        match self.open.last_mut() {
            Some(Open { tag: Opening::If(_), children, first_half: half @ None, .. }) => {
                *half = Some((piece, std::mem::take(children)));
            }
            _ => self.stray(piece),
        }
    }

    fn end(&mut self, piece: Piece) {
        let is_if = piece.kind == PieceKind::Tag(Tag::EndIf);
        let Some(open) = self.open.pop_if(|open| matches!(open.tag, Opening::If(_)) == is_if) else {
            return self.stray(piece);
        };
        let kind = match open.tag {
            Opening::If(subject) => {
                let (then, otherwise) = match open.first_half {
                    Some((_, then)) => (then, open.children),
                    None => (open.children, Vec::new()),
                };
                NodeKind::If { subject, then, otherwise }
            }
            Opening::Each(list, item) => NodeKind::Each { list, item, body: open.children },
        };
        self.push(Node { span: open.piece.span.start..piece.span.end, line: open.piece.line, kind });
    }

    fn stray(&mut self, piece: Piece) {
        let tag = self.tag_of(&piece);
        self.warnings.push(Problem::new(self.file, piece.line, What::Stray { tag }));
        self.push(text(piece));
    }

    /// A block without an end: its tags are text, and what is between them stays.
    fn give_up(&mut self, open: Open) {
        let tag = self.tag_of(&open.piece);
        self.warnings.push(Problem::new(self.file, open.piece.line, What::UnclosedBlock { tag }));
        self.push(text(open.piece));
        if let Some((piece, children)) = open.first_half {
            children.into_iter().for_each(|node| self.push(node));
            self.push(text(piece));
        }
        open.children.into_iter().for_each(|node| self.push(node));
    }

    fn tag_of(&self, piece: &Piece) -> String {
        self.text[piece.span.clone()].trim().trim_matches(['{', '}']).trim().to_owned()
    }

    fn push(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.top.push(node),
        }
    }
}

fn text(piece: Piece) -> Node {
    Node { span: piece.span, line: piece.line, kind: NodeKind::Text }
}
