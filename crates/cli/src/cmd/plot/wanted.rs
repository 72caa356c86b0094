//! Which channels are drawn in which panel: as asked for, or chosen so that they tell what happened.

use interfield_language::diag::did_you_mean;
use interfield_language::model::short_name;
use interfield_results::summary::statistics;
use interfield_results::{ChannelInfo, Reader};

use super::{Args, Refusal, Source};
use crate::report::of_push;
use crate::stored::{self, Window, conversion};

/// Most channels of a panel, and most panels, where they are chosen.
const TOGETHER: usize = 4;
const PANELS: usize = 3;
/// Most elements whose loops are compared.
const LOOPS: usize = 24;

/// The channels of a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub channels: Vec<String>,
    /// Along the horizontal axis, instead of the time.
    pub over: Option<String>,
}

impl Wanted {
    fn new(channels: Vec<String>, over: Option<&str>) -> Self {
        Wanted { channels, over: over.map(str::to_owned) }
    }

    /// As it is written with --panel.
    pub(super) fn words(&self) -> String {
        let channels = self.channels.join(", ");
        self.over.as_ref().map_or_else(|| channels.clone(), |over| format!("{channels} over {over}"))
    }
}

/// The panels of a figure.
pub(super) fn wanted(args: &Args, sources: &[Source], window: Window) -> Result<Vec<Wanted>, Refusal> {
    let first = &sources[0].reader;
    let known = |name: &str| sources.iter().try_for_each(|s| has(&s.reader, name));
    let wanted = if !args.panels.is_empty() {
        args.panels.iter().map(|text| written(text, first)).collect::<Result<Vec<_>, _>>()?
    } else if !args.channels.is_empty() {
        let named = args.channels.iter().map(|name| matching(name, first));
        let named = named.collect::<Result<Vec<_>, _>>()?.concat();
        named.iter().chain(&args.versus).try_for_each(|name| known(name))?;
        by_unit(named, first, args.versus.as_deref())
    } else if let Some((x, y)) = of_push(first.channels()) {
        let name = |i: usize| first.channels()[i].name.clone();
        vec![Wanted::new(vec![name(y)], Some(&name(x)))]
    } else {
        chosen(sources, window, args.json)?
    };
    wanted.iter().flat_map(|w| w.channels.iter().chain(&w.over)).try_for_each(|name| known(name))?;
    Ok(wanted)
}

/// Refuses a channel that a file does not have.
pub(super) fn has(reader: &Reader, name: &str) -> Result<(), Refusal> {
    if reader.channel(name).is_some() {
        return Ok(());
    }
    let names = || reader.channels().iter().map(|c| c.name.as_str());
    let some: Vec<&str> = names().take(20).collect();
    let more = if reader.channels().len() > some.len() { ", ..." } else { "" };
    let help = did_you_mean(name, names()).unwrap_or_else(|| format!("channels are {}{more}", some.join(", ")));
    Err(Refusal::new(format!("`{}` has no channel `{name}`", reader.path().display()), help))
}

/// A panel as it is written: channels with commas between them, and `over` before that of the horizontal axis.
fn written(text: &str, reader: &Reader) -> Result<Wanted, Refusal> {
    // A name may have a comma in it.
    if reader.channel(text.trim()).is_some() {
        return Ok(Wanted::new(vec![text.trim().to_owned()], None));
    }
    let (channels, over) = text.split_once(" over ").map_or((text, None), |(c, over)| (c, Some(over.trim())));
    let names: Vec<&str> = channels.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
    if names.is_empty() || over == Some("") {
        let help =
            "write for example --panel \"roof.x, floor.x\" or --panel \"columns.force over columns.deformation\"";
        return Err(Refusal::new(format!("--panel \"{text}\" names no channel"), help));
    }
    let channels = names.iter().map(|n| matching(n, reader)).collect::<Result<Vec<_>, _>>()?.concat();
    Ok(Wanted::new(channels, over))
}

/// The channels that a name with * means; a plain name means itself.
fn matching(name: &str, reader: &Reader) -> Result<Vec<String>, Refusal> {
    if !name.contains('*') || reader.channel(name).is_some() {
        return Ok(vec![name.to_owned()]);
    }
    let fits = |c: &&ChannelInfo| is_like(&c.name, name);
    let found: Vec<String> = reader.channels().iter().filter(fits).map(|c| c.name.clone()).collect();
    if found.is_empty() {
        let message = format!("`{}` has no channel like `{name}`", reader.path().display());
        return Err(Refusal::new(message, "`interfield show` lists the channels"));
    }
    Ok(found)
}

/// Whether a name fits a pattern, in which * stands for any letters.
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            rest.char_indices().map(|(i, _)| i).chain([rest.len()]).any(|i| is_like(&rest[i..], tail))
        }),
    }
}

/// Channels whose units can be converted into each other share a panel.
fn by_unit(channels: Vec<String>, reader: &Reader, over: Option<&str>) -> Vec<Wanted> {
    let unit = |name: &str| reader.channel(name).map_or("", |i| reader.channels()[i].unit.as_str());
    let mut panels: Vec<Wanted> = Vec::new();
    for name in channels {
        match panels.iter_mut().find(|p| conversion(unit(&name), unit(&p.channels[0])).is_some()) {
            Some(panel) if panel.channels.contains(&name) => {}
            Some(panel) => panel.channels.push(name),
            None => panels.push(Wanted::new(vec![name], over)),
        }
    }
    panels
}

