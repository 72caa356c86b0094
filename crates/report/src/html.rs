//! What all pages share.

/// How pages look.
const STYLE: &str = include_str!("../assets/page.css");

/// Text that means itself, also within quotes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The beginning of a page, with more of its style.
pub fn head(title: &str, more: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{STYLE}{more}</style>\n</head>\n<body>\n",
        escape(title)
    )
}

/// A table of texts that are HTML already; the first column names the rows.
pub fn table(class: &str, header: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String], tag: &str| -> String {
        let cell = |(i, c): (usize, &String)| {
            let tag = if i == 0 { "th" } else { tag };
            format!("<{tag}>{c}</{tag}>")
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let body: String = rows.iter().map(|r| row(r, "td")).collect();
    format!(
        "<div class=\"table\"><table{class}>\n<thead>{}</thead>\n<tbody>{body}</tbody></table></div>\n",
        row(header, "th")
    )
}
