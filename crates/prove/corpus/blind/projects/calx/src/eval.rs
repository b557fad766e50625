use std::collections::BTreeMap;

use crate::error::CalcError;
use crate::parser::Expr;

pub type Env = BTreeMap<String, f64>;

pub fn evaluate(expr: &Expr, env: &Env) -> Result<f64, CalcError> {
    match expr {
        Expr::Number(number) => Ok(*number),
        Expr::Name(name) => match (env.get(name), name.as_str()) {
            (Some(value), _) => Ok(*value),
            (None, "pi") => Ok(std::f64::consts::PI),
            (None, _) => Err(CalcError::Unknown(name.clone())),
        },
        Expr::Minus(inner) => Ok(-evaluate(inner, env)?),
        Expr::Binary(sign, left, right) => binary(*sign, evaluate(left, env)?, evaluate(right, env)?),
        Expr::Call(name, arguments) => {
            let values = arguments.iter().map(|a| evaluate(a, env)).collect::<Result<Vec<f64>, _>>()?;
            call(name, &values)
        }
    }
}

fn binary(sign: char, left: f64, right: f64) -> Result<f64, CalcError> {
    match sign {
        '+' => Ok(left + right),
        '-' => Ok(left - right),
        '*' => Ok(left * right),
        '/' | '%' if right == 0.0 => Err(CalcError::DivisionByZero),
        '/' => Ok(left / right),
        // The rest has the sign of the divisor, as people expect of a clock face.
        '%' => Ok(left - right * (left / right).floor()),
        _ => Ok(left.powf(right)),
    }
}

fn call(name: &str, values: &[f64]) -> Result<f64, CalcError> {
    match (name, values) {
        ("sqrt", [x]) if *x < 0.0 => Err(CalcError::Domain("sqrt".into())),
        ("sqrt", [x]) => Ok(x.sqrt()),
        ("abs", [x]) => Ok(x.abs()),
        ("round", [x]) => Ok(x.round()),
        ("round", [x, digits]) => {
            let factor = 10f64.powi(*digits as i32);
            Ok((x * factor).round() / factor)
        }
        ("min", [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.min(*b))),
        ("max", [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| a.max(*b))),
        ("avg", [_, ..]) => Ok(values.iter().sum::<f64>() / values.len() as f64),
        ("med", [_, ..]) => {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            let half = sorted.len() / 2;
            Ok(if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 })
        }
        ("sqrt" | "abs" | "round" | "min" | "max" | "avg" | "med", _) => {
            Err(CalcError::Arguments { name: name.to_string(), found: values.len() })
        }
        _ => Err(CalcError::Unknown(name.to_string())),
    }
}

/// At most six decimals, none that are only zeros.
pub fn show(value: f64) -> String {
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_string() } else { short.to_string() }
}
