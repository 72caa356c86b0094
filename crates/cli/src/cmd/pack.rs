//! `interfield pack`: the evidence of tests in one folder and one archive.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_fmi::scratch::Scratch;
use interfield_results::Reader;
use serde_json::json;

use crate::Exit;
use crate::output::{fail, print, print_json};
use crate::stored;
use interfield::pack::{self, About, Content, Item, Part};

/// Archive tests in one folder and one zip file: all inputs, settings and results
///
/// The archive contains the model, included files, ground motions, results, recordings, report, settings, versions,
/// limits with their actions, timing, and the hash (SHA-256) of each file. Metadata follow RO-Crate 1.1; parts and
/// fields follow the hybrid simulation of DesignSafe. `interfield replay FOLDER` (or FOLDER.zip) repeats the tests
/// from the archive alone and compares them bit by bit. If files are missing or have changed since the run, they are
/// listed and nothing is packed.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield pack interfield-out/tower.h5\n  \
interfield pack friday.h5 monday.h5 -o evidence --author \"A. Tester\" --license CC-BY-4.0")]
pub(crate) struct Args {
    /// Result files (.h5); for served tests, their recordings (.lab.h5)
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Folder to write, and FOLDER.zip [default: RESULT-pack, beside the first result]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Also search this folder for files of the model that were moved
    #[arg(long, value_name = "FOLDER")]
    from: Vec<PathBuf>,
    /// Title of the archive [default: the title of the model]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Description of the archive, some sentences
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Author of the tests; repeat the option for several
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// Licence for reuse, a name or an address
    #[arg(long, value_name = "LICENSE")]
    license: Option<String>,
    /// Print the packed files, or the missing ones, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match make(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn make(args: &Args) -> Result<(), Exit> {
    let refuse = |message: &str, help: &str, exit: Exit| {
        fail(args.json, None, None, message, help);
        exit
    };
    let readers = args.results.iter().map(|path| stored::open(path, args.json)).collect::<Result<Vec<_>, _>>()?;
    let first = &args.results[0];
    let folder = args.output.clone().unwrap_or_else(|| first.with_file_name(format!("{}-pack", name_of(first))));
    let mut zip = folder.clone().into_os_string();
    zip.push(".zip");
    let zip = PathBuf::from(zip);
    if let Some(there) = [&folder, &zip].into_iter().find(|p| p.symlink_metadata().is_ok()) {
        let message = format!("`{}` exists already", there.display());
        return Err(refuse(&message, "give another --output, or remove it first", Exit::BadInput));
    }
    let pages = Scratch::new("pages").map_err(|e| refuse(&e.to_string(), "make room in TMPDIR", Exit::Failure))?;
    let (mut items, mut tests, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    let mut names: Vec<String> = Vec::new();
    for reader in &readers {
        let name = unique(&name_of(reader.path()), &names);
        names.push(name.clone());
        match pack::gather(reader, &name, &args.from) {
            Ok((files, test)) => {
                items.extend(files);
                items.push(page(reader, &name, pages.path()).map_err(|e| refuse(&e, "", Exit::Failure))?);
                tests.push(test);
            }
            Err(more) => missing.extend(more),
        }
    }
    if !missing.is_empty() {
        let help = "restore the files, or give their folder: --from FOLDER";
        missing.iter().for_each(|m| fail(args.json, None, None, m, help));
        return Err(Exit::Failure);
    }
    let contents = pack::contents(&tests);
    let written = write(&folder, &zip, &items, &contents, &about(args, &readers))
        .map_err(|message| refuse(&message, "give another folder with --output", Exit::Failure))?;
    if args.json {
        print_json(&json!({
            "folder": folder.display().to_string(), "archive": zip.display().to_string(), "tests": names,
            "files": written.iter().map(|w| json!({ "path": w.path, "sha256": w.hash, "bytes": w.length })).collect::<Vec<_>>(),
        }));
    } else {
        // With the manifest, which does not name itself.
        let (count, shown) = (written.len() + 1, folder.display());
        print(&format!("{shown}: {count} files of {}\n{}\n", names.join(", "), zip.display()));
    }
    Ok(())
}

/// Name of a test, from its file.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    stem.strip_suffix(".lab").map_or_else(|| stem.clone(), str::to_owned)
}

/// The name, with a number if it is taken.
fn unique(name: &str, taken: &[String]) -> String {
    let numbered = |n: usize| if n == 1 { name.to_owned() } else { format!("{name}-{n}") };
    (1..).map(numbered).find(|n| !taken.contains(n)).unwrap_or_default()
}

/// The page of a test.
fn page(reader: &Reader, name: &str, folder: &Path) -> Result<Item, String> {
    let path = folder.join(format!("{name}.html"));
    super::report::write(reader, &path)?;
    let (name, about) = (format!("{name}.html"), "Report of the test, as written at its end".to_owned());
    Ok(Item { part: Part::Report, name, about, content: Content::Copy(path) })
}

fn about(args: &Args, readers: &[Reader]) -> About {
    let mut titles: Vec<&str> = Vec::new();
    let mut versions: Vec<String> = Vec::new();
    for meta in readers.iter().map(Reader::meta) {
        if !titles.contains(&meta.title.as_str()) {
            titles.push(&meta.title);
        }
        if !versions.contains(&meta.version) {
            versions.push(meta.version.clone());
        }
    }
    let title = args.title.clone().unwrap_or_else(|| titles.join(", "));
    let tests = if readers.len() == 1 {
        "a hybrid simulation".to_owned()
    } else {
        format!("{} hybrid simulations", readers.len())
    };
    let mut begun: Vec<String> = readers.iter().map(|r| r.meta().created.clone()).collect();
    begun.sort();
    About {
        description: args.description.clone().unwrap_or_else(|| format!("Evidence of {tests}: {title}.")),
        title,
        authors: args.author.clone(),
        license: args.license.clone(),
        begun: [begun.first().cloned().unwrap_or_default(), begun.last().cloned().unwrap_or_default()],
        versions,
    }
}

/// Writes folder and archive: whole, or not at all.
fn write(
    folder: &Path,
    zip: &Path,
    items: &[Item],
    contents: &serde_json::Value,
    about: &About,
) -> Result<Vec<pack::Written>, String> {
    let beside = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        PathBuf::from(name)
    };
    let (new_folder, new_zip) = (beside(folder), beside(zip));
    let made = pack::write(&new_folder, items, contents, about).and_then(|written| {
        pack::archive(&new_folder, &written, &new_zip)?;
        let moved = std::fs::rename(&new_folder, folder).and_then(|()| std::fs::rename(&new_zip, zip));
        moved.map_err(|e| interfield::files::unwritten(folder, &e))?;
        Ok(written)
    });
    if made.is_err() {
        let _ = (std::fs::remove_dir_all(&new_folder), std::fs::remove_file(&new_zip));
    }
    made
}
