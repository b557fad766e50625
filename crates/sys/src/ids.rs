//! Randomness for names that must not collide.

use std::fmt::Write as _;

/// Where names come from; tests and the simulator bring their own.
pub trait Ids: Send + Sync {
    /// Sixteen bytes nobody else will draw.
    fn bytes(&self) -> [u8; 16];

    /// `digits` lowercase hexadecimal digits.
    fn hex(&self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 32);
        while text.len() < digits {
            for byte in self.bytes() {
                write!(text, "{byte:02x}").expect("writing to a string cannot fail");
            }
        }
        text.truncate(digits);
        text
    }
}

/// The kernel's generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the kernel's random source works");
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_has_as_many_digits_as_asked() {
        for digits in [0, 1, 8, 32, 33, 100] {
            let text = SystemIds.hex(digits);
            assert_eq!(text.len(), digits);
            assert!(text.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()));
        }
    }

    #[test]
    fn two_draws_differ() {
        assert_ne!(SystemIds.bytes(), SystemIds.bytes());
    }
}
