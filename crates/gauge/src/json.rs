//! JSON arrays that are folded while they are read, so that their elements need not be kept.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// Takes elements one by one.
pub(crate) trait Absorb<T>: Default {
    fn absorb(&mut self, element: T);
}

/// What is left of an array of `T`.
pub(crate) struct Folded<T, A> {
    pub(crate) value: A,
    element: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, A: Absorb<T>> Deserialize<'de> for Folded<T, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Fold(PhantomData))
    }
}

struct Fold<T, A>(PhantomData<(T, A)>);

impl<'de, T: Deserialize<'de>, A: Absorb<T>> Visitor<'de> for Fold<T, A> {
    type Value = Folded<T, A>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut elements: S) -> Result<Self::Value, S::Error> {
        let mut value = A::default();
        while let Some(element) = elements.next_element::<T>()? {
            value.absorb(element);
        }
        Ok(Folded { value, element: PhantomData })
    }
}
