//! What a result says: statistics of each channel, differences of two results.
//!
//! Everything is one pass over the file with flat memory. Values that are not numbers (NaN) are counted and left out.

use crate::reader::{Chunk, Chunks, Reader};
use crate::{ChannelInfo, Error, Result};

/// What one channel did.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// The channel.
    pub channel: ChannelInfo,
    /// Smallest value; NaN without any value.
    pub min: f64,
    /// Largest value; NaN without any value.
    pub max: f64,
    /// Largest absolute value; NaN without any value.
    pub peak: f64,
    /// Time of the first row with the largest absolute value.
    pub peak_time: f64,
    /// Root of the mean square.
    pub rms: f64,
    /// Value of the last row, whatever it is.
    pub last: f64,
    /// Rows without a number.
    pub nan: u64,
}

/// Statistics of all channels.
///
/// # Errors
/// When the file cannot be read.
pub fn statistics(reader: &Reader) -> Result<Vec<Statistics>> {
    let mut result: Vec<Statistics> = reader
        .channels()
        .iter()
        .map(|channel| Statistics {
            channel: channel.clone(),
            min: f64::NAN,
            max: f64::NAN,
            peak: f64::NAN,
            peak_time: f64::NAN,
            rms: 0.0,
            last: f64::NAN,
            nan: 0,
        })
        .collect();
    let mut squares = vec![Sum::default(); result.len()];
    let all: Vec<usize> = (0..result.len()).collect();
    for chunk in reader.chunks(&all, 0) {
        let chunk = chunk?;
        for ((values, s), square) in chunk.channels.iter().zip(&mut result).zip(&mut squares) {
            for (value, t) in values.iter().zip(&chunk.time) {
                if value.is_nan() {
                    s.nan += 1;
                    continue;
                }
                // `min` and `max` of floats leave out what is not a number, as the first value finds it.
                s.min = s.min.min(*value);
                s.max = s.max.max(*value);
                if s.peak.is_nan() || value.abs() > s.peak {
                    s.peak = value.abs();
                    s.peak_time = *t;
                }
                square.add(value * value);
            }
            s.last = values.last().copied().unwrap_or(s.last);
        }
    }
    for (s, square) in result.iter_mut().zip(squares) {
        s.rms = square.mean().sqrt();
    }
    Ok(result)
}

/// A sum that keeps its precision over many terms (Neumaier).
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    sum: f64,
    rest: f64,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let next = self.sum + value;
        if next.is_finite() {
            self.rest +=
                if self.sum.abs() >= value.abs() { (self.sum - next) + value } else { (value - next) + self.sum };
        }
        self.sum = next;
        self.count += 1;
    }

    fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { (self.sum + self.rest) / self.count as f64 }
    }
}

/// How one channel differs between two results.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Name of the channel in both results.
    pub name: String,
    /// Units of the channel in the first and in the second result; differing units are compared as plain numbers.
    pub units: (String, String),
    /// Largest absolute difference; NaN without a moment to compare.
    pub max: f64,
    /// Time of the largest difference.
    pub max_time: f64,
    /// Root of the mean square of the difference.
    pub rms: f64,
    /// Largest absolute value of the first result over the compared time.
    pub peak: f64,
    /// Largest difference over that peak; infinite when only the peak is zero, zero when both are.
    pub relative: f64,
    /// Moments at which just one of the two is not a number; both are left out.
    pub nan_mismatch: u64,
}

/// How two results differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Channels of both, in the order of the first.
    pub channels: Vec<Difference>,
    /// Channels of the first only.
    pub only_a: Vec<String>,
    /// Channels of the second only.
    pub only_b: Vec<String>,
    /// Rows of the two.
    pub rows: (u64, u64),
    /// First and last compared time; none when the two have no time in common.
    pub span: Option<(f64, f64)>,
    /// Moments compared.
    pub moments: u64,
    /// Whether all compared moments are moments of both, so that nothing was interpolated.
    pub same_grid: bool,
}

impl Comparison {
    /// The largest relative difference of all channels.
    pub fn worst(&self) -> Option<&Difference> {
        self.channels.iter().max_by(|a, b| a.relative.total_cmp(&b.relative))
    }
}

/// Two results at one moment.
#[derive(Debug)]
pub struct Moment<'a> {
    /// Time.
    pub t: f64,
    /// Whether both have a row there, so that nothing was interpolated.
    pub exact: bool,
    /// Values of the first.
    pub a: &'a [f64],
    /// Values of the second.
    pub b: &'a [f64],
}

