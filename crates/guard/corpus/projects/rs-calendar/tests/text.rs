use calendar::{days_in_month, ordinal, pluralize};

#[test]
fn first() {
    assert_eq!(ordinal(1), "1st");
}

#[test]
fn teens() {
    assert_eq!(ordinal(12), "12th");
    assert_eq!(ordinal(113), "113th");
}

#[test]
fn twenty_second() {
    assert_eq!(ordinal(22), "22nd");
}

#[test]
fn one_day() {
    assert_eq!(pluralize(1, "day"), "1 day");
}

#[test]
fn many_days() {
    assert_eq!(pluralize(3, "day"), "3 days");
}

#[test]
fn short_month() {
    assert_eq!(days_in_month(2024, 4), 30);
}
