use calendar::{days_in_month, format_duration, parse_duration};

#[test]
fn reads_minutes() {
    assert_eq!(parse_duration("90m"), Ok(5400));
}

#[test]
fn reads_mixed_units() {
    assert_eq!(parse_duration("1h30m"), Ok(5400));
}

#[test]
fn reads_days() {
    assert_eq!(parse_duration("2d"), Ok(172800));
}

#[test]
fn rejects_garbage() -> Result<(), String> {
    for (text, message) in [
        ("", "empty duration"),
        ("5x", "unknown unit x"),
        ("7", "no unit after 7"),
    ] {
        assert_eq!(parse_duration(text), Err(message.to_owned()));
    }
    Ok(())
}

#[test]
fn formats_mixed_units() {
    assert_eq!(format_duration(93784), "1d2h3m4s");
}

#[test]
fn formats_zero() {
    assert_eq!(format_duration(0), "0s");
}

#[test]
fn round_trip() {
    for text in ["5s", "1m", "2h10s", "3d4h"] {
        let seconds = parse_duration(text).unwrap();
        assert_eq!(format_duration(seconds), text);
    }
}

#[test]
fn june_is_short() {
    assert_eq!(days_in_month(2024, 6), 30);
}
