//! The gallery as a page: what holds and what does not at the top, then item by item.

use interfield_gallery::{Claim, Expected, Measure, Paper, Table, Verdict};
use interfield_report::html::{self, escape};

use super::{Done, data};
use interfield::table::short;

/// Beyond the style of reports: verdicts as badges, and figures that keep their colours on dark pages.
const MORE: &str = include_str!("page.css");

/// The page.
pub(super) fn html(done: &[Done], lean: bool) -> String {
    let count = |v: Verdict| done.iter().flat_map(|d| &d.outcome.claims).filter(|c| c.verdict() == v).count();
    let verdicts = [Verdict::Reproduced, Verdict::Corrected, Verdict::NotTrue, Verdict::Failed];
    let counts: Vec<String> =
        verdicts.iter().map(|v| (count(*v), v)).filter(|c| c.0 > 0).map(|c| format!("{} {}", c.0, c.1)).collect();
    let claims = done.iter().map(|d| d.outcome.claims.len()).sum::<usize>();
    let rows: Vec<Vec<String>> = done.iter().flat_map(|d| d.outcome.claims.iter().map(move |c| row(d, c))).collect();
    let header = ["item", "verdict", "claim", "measured"].map(str::to_owned);
    let of = |paper: Paper| -> String {
        let sections: String = done.iter().filter(|d| d.item.paper == paper).map(|d| section(d, lean)).collect();
        let title = format!("<h2>Paper {}</h2>\n<p>{}</p>\n", paper.number(), escape(paper.title()));
        if sections.is_empty() { sections } else { title + &sections }
    };
    let items: String = Paper::ALL.into_iter().map(of).collect();
    format!(
        "{}<h1>The figures and tables of the papers, recomputed</h1>\n\
         <p>{claims} claims: {}. Every verdict follows from the numbers of the run that made this page; the expected \
         numbers come from an independent implementation.</p>\n{}{items}\
         <footer><p class=\"note\">Written by <code>interfield reproduce</code>, version {}.</p></footer>\n</body>\n</html>\n",
        html::head("Gallery of the papers", MORE),
        counts.join(", "),
        html::table("words claims", &header, &rows),
        env!("CARGO_PKG_VERSION"),
    )
}

fn badge(verdict: Verdict) -> String {
    let class = match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Corrected => "corrected",
        Verdict::NotTrue => "not-true",
        Verdict::Failed => "failed",
    };
    format!("<span class=\"badge {class}\">{verdict}</span>")
}

/// A line of the table at the top: the number that decides, which is the first that is not as claimed, or the first.
fn row(Done { item, .. }: &Done, claim: &Claim) -> Vec<String> {
    let broken = claim.measures.iter().find(|m| m.claimed.is_some_and(|e| !e.met(m.value)));
    let number = broken.or(claim.measures.first());
    let number = number.map_or_else(String::new, |m| format!("{} = {}", m.what, with_unit(m.value, m.unit)));
    let link = format!("<a href=\"#{id}\">{id}</a>", id = item.id);
    vec![link, badge(claim.verdict()), escape(&claim.text), escape(&number)]
}

fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { short(value) } else { format!("{} {unit}", short(value)) }
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
         {figure}{}<p>{}</p>\n{}<p class=\"note\">The same with standard commands:</p>\n<pre>{commands}</pre>\n\
         <p class=\"note\">{}</p>\n</section>\n",
        escape(item.place),
        outcome.tables.iter().map(table).collect::<String>(),
        escape(item.look),
        outcome.claims.iter().map(claim).collect::<String>(),
        files.join(" · "),
    )
}

fn claim(claim: &Claim) -> String {
    let correction = match claim.correction.as_str() {
        "" => String::new(),
        text => format!("<p>What holds instead: {}.</p>\n", escape(text)),
    };
    let row = |m: &Measure| {
        let expected = |e: Option<Expected>| {
            e.map_or_else(String::new, |e| format!("{} {}", if e.met(m.value) { '✓' } else { '✗' }, data::words(e)))
        };
        let value = escape(&with_unit(m.value, m.unit));
        vec![escape(&m.what), value, expected(m.claimed), expected(m.corrected), expected(m.reference)]
    };
    let header = ["measured", "value", "as claimed", "as corrected", "reference"].map(str::to_owned);
    let rows: Vec<Vec<String>> = claim.measures.iter().map(row).collect();
    format!(
        "<div class=\"claim\">\n<p>{} <q>{}</q></p>\n{correction}{}</div>\n",
        badge(claim.verdict()),
        escape(&claim.text),
        html::table("", &header, &rows),
    )
}

fn table(table: &Table) -> String {
    let cells = |row: &Vec<String>| row.iter().map(|c| escape(c)).collect::<Vec<String>>();
    let rows: Vec<Vec<String>> = table.rows.iter().map(cells).collect();
    let table_of = html::table("", &cells(&table.header), &rows);
    format!("<figure><figcaption>{}</figcaption>{table_of}</figure>\n", escape(&table.title))
}
