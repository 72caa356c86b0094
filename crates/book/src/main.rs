//! Builds the book: chapters in Markdown (`docs/book/src`) as static HTML that needs neither a server nor a network. Some chapters
//! are made from the registries and from `--help`; they stand beside the others, so that the book can be read in the repository
//! too, and are held to be current. `cargo xtask test book` runs it; with `INTERFIELD_BLESS=1` it renews them.
//!
//! **Must not be here:** what the book says, which is in the chapters and in the registries.

mod catalogue;
mod check;
mod commands;
mod highlight;
mod links;
mod math;
mod page;
mod pictures;
mod plain;
mod reference;
#[cfg(test)]
mod repository;
mod search;
mod summary;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use page::Page;

/// Where the chapters are.
const SOURCE: &str = "docs/book/src";
/// Name of the table of contents.
const SUMMARY: &str = "SUMMARY.md";

fn main() -> ExitCode {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [program, out] = &args[..] else {
        eprintln!("usage: interfield-book PROGRAM OUT: PROGRAM is `interfield`, whose help is a chapter");
        return ExitCode::from(2);
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = || {
        let commands = commands::page(&|args| commands::output(program, args))?;
        let mut made = registered()?;
        made.push(("commands.md".to_owned(), commands));
        current(&root, &made, bless())?;
        left_over(&root, &made, bless())?;
        build(&root)?.write(out)
    };
    match built() {
        Ok(pages) => {
            println!("{pages} pages: {}", out.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// What all pages use.
const ASSETS: [(&str, &str); 3] = [
    ("book.css", include_str!("../assets/book.css")),
    ("book.js", include_str!("../assets/book.js")),
    ("icon.svg", include_str!("../assets/icon.svg")),
];
/// Name of the page with the whole book on it.
const PRINT: &str = "print.html";
/// Name of what the search looks through.
const INDEX: &str = "search.js";

/// All pages, and the files beside them.
struct Book {
    /// Names and contents of the pages, in their order; last the one with all of them.
    pages: Vec<(String, String)>,
    /// Names and contents of what pages use.
    assets: Vec<(String, String)>,
    /// Files that pages show or link to, by their name in the book.
    files: BTreeMap<String, PathBuf>,
}

impl Book {
    /// Writes it to a folder; returns the number of pages.
    fn write(&self, out: &Path) -> Result<usize, String> {
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |e: std::io::Error| format!("{path}: {e}")
        };
        for (name, text) in self.pages.iter().chain(&self.assets) {
            let path = out.join(name);
            std::fs::create_dir_all(out).and_then(|()| std::fs::write(&path, text)).map_err(failed(&path))?;
        }
        for (name, from) in &self.files {
            let path = out.join(name);
            let folder = path.parent().unwrap_or(out);
            std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(from, &path)).map_err(failed(from))?;
        }
        Ok(self.pages.len())
    }
}

/// The chapters and pictures that the registries give.
fn registered() -> Result<Vec<(String, String)>, String> {
    let chapters = [
        ("reference.md", reference::page()),
        ("elements.md", catalogue::elements()),
        ("materials.md", catalogue::materials()),
        ("schemes.md", catalogue::schemes()),
        ("couplings.md", catalogue::couplings()),
        ("compensators.md", catalogue::compensators()),
    ];
    let mut made = pictures::all()?;
    made.extend(chapters.map(|(name, text)| (name.to_owned(), text)));
    Ok(made)
}

/// Pictures in the repository that nothing draws any more; `renew` removes them.
fn left_over(root: &Path, made: &[(String, String)], renew: bool) -> Result<(), String> {
    let folder = root.join(SOURCE).join(pictures::FOLDER);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut old = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let name = format!("{}/{}", pictures::FOLDER, entry.map_err(failed)?.file_name().to_string_lossy());
        if made.iter().any(|m| m.0 == name) {
            continue;
        }
        if renew {
            std::fs::remove_file(root.join(SOURCE).join(&name)).map_err(failed)?;
        } else {
            old.push(format!("{SOURCE}/{name}"));
        }
    }
    if old.is_empty() { Ok(()) } else { Err(format!("nothing draws {} any more: remove it", old.join(", "))) }
}

/// Whether chapters of the repository are to be renewed.
fn bless() -> bool {
    std::env::var_os("INTERFIELD_BLESS").is_some()
}

/// Whether these chapters stand in the repository as they are now; if they do not, `renew` writes them.
fn current(root: &Path, chapters: &[(String, String)], renew: bool) -> Result<(), String> {
    let mut old = Vec::new();
    for (name, text) in chapters {
        let path = root.join(SOURCE).join(name);
        if std::fs::read_to_string(&path).is_ok_and(|there| there == *text) {
            continue;
        }
        if renew {
            let folder = path.parent().unwrap_or(root);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
            written.map_err(|e| format!("{}: {e}", path.display()))?;
        } else {
            old.push(format!("{SOURCE}/{name}"));
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    Err(format!("out of date: {}; run `INTERFIELD_BLESS=1 cargo xtask test book`", old.join(", ")))
}

/// Chapters that stand in the folder of the book or in one below it, and not in its table of contents.
fn unlisted(folder: &Path, pages: &[Page]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = links::straight(&entry.map_err(failed)?.path());
        if path.is_dir() {
            found.extend(unlisted(&path, pages)?);
        } else if path.extension().is_some_and(|e| e == "md")
            && !path.ends_with(SUMMARY)
            && !pages.iter().any(|p| p.source == path)
        {
            found.push(format!("{} is a chapter that {SUMMARY} does not list", path.display()));
        }
    }
    Ok(found)
}

/// The book of the repository at `root`; what is wrong with it, all of it, otherwise.
fn build(root: &Path) -> Result<Book, String> {
    let source = root.join(SOURCE);
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let parts = summary::parse(&read(&source.join(SUMMARY))?)?;
    let mut pages = Vec::new();
    for entry in parts.iter().flat_map(|part| &part.entries) {
        let path = links::straight(&source.join(&entry.path));
        let text = read(&path)?;
        pages.push(Page::parse(entry, path, &text));
    }
    let mut problems: Vec<String> = pages.iter().flat_map(|p| p.problems.clone()).collect();
    problems.extend(unlisted(&source, &pages)?);
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let files = links::resolve(&mut pages, &links::straight(root))?;
    let single = (0..pages.len()).map(|i| (pages[i].file(), page::html(&parts, &pages, i)));
    let all = single.chain([(PRINT.to_owned(), page::print(&parts, &pages))]).collect();
    let assets = ASSETS.map(|(name, text)| (name.to_owned(), text.to_owned())).into_iter();
    let assets = assets.chain([(INDEX.to_owned(), search::index(&pages))]).collect();
    let book = Book { pages: all, assets, files };
    let wrong = check::problems(&book);
    if wrong.is_empty() { Ok(book) } else { Err(wrong.join("\n")) }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn book() -> &'static Book {
        static BOOK: LazyLock<Book> = LazyLock::new(|| build(&root()).unwrap_or_else(|e| panic!("{e}")));
        &BOOK
    }

    fn made() -> &'static [(String, String)] {
        static MADE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| registered().unwrap_or_else(|e| panic!("{e}")));
        &MADE
    }

    fn html<'a>(book: &'a Book, name: &str) -> &'a str {
        &book.pages.iter().find(|p| p.0 == name).unwrap_or_else(|| panic!("no page {name}")).1
    }

    #[test]
    fn chapters_from_the_registries_are_current() {
        current(&root(), made(), bless()).unwrap_or_else(|e| panic!("{e}"));
    }

    #[test]
    fn chapters_that_are_not_listed_and_pictures_that_nothing_draws_are_told() {
        let source = links::straight(&root().join(SOURCE));
        let told = unlisted(&source, &[]).unwrap();
        assert!(told.iter().any(|t| t.contains("systems/pendulums.md")), "{told:?}");
        assert!(!told.iter().any(|t| t.starts_with(&source.join(SUMMARY).display().to_string())), "{told:?}");
        let message = left_over(&root(), &made()[1..], false).unwrap_err();
        assert!(message.contains("img/hybrid-loop.svg any more"), "{message}");
        left_over(&root(), made(), false).unwrap();
    }

    #[test]
    fn old_chapters_are_told() {
        let message =
            current(&root(), &[("index.md".into(), "other".into()), ("none.md".into(), String::new())], false)
                .unwrap_err();
        assert!(message.contains("/index.md, ") && message.contains("/none.md; run"), "{message}");
    }

    fn materials() -> impl Iterator<Item = &'static interfield_kernel::element::info::Info> {
        interfield_kernel::uniaxial::material::MATERIALS.iter().chain(pictures::written())
    }

    #[test]
    fn everything_that_is_registered_has_its_place() {
        let book = book();
        let has = |page: &str, id: &str| assert!(html(book, page).contains(&format!("id=\"{id}\"")), "{page}: {id}");
        interfield_kernel::element::catalogue::catalogue().for_each(|e| has("elements.html", e.name));
        materials().for_each(|m| has("materials.html", m.name));
        interfield_kernel::scheme::registry::SCHEMES.iter().for_each(|s| has("schemes.html", s.name));
        interfield_coupling::registry::COUPLINGS.iter().for_each(|m| has("couplings.html", m.name));
        interfield_lab::compensate::COMPENSATIONS.iter().for_each(|m| has("compensators.html", m.name));
        for section in interfield_language::schema::tables() {
            match section.name {
                "element" | "material" | "scheme" | "coupling" => has("reference.html", section.name),
                _ => has("reference.html", &section.id()),
            }
        }
        has("commands.html", "show");
    }

    #[test]
    fn everything_that_is_registered_has_its_picture() {
        let book = book();
        let shows = |page: &str, picture: String| {
            assert!(html(book, page).contains(&format!("/img/{picture}.svg\"")), "{page}: {picture}");
        };
        for info in interfield_kernel::element::catalogue::catalogue() {
            shows("elements.html", format!("element-{}", info.name));
            // The force of a part of a frame is that of its material.
            if pictures::has_curve(info) {
                shows("elements.html", format!("element-{}-force", info.name));
            }
        }
        materials().for_each(|m| shows("materials.html", format!("material-{}", m.name)));
        interfield_kernel::scheme::registry::SCHEMES
            .iter()
            .for_each(|s| shows("schemes.html", format!("scheme-{}", s.name)));
        interfield_coupling::registry::COUPLINGS
            .iter()
            .for_each(|c| shows("couplings.html", format!("coupling-{}", c.name)));
        let compensators = interfield_lab::compensate::COMPENSATIONS;
        compensators.iter().for_each(|c| shows("compensators.html", format!("compensator-{}", c.name)));
        for (page, picture) in [
            ("index.html", "hybrid-loop"),
            ("laboratory.html", "hybrid-loop"),
            ("laboratory.html", "states"),
            ("safety.html", "last-line"),
            ("design.html", "rig"),
            ("architecture.html", "crates"),
            ("frames.html", "frames-fibres"),
            ("frames.html", "frames-constraints"),
            ("frames.html", "frames-axes"),
        ] {
            shows(page, picture.to_owned());
        }
    }

    #[test]
    fn every_equation_of_the_chapters_is_typeset() {
        let book = book();
        for chapter in
            ["newmark", "rosenbrock", "system", "partitioned", "passivity", "compensation", "hysteresis", "elements"]
        {
            let source = std::fs::read_to_string(root().join(SOURCE).join(chapter).with_extension("md")).unwrap();
            let html = html(book, &format!("{chapter}.html"));
            let displayed = source.lines().filter(|l| l.trim() == "```math").count();
            assert!(displayed > 0 && html.matches("<math display=\"block\">").count() == displayed, "{chapter}");
        }
    }

    #[test]
    fn the_search_knows_every_section() {
        let book = book();
        let index = &book.assets.iter().find(|a| a.0 == INDEX).unwrap().1;
        let json = index.strip_prefix("window.interfieldIndex = ").unwrap().trim_end().strip_suffix(';').unwrap();
        let sections: Vec<[String; 4]> = serde_json::from_str(json).unwrap();
        let find = |link: &str| sections.iter().find(|s| s[0] == link).unwrap_or_else(|| panic!("no {link}"));
        assert!(find("newmark.html#2-alpha-os")[3].contains("operator splitting"));
        assert!(find("elements.html#bouc-wen")[3].contains("stiffness of the hysteretic part"));
        assert!(find("commands.html#run")[3].contains("interfield run"));
        let headings: usize =
            book.pages.iter().filter(|p| p.0 != PRINT).map(|p| p.1.matches("class=\"anchor\"").count()).sum();
        assert_eq!(sections.len(), headings);
    }

    #[test]
    fn the_whole_book_is_one_page() {
        let book = book();
        let whole = html(book, PRINT);
        let headings = |html: &str| html.matches("class=\"anchor\"").count();
        assert_eq!(headings(whole), book.pages.iter().filter(|p| p.0 != PRINT).map(|p| headings(&p.1)).sum::<usize>());
        assert!(whole.contains("href=\"#passivity--21-sides\""), "a link of newmark.md");
        assert!(!whole.contains("href=\"passivity.html#"), "links stay on the page");
    }

    #[test]
    fn the_first_page_is_the_index_and_all_pages_know_their_neighbours() {
        let book = book();
        assert_eq!(book.pages[0].0, "index.html");
        let chapters = &book.pages[..book.pages.len() - 1];
        for pair in chapters.windows(2) {
            let turn = |way: &str, to: &str| format!("rel=\"{way}\" href=\"{to}\"");
            assert!(pair[0].1.contains(&turn("next", &pair[1].0)), "{} to {}", pair[0].0, pair[1].0);
            assert!(pair[1].1.contains(&turn("prev", &pair[0].0)), "{} to {}", pair[1].0, pair[0].0);
        }
    }
}
