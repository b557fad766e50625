use std::time::Instant;

use bitset::bits::{density, parity, BitSet, SetError, CAPACITY};

fn assert_close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
}

#[allow(dead_code)]
fn unused_numbers() -> Vec<u32> {
    vec![1, 2, 3]
}

#[test]
fn insert_says_whether_it_is_new() {
    let mut set = BitSet::new();
    assert_eq!(set.insert(5), Ok(true));
    assert_eq!(set.insert(5), Ok(false));
    assert_eq!(set.len(), 1);
}

#[test]
fn too_large() {
    let mut set = BitSet::new();
    assert_eq!(set.insert(64), Err(SetError::TooLarge(64)));
    assert!(set.is_empty());
}

#[test]
fn smallest_member() {
    let mut set = BitSet::new();
    set.insert(9).unwrap();
    set.insert(4).unwrap();
    assert_eq!(set.smallest(), Ok(4));
}

#[test]
fn smallest_of_nothing() {
    assert_eq!(BitSet::new().smallest(), Err(SetError::Empty));
}

#[test]
fn union_has_both() {
    let mut left = BitSet::new();
    left.insert(1).unwrap();
    let mut right = BitSet::new();
    right.insert(2).unwrap();
    let both: Vec<u32> = left.union(right).iter().collect();
    assert_eq!(both, vec![1, 2]);
}

#[test]
fn parities() {
    assert_eq!(parity(0), 0);
    assert_eq!(parity(7), 1);
    assert_eq!(parity(3), 0);
}

#[test]
fn densities() {
    assert_close(density(16, 64), 0.25);
    assert_close(density(1, 0), 0.0);
}

#[test]
fn capacity_is_a_word() {
    assert_eq!(CAPACITY, 64);
}

#[test]
fn inserting_is_fast() {
    let started = Instant::now();
    let mut set = BitSet::new();
    for number in 0..100_000 {
        set.insert(number % 64).unwrap();
    }
    let elapsed = started.elapsed().as_millis();
    assert!(elapsed < 500);
}

#[test]
#[ignore = "takes an hour"]
fn every_word() {
    assert_eq!(parity(u64::MAX), 0);
}