/// Shows pairs of channels, the first of `a`, the second of `b`, at every moment of the time that both have: those of the result
/// with more rows in it, the other one interpolated linearly.
///
/// # Errors
/// When a file cannot be read or its time runs backwards.
pub fn walk(a: &Reader, b: &Reader, pairs: &[(usize, usize)], mut see: impl FnMut(Moment<'_>)) -> Result<()> {
    let (Some(range_a), Some(range_b)) = (time_range(a)?, time_range(b)?) else { return Ok(()) };
    let (from, to) = (range_a.0.max(range_b.0), range_a.1.min(range_b.1));
    if from > to || from.is_nan() || to.is_nan() {
        return Ok(());
    }
    let density = |rows: u64, range: (f64, f64)| (rows.max(2) - 1) as f64 / (range.1 - range.0).max(f64::MIN_POSITIVE);
    let grid_is_a = density(a.rows(), range_a) >= density(b.rows(), range_b);
    let (channels_a, channels_b): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
    let (grid, grid_channels, other, other_channels) =
        if grid_is_a { (a, channels_a, b, channels_b) } else { (b, channels_b, a, channels_a) };
    let mut other = Cursor::new(other, &other_channels)?;
    let (mut own, mut values) = (vec![0.0; pairs.len()], vec![0.0; pairs.len()]);
    let mut previous = f64::NEG_INFINITY;
    for chunk in grid.chunks(&grid_channels, 0) {
        let chunk = chunk?;
        for (row, &t) in chunk.time.iter().enumerate() {
            forwards(grid, previous, t)?;
            previous = t;
            if t < from || t > to {
                continue;
            }
            let exact = other.at(t, &mut values)?;
            own.iter_mut().zip(&chunk.channels).for_each(|(x, c)| *x = c[row]);
            let (a, b) = if grid_is_a { (&own, &values) } else { (&values, &own) };
            see(Moment { t, exact, a, b });
        }
    }
    Ok(())
}

/// Compares the channels of equal names over the time that both results have, at the moments of the result with more
/// rows in it; the other one is interpolated linearly.
///
/// # Errors
/// When a file cannot be read or its time runs backwards.
pub fn compare(a: &Reader, b: &Reader) -> Result<Comparison> {
    let mut pairs = Vec::new();
    let mut only_a = Vec::new();
    for (i, channel) in a.channels().iter().enumerate() {
        match b.channel(&channel.name) {
            Some(j) => pairs.push((i, j)),
            None => only_a.push(channel.name.clone()),
        }
    }
    let only_b = b.channels().iter().filter(|c| a.channel(&c.name).is_none()).map(|c| c.name.clone()).collect();
    let mut result = Comparison {
        channels: pairs
            .iter()
            .map(|(i, j)| Difference {
                name: a.channels()[*i].name.clone(),
                units: (a.channels()[*i].unit.clone(), b.channels()[*j].unit.clone()),
                max: f64::NAN,
                max_time: f64::NAN,
                rms: f64::NAN,
                peak: f64::NAN,
                relative: f64::NAN,
                nan_mismatch: 0,
            })
            .collect(),
        only_a,
        only_b,
        rows: (a.rows(), b.rows()),
        span: None,
        moments: 0,
        same_grid: true,
    };
    let mut squares = vec![Sum::default(); result.channels.len()];
    walk(a, b, &pairs, |moment| {
        result.same_grid &= moment.exact;
        result.moments += 1;
        result.span = Some((result.span.map_or(moment.t, |s| s.0), moment.t));
        for (k, d) in result.channels.iter_mut().enumerate() {
            let (x, y) = (moment.a[k], moment.b[k]);
            if x.is_nan() || y.is_nan() {
                d.nan_mismatch += u64::from(x.is_nan() != y.is_nan());
                continue;
            }
            d.peak = d.peak.max(x.abs());
            let difference = if x == y { 0.0 } else { (x - y).abs() };
            if d.max.is_nan() || difference > d.max {
                d.max = difference;
                d.max_time = moment.t;
            }
            squares[k].add(difference * difference);
        }
    })?;
    for (d, square) in result.channels.iter_mut().zip(squares) {
        d.rms = square.mean().sqrt();
        d.relative = if d.max == 0.0 { 0.0 } else { d.max / d.peak };
    }
    Ok(result)
}

fn time_range(reader: &Reader) -> Result<Option<(f64, f64)>> {
    let first = reader.time(0..1)?;
    let last = reader.time(reader.rows().saturating_sub(1)..reader.rows())?;
    Ok(first.first().copied().zip(last.first().copied()))
}

fn forwards(reader: &Reader, before: f64, t: f64) -> Result<()> {
    if t >= before {
        return Ok(());
    }
    Err(Error::Format { path: reader.path().to_path_buf(), what: format!("its time decreases from {before} to {t}") })
}

/// Walks along a result and gives values between its rows.
struct Cursor<'a> {
    reader: &'a Reader,
    chunks: Chunks<'a>,
    chunk: Option<Chunk>,
    row: usize,
    /// The row before the present one.
    before: (f64, Vec<f64>),
}

impl<'a> Cursor<'a> {
    fn new(reader: &'a Reader, channels: &[usize]) -> Result<Self> {
        let mut chunks = reader.chunks(channels, 0);
        let chunk = chunks.next().transpose()?;
        Ok(Self { reader, chunks, chunk, row: 0, before: (f64::NEG_INFINITY, vec![f64::NAN; channels.len()]) })
    }

    /// Values at a time that is not before the time asked for last; says whether they are those of a row.
    fn at(&mut self, t: f64, values: &mut [f64]) -> Result<bool> {
        while let Some(chunk) = &self.chunk {
            let here = chunk.time[self.row];
            forwards(self.reader, self.before.0, here)?;
            if here >= t {
                let exact = here == t;
                let part = (t - self.before.0) / (here - self.before.0);
                for ((value, now), before) in values.iter_mut().zip(&chunk.channels).zip(&self.before.1) {
                    *value = if exact { now[self.row] } else { before + part * (now[self.row] - before) };
                }
                return Ok(exact);
            }
            self.before.0 = here;
            for (before, now) in self.before.1.iter_mut().zip(&chunk.channels) {
                *before = now[self.row];
            }
            self.row += 1;
            if self.row == chunk.time.len() {
                self.chunk = self.chunks.next().transpose()?;
                self.row = 0;
            }
        }
        values.copy_from_slice(&self.before.1);
        Ok(false)
    }
}
