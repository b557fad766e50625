use bitset::bits::{parity, BitSet};
use bitset::ranges::parse_ranges;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn union_is_symmetric(left in 0u32..64, right in 0u32..64) {
        let mut a = BitSet::new();
        a.insert(left).unwrap();
        let mut b = BitSet::new();
        b.insert(right).unwrap();
        prop_assert_eq!(a.union(b), b.union(a));
    }

    #[test]
    fn single_numbers_are_read(number in 0u32..64) {
        let set = parse_ranges(&number.to_string()).unwrap();
        prop_assert!(set.contains(number));
        prop_assert_eq!(set.len(), 1);
    }

    #[test]
    fn parity_is_a_bit(word in any::<u64>()) {
        prop_assert!(parity(word) <= 1);
    }
}
