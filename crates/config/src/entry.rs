//! A setting is one entry: its key, what it takes, its default, the layers and kinds of run it is for, and a line of
//! words. Reader, layers, `piton config show`, the JSON Schema and the page of the docs all follow from it.
//!
//! The entries are in `settings/`, one file per part of the configuration; [`section!`] makes them. What a value may be
//! is a [`Type`], in `types.rs`. A part in which people give names to things (checks, agents, hooks) has an entry whose
//! key is [`NAMED`], written by hand.

use piton_model::Kind;
use piton_model::loop_machine::LoopConfig;
use serde::Serialize;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeValue;

use crate::problem::Problem;
use crate::read::{Pair, Reader};
use crate::settings::{Settings, Sourced};
use crate::show::ShownValue;

/// The key of an entry that stands for every name which people choose.
pub const NAMED: &str = "NAME";

/// A part of the configuration, such as `[loop]`.
pub struct Section {
    /// Its name, such as `mode.windows`.
    pub path: &'static str,
    /// What it is about, on one line.
    pub about: &'static str,
    /// Its settings, in the order in which they are shown.
    pub entries: &'static [Entry],
    /// Notes that a file has it, even where it says nothing in it.
    pub(crate) there: fn(&mut Settings),
}

/// One setting.
pub struct Entry {
    pub section: &'static str,
    /// Its name there.
    pub key: &'static str,
    /// What it does, on one line.
    pub words: &'static str,
    /// The kinds of run it is meant for.
    pub kinds: &'static [Kind],
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The flag that sets it for one run.
    pub flag: Option<&'static str>,
    /// What holds where nobody says anything, where that is no value.
    pub otherwise: &'static str,
    /// What a thing with a name may say, each with what it takes and a line of words.
    pub inner: &'static [Inner],
    /// `piton config show` has it even where nobody said it.
    pub(crate) shown: bool,
    pub(crate) takes: fn() -> Takes,
    pub(crate) read: fn(&mut Reader<'_>, &mut Settings, Pair<'_, '_>),
    pub(crate) parse: fn(&mut Settings, Sourced<String>) -> Result<(), Problem>,
    pub(crate) overlay: fn(&mut Settings, &mut Settings),
    pub(crate) show: fn(&Settings) -> Vec<ShownValue>,
    pub(crate) built_in: fn(&mut Settings, &LoopConfig),
    pub(crate) default: fn(&LoopConfig) -> Option<Value>,
    pub(crate) configure: fn(&Settings, &mut LoopConfig),
}

/// A key of a thing with a name, such as `timeout` of a check.
pub struct Inner {
    pub key: &'static str,
    /// What it takes, in words.
    pub takes: &'static str,
    /// What it does, on one line.
    pub words: &'static str,
}

pub(crate) const fn inner(key: &'static str, takes: &'static str, words: &'static str) -> Inner {
    Inner { key, takes, words }
}

/// What a setting takes.
pub struct Takes {
    pub words: String,
    /// As JSON Schema.
    pub schema: Value,
}

impl Entry {
    /// What an entry is where its definition says nothing.
    pub(crate) const BASE: Entry = Entry {
        section: "",
        key: NAMED,
        words: "",
        kinds: &[],
        variable: None,
        flag: None,
        otherwise: "",
        inner: &[],
        shown: false,
        takes: || Takes { words: String::new(), schema: Value::Null },
        read: |_, _, _| {},
        parse: |_, text| Err(Problem::new(text.place, "this is said in a file only")),
        overlay: |_, _| {},
        show: |_| Vec::new(),
        built_in: |_, _| {},
        default: |_| None,
        configure: |_, _| {},
    };

    /// Its name with that of its section, such as `loop.max_iterations`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }
}

/// What the value of a setting may be: how it is read, shown and described.
pub trait Type {
    /// What it is once it is read.
    type Value: Clone + Serialize;

