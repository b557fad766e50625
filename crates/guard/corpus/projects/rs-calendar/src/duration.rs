/// Reads "1h30m" as 5400.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Err("empty duration".to_owned());
    }
    let mut total = 0;
    let mut count = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            count.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86400,
            _ => return Err(format!("unknown unit {c}")),
        };
        total += count
            .parse::<u64>()
            .map_err(|_| format!("no count before {c}"))?
            * unit;
        count.clear();
    }
    if !count.is_empty() {
        return Err(format!("no unit after {count}"));
    }
    Ok(total)
}

pub fn format_duration(mut seconds: u64) -> String {
    let mut text = String::new();
    for (unit, size) in [('d', 86400), ('h', 3600), ('m', 60), ('s', 1)] {
        if seconds >= size {
            text.push_str(&format!("{}{unit}", seconds / size));
            seconds %= size;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}
