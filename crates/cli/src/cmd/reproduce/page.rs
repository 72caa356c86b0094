//! The gallery as a page: what holds and what does not at the top, then item by item.

use interfield_gallery::{Claim, Expected, Finding, Measure, PLACES, Paper, Place, Said, Shown, Table, Verdict};
use interfield_report::html::{self, escape};

use super::{Done, data};
use interfield::table::short;

/// Beyond the style of reports: verdicts as badges, and figures that keep their colours on dark pages.
const MORE: &str = include_str!("page.css");

/// The page.
pub(super) fn html(done: &[Done], records: &[String], lean: bool) -> String {
    let count = |v: Verdict| done.iter().flat_map(|d| &d.outcome.claims).filter(|c| c.verdict() == v).count();
    let counts: Vec<String> =
        Verdict::ALL.iter().map(|v| (count(*v), v)).filter(|c| c.0 > 0).map(|c| format!("{} {}", c.0, c.1)).collect();
    let claims = done.iter().map(|d| d.outcome.claims.len()).sum::<usize>();
    let rows: Vec<Vec<String>> = done.iter().flat_map(|d| d.outcome.claims.iter().map(move |c| row(d, c))).collect();
    let header = ["item", "verdict", "claim", "measured"].map(str::to_owned);
    let of = |paper: Paper| -> String {
        let sections: String = done.iter().filter(|d| d.item.paper == paper).map(|d| section(d, lean)).collect();
        let title = format!("<h2>Paper {}</h2>\n<p>{}</p>\n", paper.number(), escape(paper.title()));
        if sections.is_empty() { sections } else { title + &sections }
    };
    let given = match records {
        [] => String::new(),
        _ => format!("<p>Recorded motions given by the user: {}.</p>\n", escape(&records.join(", "))),
    };
    let items: String = Paper::ALL.into_iter().map(of).collect();
    let places = ["paper", "place", "what it shows", "here"].map(str::to_owned);
    let places = html::table("words", &places, &PLACES.iter().map(|p| place(p, done)).collect::<Vec<_>>());
    format!(
        "{}<h1>The figures and tables of the papers, recomputed</h1>\n\
         <p>{claims} claims: {}. Every verdict follows from the numbers of the run that made this page; reference numbers \
         come from an independent implementation. Misprints of the papers, and what is missing from their text, are \
         listed in the book, chapter Errata of the papers.</p>\n{given}{}{items}\
         <h2>All figures and tables of the papers</h2>\n{places}\
         <footer><p class=\"note\">Written by <code>interfield reproduce</code>, version {}.</p></footer>\n</body>\n</html>\n",
        html::head("Gallery of the papers", MORE),
        counts.join(", "),
        html::table("words claims", &header, &rows),
        env!("CARGO_PKG_VERSION"),
    )
}

/// A line of the list of all figures and tables.
fn place(place: &Place, done: &[Done]) -> Vec<String> {
    let here = match place.shown {
        Shown::Item(id) => match done.iter().find(|d| d.item.id == id) {
            Some(d) => format!("<a href=\"#{id}\">{id}</a> {}", badge(d.outcome.verdict())),
            None => id.to_owned(),
        },
        Shown::Here(here) => format!("no claim; {}", escape(here)),
        Shown::Missing(why) => format!("{} {}", badge(Verdict::Untested), escape(why)),
    };
    vec![place.paper.number().to_owned(), place.place.to_owned(), escape(place.what), here]
}

fn badge(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Untested => "untested",
        Verdict::Corrected => "corrected",
        Verdict::NotTrue => "not-true",
        Verdict::Failed => "failed",
    };
    format!("<span class=\"badge {class}\">{verdict}</span>")
}

/// A line of the table at the top: the number that decides, which is the first that is not as claimed, or the first; or why there
/// is none.
fn row(Done { item, .. }: &Done, claim: &Claim) -> Vec<String> {
    let broken = claim.measures.iter().find(|m| m.claimed.is_some_and(|e| !e.met(m.value)));
    let number = match broken.or(claim.measures.first()) {
        Some(m) => format!("{} = {}", m.what, data::with_unit(short(m.value), m.unit)),
        None => claim.obstacle.clone(),
    };
    let link = format!("<a href=\"#{id}\">{id}</a>", id = item.id);
    vec![link, badge(claim.verdict()), escape(&claim.text), escape(&number)]
}

