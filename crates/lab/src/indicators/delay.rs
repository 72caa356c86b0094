//! How late a history is, by the lag at which it correlates best with its target.

/// The lag in samples, 0 to `most`, at which Σ measured(k + lag) target(k) is largest.
pub fn lag_by_correlation(measured: &[f64], target: &[f64], most: usize) -> usize {
    let score = |lag: usize| correlation(measured, target, lag as isize);
    (0..=most).fold((0, f64::NEG_INFINITY), |best, lag| if score(lag) > best.1 { (lag, score(lag)) } else { best }).0
}

/// The lag in samples, between -`most` and `most`, to a fraction of a sample: the top of the parabola through the best lag and its neighbours. Negative: ahead.
pub fn delay_by_correlation(measured: &[f64], target: &[f64], most: usize) -> f64 {
    let most = most as isize;
    let scores: Vec<f64> = (-most - 1..=most + 1).map(|lag| correlation(measured, target, lag)).collect();
    let Some(best) = (1..scores.len() - 1).max_by(|i, j| scores[*i].total_cmp(&scores[*j])) else { return 0.0 };
    let (left, top, right) = (scores[best - 1], scores[best], scores[best + 1]);
    let bend = left - 2.0 * top + right;
    let part = if bend < 0.0 { (0.5 * (left - right) / bend).clamp(-0.5, 0.5) } else { 0.0 };
    (best as isize - 1 - most) as f64 + part
}

/// The lag in whole samples, between -`most` and `most`, at the top of the correlation that is reached from zero: uphill, as far as it goes. Negative: ahead.
/// Histories of a structure are narrow-band, so that within a quarter of a period there is one top.
pub fn lag_uphill(measured: &[f64], target: &[f64], most: usize) -> isize {
    let score = |lag: isize| correlation(measured, target, lag);
    let (here, up, down) = (score(0), score(1), score(-1));
    let step = if up > here && up >= down {
        1
    } else if down > here {
        -1
    } else {
        return 0;
    };
    let (mut lag, mut best): (isize, f64) = (step, up.max(down));
    while lag.unsigned_abs() < most {
        let next = score(lag + step);
        if next <= best {
            break;
        }
        (lag, best) = (lag + step, next);
    }
    lag
}

fn correlation(measured: &[f64], target: &[f64], lag: isize) -> f64 {
    let shifted = |x: &[f64], by: isize| x.len().min(by.max(0) as usize);
    let (m, t) = (&measured[shifted(measured, lag)..], &target[shifted(target, -lag)..]);
    m.iter().zip(t).map(|(x, y)| x * y).sum()
}
