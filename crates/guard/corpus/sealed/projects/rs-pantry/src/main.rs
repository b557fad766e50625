use pantry::{parse_stock, report, Day};
use std::process::ExitCode;

fn run(args: &[String]) -> Result<bool, String> {
    let [command, file, day] = args else {
        return Err("usage: pantry list FILE DAY".to_string());
    };
    if command != "list" {
        return Err(format!("unknown command {command}"));
    }
    let today: Day = day.parse().map_err(|error: pantry::DayError| error.to_string())?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let stock = parse_stock(&text).map_err(|error| format!("{file}: {error}"))?;
    print!("{}", report(&stock, today));
    let fresh = stock.expired(today).next().is_none();
    Ok(fresh)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("pantry: {message}");
            ExitCode::from(2)
        }
    }
}