/// What tells most: the load, the largest displacements in the direction that moves most, and the loop with the largest area. Of a recording of
/// the laboratory: where the first actuator should be and where it was, how far that is apart, and its force.
fn chosen(sources: &[Source], window: Window, json: bool) -> Result<Vec<Wanted>, Refusal> {
    let first = &sources[0].reader;
    let everywhere = |name: &str| sources.iter().all(|s| s.reader.channel(name).is_some());
    let found = statistics(first).map_err(|e| Refusal::Said(stored::damaged(&e, json)))?;
    let channels: Vec<(&ChannelInfo, f64)> =
        found.iter().map(|s| (&s.channel, s.peak)).filter(|(c, _)| everywhere(&c.name)).collect();
    if channels.is_empty() {
        let help = "`interfield show` lists the channels of each; channels with equal names share a panel";
        return Err(Refusal::new("these results have no channel in common", help));
    }
    if let Some(panels) = recorded(&channels) {
        return Ok(panels);
    }
    let of = |quantity: &str| channels.iter().filter(|c| c.0.quantity == quantity).copied().collect::<Vec<_>>();
    let mut panels = Vec::new();
    panels.extend(of("load").first().map(|c| Wanted::new(vec![c.0.name.clone()], None)));
    panels.extend(largest(&of("displacement")));
    panels.extend(widest_loop(first, &channels, window).map_err(|e| Refusal::Said(stored::damaged(&e, json)))?);
    // A result without any of these: what it has, quantity by quantity.
    if panels.len() < 2 {
        let shown = |c: &ChannelInfo, panels: &[Wanted]| panels.iter().any(|p| p.channels.contains(&c.name));
        let mut groups: Vec<(&ChannelInfo, Vec<String>)> = Vec::new();
        for (c, _) in channels.iter().filter(|c| !shown(c.0, &panels)) {
            match groups.iter_mut().find(|g| (&g.0.quantity, &g.0.unit) == (&c.quantity, &c.unit)) {
                Some(group) if group.1.len() < TOGETHER => group.1.push(c.name.clone()),
                Some(_) => {}
                None => groups.push((c, vec![c.name.clone()])),
            }
        }
        panels.extend(groups.into_iter().map(|g| Wanted::new(g.1, None)));
        panels.truncate(PANELS);
    }
    Ok(panels)
}

/// The first actuator of a recording.
fn recorded(channels: &[(&ChannelInfo, f64)]) -> Option<Vec<Wanted>> {
    let there = |name: &String| channels.iter().any(|c| c.0.name == *name);
    let stem = channels.iter().find_map(|c| c.0.name.strip_suffix(".target"))?;
    let [target, reached, error, force] = ["target", "reached", "error", "force"].map(|n| format!("{stem}.{n}"));
    if ![&reached, &error, &force].into_iter().all(there) {
        return None;
    }
    Some(vec![
        Wanted::new(vec![target, reached.clone()], None),
        Wanted::new(vec![error], None),
        Wanted::new(vec![force], Some(&reached)),
    ])
}

/// The largest displacements along the axis of the largest, in the order of the file.
fn largest(displacements: &[(&ChannelInfo, f64)]) -> Option<Wanted> {
    let finite = || displacements.iter().filter(|c| c.1.is_finite());
    // A rotation and a length cannot be compared: lengths come first.
    let lengths = finite().any(|c| c.0.unit != "rad");
    let usable = || finite().filter(|c| !lengths || c.0.unit != "rad");
    let (most, _) = usable().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let mut alike: Vec<_> = usable()
        .filter(|c| short_name(&c.0.name) == short_name(&most.name) && c.0.unit == most.unit)
        .enumerate()
        .collect();
    alike.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    alike.truncate(TOGETHER);
    alike.sort_by_key(|c| c.0);
    Some(Wanted::new(alike.into_iter().map(|(_, c)| c.0.name.clone()).collect(), None))
}

/// The force of an element over its deformation, of the element that takes up most work.
fn widest_loop(
    reader: &Reader,
    channels: &[(&ChannelInfo, f64)],
    window: Window,
) -> interfield_results::Result<Option<Wanted>> {
    let deformation = |force: &str| {
        let name = force.replacen(".force", ".deformation", 1);
        channels.iter().any(|c| c.0.quantity == "deformation" && c.0.name == name).then_some(name)
    };
    let forces = channels.iter().filter(|c| c.0.quantity == "force");
    let pairs = forces.filter_map(|c| Some((c.0.name.clone(), deformation(&c.0.name)?)));
    let mut best: Option<(f64, Wanted)> = None;
    for (force, deformation) in pairs.take(LOOPS) {
        let (Some(f), Some(d)) = (reader.channel(&force), reader.channel(&deformation)) else { continue };
        let (mut work, mut last): (f64, Option<[f64; 2]>) = (0.0, None);
        stored::rows(reader, &[d, f], window, |_, row| {
            if let Some([d, f]) = last {
                work += 0.5 * (row[1] + f) * (row[0] - d);
            }
            last = Some([row[0], row[1]]);
        })?;
        if best.as_ref().is_none_or(|b| work.abs() > b.0) {
            best = Some((work.abs(), Wanted::new(vec![force], Some(&deformation))));
        }
    }
    Ok(best.map(|b| b.1))
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn stars_stand_for_any_letters() {
        assert!(is_like("storey12.force", "storey*.force") && is_like("größe.x", "*e.x") && is_like("a", "*"));
        assert!(!is_like("storey1.deformation", "storey*.force") && !is_like("roof.x", "roof.") && !is_like("", "a*"));
    }
}