fn section(done: &Done, lean: bool) -> String {
    let Done { item, outcome } = done;
    let (id, what) = (item.id, escape(item.what));
    let narrow = if outcome.columns <= 1 { " class=\"narrow\"" } else { "" };
    let figure = if outcome.panels.is_empty() {
        String::new()
    } else {
        format!("<figure{narrow}><img src=\"{id}.svg\" alt=\"{what}\" loading=\"lazy\"></figure>\n")
    };
    let mut files: Vec<String> = Vec::new();
    if !outcome.panels.is_empty() {
        files.push(format!("{id}.svg"));
    }
    if !lean {
        files.extend((!outcome.panels.is_empty()).then(|| format!("{id}.png")));
        files.extend(data::files(item, outcome).into_iter().map(|f| f.0));
    }
    files.extend(item.models.iter().map(|m| format!("models/{}", m.name)));
    let files: Vec<String> = files.iter().map(|f| format!("<a href=\"{f}\">{f}</a>")).collect();
    let commands: String = item.commands.iter().map(|c| escape(c) + "\n").collect();
    format!(
        "<section id=\"{id}\">\n<h3>{}: {what}</h3>\n<p class=\"note\"><code>interfield reproduce {id}</code></p>\n\
         {figure}{}<p>{}</p>\n{}{}<p class=\"note\">The same with standard commands:</p>\n<pre>{commands}</pre>\n\
         <p class=\"note\">{}</p>\n</section>\n",
        escape(item.place),
        outcome.tables.iter().map(table).collect::<String>(),
        escape(item.look),
        outcome.claims.iter().map(claim).collect::<String>(),
        outcome.findings.iter().map(finding).collect::<String>(),
        files.join(" · "),
    )
}

/// A paragraph, or nothing where there is nothing to say.
fn paragraph(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p>{before}{}.</p>\n", escape(text.trim_end_matches('.'))) }
}

/// The sentence of the paper and where it stands.
fn quoted(said: &Said) -> String {
    let translation = match said.translation {
        "" => String::new(),
        text => format!(" In English: <q>{}</q>", escape(text)),
    };
    match said.sentence {
        "" => String::new(),
        text => format!("<p>{}: <q>{}</q>{translation}</p>\n", escape(said.place), escape(text)),
    }
}

fn claim(claim: &Claim) -> String {
    format!(
        "<div class=\"claim\">\n<p>{} {}</p>\n{}{}{}{}{}</div>\n",
        badge(claim.verdict()),
        escape(&claim.text),
        quoted(&claim.said),
        paragraph("Not tested: ", &claim.obstacle),
        paragraph("What holds instead: ", &claim.correction),
        paragraph("Why this limit: ", &claim.why),
        measured(&claim.measures, "as claimed"),
    )
}

fn finding(finding: &Finding) -> String {
    format!(
        "<div class=\"claim\">\n<p><span class=\"badge beyond\">beyond the paper</span> {}</p>\n{}</div>\n",
        escape(&finding.text),
        measured(&finding.measures, "as we say"),
    )
}

/// Numbers, each with what it should be.
fn measured(measures: &[Measure], claimed: &str) -> String {
    if measures.is_empty() {
        return String::new();
    }
    let row = |m: &Measure| {
        let expected = |e: Option<Expected>| {
            e.map_or_else(String::new, |e| format!("{} {}", if e.met(m.value) { '✓' } else { '✗' }, data::words(e)))
        };
        let value = escape(&data::with_unit(short(m.value), m.unit));
        vec![escape(&m.what), value, expected(m.claimed), expected(m.corrected), expected(m.reference)]
    };
    let header = ["measured", "value", claimed, "as corrected", "reference"].map(str::to_owned);
    html::table("", &header, &measures.iter().map(row).collect::<Vec<_>>())
}

fn table(table: &Table) -> String {
    let cells = |row: &Vec<String>| row.iter().map(|c| escape(c)).collect::<Vec<String>>();
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let table_of = html::table("", &cells(&table.header), &rows);
    format!("<figure><figcaption>{}</figcaption>{table_of}</figure>\n", escape(&table.title))
}
