//! Matrix Market files (coordinate and array, real or integer, general or symmetric), and plain rows of numbers, as OpenSees prints them.
//! Format: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996.

/// Largest order accepted: a substructure matrix is stored densely.
const MAX_ORDER: usize = 4000;

/// The matrix as rows, or a sentence saying what is wrong and in which line.
pub fn parse(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let mut lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
    let (_, header) = lines.next().ok_or("the file is empty")?;
    if !header.starts_with("%%") {
        return plain(text);
    }
    let words: Vec<String> = header.split_whitespace().map(str::to_lowercase).collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] =
        &words.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return Err("line 1 must be `%%MatrixMarket matrix coordinate|array real|integer general|symmetric`".to_owned());
    };
    if !["real", "integer", "double"].contains(field) {
        return Err(format!("line 1: `{field}` entries are not supported, only real and integer"));
    }
    let sign = match *symmetry {
        "general" => None,
        "symmetric" => Some(1.0),
        "skew-symmetric" => Some(-1.0),
        other => return Err(format!("line 1: symmetry `{other}` is not supported")),
    };
    let mut body = lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('%'));
    let (at, size) = body.next().ok_or("the line with the size is missing")?;
    let size: Vec<usize> = size
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| format!("line {at}: expected the size"))?;
    let (rows, columns, entries) = match (*format, &size[..]) {
        ("coordinate", &[r, c, n]) => (r, c, Some(n)),
        ("array", &[r, c]) => (r, c, None),
        _ => return Err(format!("line {at}: expected the size of a {format} matrix")),
    };
    if rows == 0 || columns == 0 || rows > MAX_ORDER || columns > MAX_ORDER {
        return Err(format!(
            "line {at}: a matrix of {rows} x {columns} cannot be used (at most {MAX_ORDER} x {MAX_ORDER})"
        ));
    }
    let mut matrix = vec![vec![0.0; columns]; rows];
    let mut set = |i: usize, j: usize, x: f64| {
        matrix[i][j] = x;
        if let (Some(s), true) = (sign, i != j && j < rows && i < columns) {
            matrix[j][i] = s * x;
        }
    };
    let number = |at: usize, word: &str| -> Result<f64, String> {
        let x: f64 = word.parse().map_err(|_| format!("line {at}: `{word}` is not a number"))?;
        if x.is_finite() { Ok(x) } else { Err(format!("line {at}: {word} is not a finite number")) }
    };
    let mut count = 0;
    if let Some(entries) = entries {
        for (at, line) in body {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [i, j, x] = words[..] else { return Err(format!("line {at}: expected row, column and value")) };
            let index = |w: &str, n: usize| w.parse().ok().filter(|i| (1..=n).contains(i));
            let (Some(i), Some(j)) = (index(i, rows), index(j, columns)) else {
                return Err(format!("line {at}: there is no entry ({i}, {j}) in a {rows} x {columns} matrix"));
            };
            set(i - 1, j - 1, number(at, x)?);
            count += 1;
        }
        if count != entries {
            return Err(format!("{entries} entries declared, {count} found"));
        }
    } else {
        // By columns; a symmetric matrix gives its lower triangle only.
        let mut places = (0..columns).flat_map(|j| (if sign.is_some() { j } else { 0 }..rows).map(move |i| (i, j)));
        for (at, line) in body {
            for word in line.split_whitespace() {
                let (i, j) = places.next().ok_or_else(|| format!("line {at}: more numbers than entries"))?;
                set(i, j, number(at, word)?);
            }
        }
        if places.next().is_some() {
            return Err("the file ends before the last entry".to_owned());
        }
    }
    Ok(matrix)
}

/// Rows of numbers between spaces or commas, one row per line: what `printA -file` of OpenSees writes with `system FullGeneral`. Lines that
/// begin with `#` or `%` say nothing.
fn plain(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let mut matrix: Vec<Vec<f64>> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let (at, line) = (i + 1, line.trim());
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
        let number = |w: &str| match w.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) => Err(format!("line {at}: {w} is not a finite number")),
            Err(_) if matrix.is_empty() => {
                Err(format!("line {at}: `{w}` is not a number, and the file does not begin with `%%MatrixMarket`"))
            }
            Err(_) => Err(format!("line {at}: `{w}` is not a number")),
        };
        let row = words.map(number).collect::<Result<Vec<f64>, String>>()?;
        let columns = matrix.first().map_or(row.len(), Vec::len);
        if row.len() != columns {
            return Err(format!("line {at}: {} numbers in a row, {columns} in those before", row.len()));
        }
        if columns > MAX_ORDER || matrix.len() >= MAX_ORDER {
            return Err(format!("line {at}: at most {MAX_ORDER} x {MAX_ORDER} numbers can be used"));
        }
        matrix.push(row);
    }
    if matrix.is_empty() { Err("the file has no numbers".to_owned()) } else { Ok(matrix) }
}
