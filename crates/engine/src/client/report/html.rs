//! A report as one page: nothing is fetched for it, nothing in it runs, and what agents wrote stays text.

use std::fmt::Write;

use piton_view::words;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

/// What became of an iteration, as a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Green,
    Red,
    PutBack,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Green => "green",
            Tone::Red => "red",
            Tone::PutBack => "back",
        }
    }

    fn says(self, of: &Charted) -> &'static str {
        match self {
            Tone::Green => of.green,
            Tone::Red => of.red,
            Tone::PutBack => of.other,
        }
    }
}

/// What bars stand for, in words.
pub(super) struct Charted {
    /// What the chart of times is called.
    times: &'static str,
    tests: &'static str,
    /// What each colour says.
    green: &'static str,
    red: &'static str,
    other: &'static str,
}

/// Bars of the iterations of a run.
pub(super) const ITERATIONS: Charted = Charted {
    times: "How long the agent worked in each iteration, and what the checks said",
    tests: "Tests that pass, of all that ran",
    green: "every check green",
    red: "not every check green",
    other: "refused, put back",
};

/// Bars of the runs of a night.
pub(super) const RUNS: Charted = Charted {
    times: "How long each run worked, and what became of it",
    tests: "Tests that pass at the end of each run",
    green: "done",
    red: "failed",
    other: "not done yet",
};

/// An iteration in a chart.
pub(super) struct Bar {
    pub(super) number: u32,
    pub(super) took_ms: u64,
    /// Tests that passed, and all of them.
    pub(super) tests: Option<(u64, u64)>,
    pub(super) tone: Tone,
}

/// Nobody counts more bars than that; of a longer run the last ones are shown.
const BARS_MAX: usize = 120;
const HEIGHT: f64 = 120.0;
/// Few bars are as wide as this, many share the page.
const STEP_MAX: usize = 36;
const PAGE: usize = 840;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#d9d9e0;--paper:#fff;--green:#30a46c;--red:#e5484d;--back:#f5a623}\
@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#b0b4ba;--line:#393a40;--paper:#18191b}}\
body{margin:2rem auto;max-width:60rem;padding:0 1rem;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}\
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2rem}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}th,td{border-bottom:1px solid var(--line);padding:.35rem .7rem;text-align:left;white-space:nowrap}\
code,pre{font:.88em ui-monospace,monospace}pre{overflow-x:auto;border:1px solid var(--line);border-radius:6px;padding:.7rem}\
blockquote{border-left:3px solid var(--line);margin:0;padding-left:1rem;color:var(--soft)}\
figure{margin:1.5rem 0}figcaption{color:var(--soft);font-size:.9rem;margin-bottom:.4rem}\
svg text{fill:var(--soft);font:11px system-ui,sans-serif}.green{fill:var(--green)}.red{fill:var(--red)}.back{fill:var(--back)}.all{fill:var(--line)}";

/// The page: the charts first, then the report as it is in Markdown.
pub(super) fn page(title: &str, markdown: &str, bars: &[Bar], of: &Charted) -> String {
    let mut page = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = writeln!(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    let _ = writeln!(
        page,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    );
    let _ = writeln!(page, "<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>", escaped(title));
    let text = body(markdown);
    // Below the title and what became of it.
    let at = text.find("<h2>").unwrap_or(text.len());
    let _ = write!(page, "{}{}{}", &text[..at], charts(bars, of), &text[at..]);
    page.push_str("</body>\n</html>\n");
    page
}

/// Markdown as HTML. HTML in it is shown as the text that it is, and no picture or link is taken over.
fn body(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { .. } | Tag::Image { .. }) => None,
        Event::End(TagEnd::Link | TagEnd::Image) => None,
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        other => Some(other),
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    text.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

fn charts(bars: &[Bar], of: &Charted) -> String {
    let bars = &bars[bars.len().saturating_sub(BARS_MAX)..];
    let step = (PAGE / bars.len().max(1)).min(STEP_MAX);
    if bars.len() < 2 {
        return String::new();
    }
    let longest = bars.iter().map(|bar| bar.took_ms).max().unwrap_or(0).max(1) as f64;
    let times = bars.iter().map(|bar| {
        let height = bar.took_ms as f64 / longest;
        let says = format!("#{}: {}, {}", bar.number, words::duration(bar.took_ms), bar.tone.says(of));
        (vec![(height, bar.tone.class())], says)
    });
    let mut text = chart(of.times, step, times);
    let most = bars.iter().filter_map(|bar| bar.tests).map(|(_, all)| all).max().unwrap_or(0);
    if most > 0 {
        let tests = bars.iter().map(|bar| {
            let Some((passed, all)) = bar.tests else {
                return (Vec::new(), format!("#{}: tests unknown", bar.number));
            };
            let share = |tests: u64| tests as f64 / most as f64;
            let says = format!("#{}: {passed} of {all} tests pass", bar.number);
            (vec![(share(all), "all"), (share(passed), bar.tone.class())], says)
        });
        text += &chart(of.tests, step, tests);
    }
    text
}

/// A chart of bars, each with parts from the back to the front, and what it says where the pointer rests.
fn chart(title: &str, step: usize, bars: impl Iterator<Item = (Vec<(f64, &'static str)>, String)>) -> String {
    let (mut parts, mut count) = (String::new(), 0);
    for (index, (heights, says)) in bars.enumerate() {
        count = index + 1;
        let _ = write!(parts, "<g><title>{}</title>", escaped(&says));
        for (share, class) in heights {
            let height = (share * HEIGHT).max(1.0);
            let (x, y) = (index * step, HEIGHT - height);
            let _ = write!(
                parts,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y:.1}\" width=\"{}\" height=\"{height:.1}\"/>",
                step.saturating_sub(3).max(2)
            );
        }
        parts.push_str("</g>");
    }
    format!(
        "<figure><figcaption>{}</figcaption><div class=\"wide\"><svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{HEIGHT}\">{parts}</svg></div></figure>\n",
        escaped(title),
        escaped(title),
        count * step,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_write_stays_text() {
        let markdown = "# T\n\n<script>alert(1)</script> and <b onclick=x>b</b>\n\n[l](javascript:alert(1)) ![i](http://x/y.png)\n\n<div>\n<img src=x onerror=alert(1)>\n</div>\n\n## Checks\n\n| a |\n|---|\n| <i>c</i> |\n";
        let bars = [1, 2].map(|number| Bar { number, took_ms: 10, tests: Some((1, 2)), tone: Tone::Red });
        let page = page("</title><script>", markdown, &bars, &ITERATIONS);
        for forbidden in ["<script", "<b ", "<img", "<i>", "javascript:", "http://x"] {
            assert!(!page.contains(forbidden), "{forbidden} in {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("1 of 2 tests pass"), "{page}");
    }
}
