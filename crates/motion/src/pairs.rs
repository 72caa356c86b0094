//! Which files hold the components of one ground motion, by their names.
//!
//! Archives name components by a word between separators (`x`/`y`, `ew`/`ns`, `hne`/`hnn`, `h1`/`h2`) or by the azimuth at the end of a word
//! (`ELC180`/`ELC270`). Two files are a pair if their names are the same but for that, and no third one fits.

/// Words for the first horizontal, the second horizontal and the vertical component.
const WORDS: [[&str; 3]; 12] = [
    ["x", "y", "z"],
    ["ew", "ns", "ud"],
    ["e", "n", "z"],
    ["east", "north", "up"],
    ["h1", "h2", "v"],
    ["comp1", "comp2", "vertical"],
    ["hne", "hnn", "hnz"],
    ["hge", "hgn", "hgz"],
    ["hle", "hln", "hlz"],
    ["bhe", "bhn", "bhz"],
    ["fn", "fp", "ver"],
    ["l", "t", "v"],
];
/// Words for the vertical component beside azimuths.
const VERTICAL: [&str; 6] = ["up", "dwn", "dn", "ver", "vert", "ud"];

/// What a name says of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Component of a row of [`WORDS`].
    Word(usize, usize),
    /// Azimuth in degrees.
    Azimuth(u32),
    Vertical,
}

/// The files of one ground motion, as places in the list of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The horizontal components, the first one first; one if there is no pair.
    pub horizontal: Vec<usize>,
    /// The vertical component of a pair.
    pub vertical: Option<usize>,
}

/// Everything that a name may say: what it says, and the rest of the name.
fn readings(name: &str) -> Vec<(String, Says)> {
    let lower = name.to_lowercase();
    let mut found = Vec::new();
    let mut start = 0;
    for end in (0..=lower.len()).filter(|&i| lower.is_char_boundary(i)) {
        let boundary = end == lower.len() || lower[end..].starts_with(|c: char| !c.is_alphanumeric());
        if !boundary {
            continue;
        }
        let word = &lower[start..end];
        let rest = |from: usize| {
            let (before, after) = (&lower[..from], &lower[end..]);
            format!("{}*{}", before.trim_end_matches(['-', '_', '.', ' ']), after)
        };
        for (row, words) in WORDS.iter().enumerate() {
            found.extend(words.iter().position(|w| *w == word).map(|i| (rest(start), Says::Word(row, i))));
        }
        if VERTICAL.contains(&word) {
            found.push((rest(start), Says::Vertical));
        }
        if let Some(digits) = word.len().checked_sub(3).filter(|&at| word.is_char_boundary(at)).map(|at| &word[at..])
            && let Ok(azimuth) = digits.parse::<u32>()
            && azimuth <= 360
            && digits.bytes().all(|b| b.is_ascii_digit())
            && !word[..word.len() - 3].ends_with(|c: char| c.is_ascii_digit())
        {
            found.push((rest(end - 3), Says::Azimuth(azimuth)));
        }
        start = end + lower[end..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Whether the first is the first component and the second the second one of a pair.
fn is_pair(a: Says, b: Says) -> bool {
    match (a, b) {
        (Says::Word(row, 0), Says::Word(same, 1)) => row == same,
        (Says::Azimuth(a), Says::Azimuth(b)) => a < b && (b - a) % 180 == 90,
        _ => false,
    }
}

/// The files by ground motion, in the order of their first names.
///
/// ```
/// use interfield_motion::pairs::components;
///
/// let found = components(&["kobe_ew.csv", "kobe_ns.csv", "lone.csv"]);
/// assert_eq!((found[0].horizontal.as_slice(), found[1].horizontal.as_slice()), (&[0, 1][..], &[2][..]));
/// ```
pub fn components(names: &[impl AsRef<str>]) -> Vec<Components> {
    let said: Vec<Vec<(String, Says)>> = names.iter().map(|n| readings(n.as_ref())).collect();
    // All names that read the same but for the component, of the same kind.
    let alike = |rest: &str, kind: Says| -> Vec<(usize, Says)> {
        let same = |says: Says| match (kind, says) {
            (Says::Word(a, _), Says::Word(b, _)) => a == b,
            (Says::Azimuth(_), Says::Azimuth(_) | Says::Vertical) => true,
            _ => false,
        };
        let of = |(i, list): (usize, &Vec<(String, Says)>)| {
            list.iter().find(|(r, says)| r == rest && same(*says)).map(|(_, says)| (i, *says))
        };
        said.iter().enumerate().filter_map(of).collect()
    };
    let mut taken = vec![false; names.len()];
    let mut found = Vec::new();
    for i in 0..names.len() {
        if taken[i] {
            continue;
        }
        let pair = said[i].iter().rev().find_map(|(rest, says)| {
            let all = alike(rest, *says);
            let up = |s: &Says| matches!(s, Says::Word(_, 2) | Says::Vertical);
            let flat: Vec<(usize, Says)> = all.iter().copied().filter(|(_, s)| !up(s)).collect();
            let [mut a, mut b] = flat[..] else { return None };
            if is_pair(b.1, a.1) {
                std::mem::swap(&mut a, &mut b);
            }
            let vertical = all.iter().find(|(_, s)| up(s)).map(|v| v.0);
            let free = [Some(a.0), Some(b.0), vertical].into_iter().flatten().all(|j| !taken[j]);
            (is_pair(a.1, b.1) && free).then(|| Components { horizontal: vec![a.0, b.0], vertical })
        });
        let group = pair.unwrap_or(Components { horizontal: vec![i], vertical: None });
        group.horizontal.iter().chain(&group.vertical).for_each(|&j| taken[j] = true);
        found.push(group);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> Vec<Vec<usize>> {
        components(names).into_iter().map(|c| c.horizontal.into_iter().chain(c.vertical).collect()).collect()
    }

    #[test]
    fn pairs_are_found_as_archives_name_them() {
        assert_eq!(groups(&["RSN6_ELC180.AT2", "RSN6_ELC270.AT2", "RSN6_ELC-UP.AT2"]), [[0, 1, 2]]);
        assert_eq!(groups(&["kobe-ns.csv", "kobe-ew.csv"]), [[1, 0]]);
        assert_eq!(groups(&["IT.MRN..HNE.D.2012.ACC.ASC", "IT.MRN..HNN.D.2012.ACC.ASC"]), [[0, 1]]);
        assert_eq!(groups(&["Größe_x.csv", "Größe_y.csv", "Größe_z.csv"]), [[0, 1, 2]]);
        assert_eq!(groups(&["a 000.txt", "a 090.txt", "b 090.txt"]), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn numbers_of_records_are_no_components() {
        let numbered: Vec<String> = (0..100).map(|i| format!("rec{i:03}.csv")).collect();
        assert_eq!(components(&numbered).len(), 100);
        assert_eq!(
            components(&["rec_1.csv", "rec_2.csv", "elcentro_1940_ns_a.at2", "elcentro_1940_ns_b.csv"]).len(),
            4
        );
        assert_eq!(components(&["2090.csv", "2180.csv"]).len(), 2);
        assert_eq!(components(&["", "x", "\u{fe0f}"]).len(), 3);
    }
}
