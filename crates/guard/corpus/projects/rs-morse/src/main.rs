use std::process::exit;

fn main() {
    let text: Vec<String> = std::env::args().skip(1).collect();
    if text.is_empty() {
        eprintln!("usage: morse TEXT...");
        exit(2);
    }
    match morse::encode(&text.join(" ")) {
        Ok(code) => println!("{code}"),
        Err(error) => {
            eprintln!("morse: {error}");
            exit(1);
        }
    }
}
