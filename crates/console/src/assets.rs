//! The files of the page, inside of the program.

/// Path, kind and content of each.
const FILES: [(&str, &str, &str); 7] = [
    ("/", "text/html; charset=utf-8", include_str!("../assets/index.html")),
    ("/console.css", "text/css; charset=utf-8", include_str!("../assets/console.css")),
    ("/console.js", "text/javascript; charset=utf-8", include_str!("../assets/console.js")),
    ("/panels.js", "text/javascript; charset=utf-8", include_str!("../assets/panels.js")),
    ("/uPlot.js", "text/javascript; charset=utf-8", include_str!("../assets/uPlot.iife.min.js")),
    ("/uPlot.css", "text/css; charset=utf-8", include_str!("../assets/uPlot.min.css")),
    // Its licence goes wherever it goes.
    ("/uPlot.LICENSE", "text/plain; charset=utf-8", include_str!("../assets/uPlot.LICENSE")),
];

/// The file at a path.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static [u8])> {
    FILES.iter().find(|f| f.0 == path).map(|f| (f.1, f.2.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that needs something from elsewhere would be empty in a laboratory without a network.
    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        for (path, _, text) in FILES {
            for outside in ["src=\"http", "href=\"http", "url(http", "@import", "src=\"//", "href=\"//"] {
                assert!(!text.contains(outside), "{path}: {outside}");
            }
        }
        for name in FILES.iter().skip(1).map(|f| f.0) {
            assert!(FILES[0].2.contains(name), "the page does not use {name}");
        }
        assert!(find("/../secret").is_none());
        assert!(find("/uPlot.LICENSE").is_some_and(|f| f.1.starts_with(b"The MIT License")));
    }

    /// What a browser takes for the time of day may be wrong or change: ages are measured with clocks that only go forward.
    #[test]
    fn ages_do_not_depend_on_the_time_of_day() {
        for (path, _, text) in FILES.iter().filter(|f| ["/console.js", "/panels.js"].contains(&f.0)) {
            assert!(!text.contains("Date.now") && !text.contains("new Date()"), "{path}");
            assert!(!text.contains("innerHTML") && !text.contains("eval("), "{path}: what is shown is a text");
        }
    }
}