    /// The value in a file; otherwise a problem is noted.
    fn read(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Self::Value>;

    /// The value as a text of the environment or the command line; otherwise what is wrong, and a hint.
    fn parse(_text: &str) -> Result<Self::Value, (String, Option<String>)> {
        Err(("this is said in a file only".to_owned(), None))
    }

    /// The value as a file would say it.
    fn shown(value: &Self::Value) -> Value {
        json!(value)
    }

    fn takes() -> Takes;
}

/// The value that `text` stands for, with its source; or the problem.
pub(crate) fn parsed<T: Type>(text: Sourced<String>) -> Result<Sourced<T::Value>, Problem> {
    match T::parse(&text.value) {
        Ok(value) => Ok(text.map(|_| value)),
        Err((why, hint)) => {
            let problem = Problem::new(text.place, why);
            Err(hint.into_iter().fold(problem, Problem::hint))
        }
    }
}

/// A section whose settings each have one value: its struct, and an entry for each of its fields.
///
/// ```text
/// /// What the section is about.
/// member_of_settings: StructName = "section" {
///     /// What the setting does.
///     key: Type = built_in_value, [Loop Workflow] => place.in.loop_config { variable: Some("PITON_X") };
/// }
/// ```
/// The built-in value, the place and the braces may be missing. A setting with a place has its default from there.
macro_rules! section {
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (
        $(#[doc = $about:literal])+
        $member:ident: $section:ident = $path:literal {
            $(
                $(#[doc = $words:literal])+
                $field:ident $(as $key:literal)?: $type:ty $(= $default:expr)?, [$($kind:ident)*]
                $(=> $($place:ident).+)? $({ $($option:ident: $value:expr),+ $(,)? })?;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $section {
            /// The section is there.
            pub is_there: bool,
            $(
                $(#[doc = $words])+
                pub $field: Option<$crate::settings::Sourced<<$type as $crate::entry::Type>::Value>>,
            )*
        }

        impl $section {
            pub(crate) const SECTION: $crate::entry::Section = $crate::entry::Section {
                path: $path,
                about: concat!($($about),+),
                there: |settings| settings.$member.is_there = true,
                entries: &[$(
                    $crate::entry::Entry {
                        section: $path,
                        key: section!(@key $field $($key)?),
                        words: concat!($($words),+),
                        kinds: &[$(piton_model::Kind::$kind),*],
                        takes: <$type as $crate::entry::Type>::takes,
                        read: |reader, settings, (name, _, value)| {
                            if let Some(read) = <$type as $crate::entry::Type>::read(reader, name, value) {
                                settings.$member.$field = Some(reader.sourced(read, value.span().start));
                            }
                        },
                        parse: |settings, text| {
                            settings.$member.$field = Some($crate::entry::parsed::<$type>(text)?);
                            Ok(())
                        },
                        overlay: |lower, upper| {
                            if let Some(said) = upper.$member.$field.take() {
                                lower.$member.$field = Some(said);
                            }
                        },
                        show: |settings| {
                            let said = settings.$member.$field.iter();
                            let key = section!(@key $field $($key)?);
                            said.map(|said| {
                                $crate::show::value($path, key, said, <$type as $crate::entry::Type>::shown)
                            })
                            .collect()
                        },
                        $(built_in: |settings, _| {
                            settings.$member.$field = Some($crate::settings::Sourced::built_in($default));
                        },)?
                        $(
                            built_in: |settings, config| {
                                let value: Option<<$type as $crate::entry::Type>::Value> =
                                    config.$($place).+.clone().into();
                                settings.$member.$field = value.map($crate::settings::Sourced::built_in);
                            },
                            default: |config| {
                                let value: Option<<$type as $crate::entry::Type>::Value> =
                                    config.$($place).+.clone().into();
                                value.as_ref().map(<$type as $crate::entry::Type>::shown)
                            },
                            configure: |settings, config| {
                                if let Some(said) = &settings.$member.$field {
                                    config.$($place).+ = said.value.clone().into();
                                }
                            },
                        )?
                        $($($option: $value,)+)?
                        ..$crate::entry::Entry::BASE
                    },
                )*],
            };
        }
    };
}

pub(crate) use section;
