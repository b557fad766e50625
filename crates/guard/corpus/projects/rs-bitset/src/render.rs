use crate::bits::BitSet;

/// Zeros and ones, the lowest first.
pub fn pattern(set: BitSet, width: u32) -> String {
    (0..width).map(|number| if set.contains(number) { '1' } else { '0' }).collect()
}

/// Members between braces.
pub fn braces(set: BitSet) -> String {
    let members: Vec<String> = set.iter().map(|number| number.to_string()).collect();
    format!("{{{}}}", members.join(", "))
}

/// A word as hexadecimal digits.
pub fn hex(word: u64) -> String {
    format!("{word:#06x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_of(numbers: &[u32]) -> BitSet {
        let mut set = BitSet::new();
        for number in numbers {
            set.insert(*number).unwrap();
        }
        set
    }

    #[test]
    fn pattern_is_low_first() {
        assert_eq!(pattern(set_of(&[0, 2]), 4), "1010");
    }

    #[test]
    fn empty_pattern() {
        assert_eq!(pattern(BitSet::new(), 0), "");
        assert_eq!(pattern(BitSet::new(), 2), "00");
    }

    #[test]
    fn members_in_braces() {
        let set = set_of(&[3, 1]);
        assert_eq!(braces(set), "{1, 3}");
        assert_eq!(braces(BitSet::new()), "{}");
    }

    #[test]
    fn hex_digits() {
        assert_eq!(hex(255), "0x00ff");
        assert_eq!(hex(4096), "0x1000");
    }
}
