//! How nodes are held: which symbol of structural engineering says so, and on which side of the node it stands.

use super::Drawing;
use super::symbols::{Side, Symbol};

/// What holds a degree of freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// The node does not have it.
    #[default]
    Absent,
    /// Nothing.
    Free,
    /// The ground.
    Fixed,
    /// A motion that is imposed on it.
    Imposed,
}

impl Hold {
    fn holds(self) -> bool {
        matches!(self, Hold::Fixed | Hold::Imposed)
    }
}

/// What holds a node, along and about each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Translations.
    pub moves: [Hold; 3],
    /// Rotations.
    pub turns: [Hold; 3],
}

/// Names of the axes of a node.
pub(super) const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

impl Holds {
    fn each(&self) -> impl Iterator<Item = (usize, Hold)> {
        self.moves.into_iter().chain(self.turns).enumerate().filter(|(_, h)| *h != Hold::Absent)
    }

    /// Whether there are degrees of freedom, and this is so for all of them.
    pub(super) fn all(&self, is: impl Fn(Hold) -> bool) -> bool {
        self.each().next().is_some() && self.each().all(|(_, h)| is(h))
    }

    /// Axes that are held, in words: `x, y, rz`.
    pub(super) fn words(&self, how: Hold) -> String {
        let held: Vec<&str> = self.each().filter(|(_, h)| *h == how).map(|(i, _)| AXES[i]).collect();
        held.join(", ")
    }
}

/// Which symbol a support has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixity {
    /// Neither moves nor turns.
    Fixed,
    /// Turns only.
    Pinned,
    /// Turns, and moves along a surface.
    Roller,
    /// Moves along a surface without turning.
    Guided,
    /// Moves without turning.
    Turned,
    /// Where a spring meets the ground.
    Earth,
    /// A spring about an axis.
    Spiral,
}

impl Fixity {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fixity::Fixed => "fixed",
            Fixity::Pinned => "pinned",
            Fixity::Roller => "roller",
            Fixity::Guided => "guided",
            Fixity::Turned => "rotation held",
            Fixity::Earth => "ground",
            Fixity::Spiral => "rotational spring to the ground",
        }
    }
}

/// How a point is held.
#[derive(Clone, Debug)]
pub(crate) struct Support {
    pub fixity: Fixity,
    /// From the point to what holds it.
    towards: [f64; 3],
    /// What the symbol cannot say; may be empty.
    pub label: String,
    /// All of it in words.
    pub words: String,
}

impl Support {
    /// The foot of a link in this direction.
    pub(super) fn earth(towards: [f64; 3]) -> Self {
        Support { fixity: Fixity::Earth, towards, label: String::new(), words: String::new() }
    }

    /// A spring about an axis.
    pub(super) fn turning(name: &str) -> Self {
        let words = format!("{name}: rotational spring to the ground");
        Support { fixity: Fixity::Spiral, towards: [0.0, 0.0, -1.0], label: String::new(), words }
    }

    /// What a node with these holds has; `None` if it is free. `plane`: the axes to the right, up and towards the reader of a
    /// plane structure, of which only the motions in its plane decide; `away`: where the structure is not.
    pub(super) fn of(held: &Holds, plane: Option<[usize; 3]>, axes: [(usize, f64); 3], away: [f64; 3]) -> Option<Self> {
        let seen = match plane {
            Some([right, up, normal]) => {
                let mut moves = [Hold::Absent; 3];
                [right, up].iter().for_each(|&a| moves[a] = held.moves[a]);
                let mut turns = [Hold::Absent; 3];
                turns[normal] = held.turns[normal];
                let seen = Holds { moves, turns };
                // What moves out of the plane only is judged by that.
                if seen.each().next().is_none() { *held } else { seen }
            }
            None => *held,
        };
        let count = |holds: [Hold; 3], is: fn(Hold) -> bool| holds.into_iter().filter(|h| is(*h)).count();
        let there: fn(Hold) -> bool = |h| h != Hold::Absent;
        let (moves, moves_held) = (count(seen.moves, there), count(seen.moves, Hold::holds));
        let (turns, turns_held) = (count(seen.turns, there), count(seen.turns, Hold::holds));
        let stiff = turns > 0 && turns_held == turns;
        let fixity = match (moves_held, turns_held) {
            (0, 0) => return None,
            (0, _) if moves > 0 => Fixity::Turned,
            // A storey that only moves sideways stands on a base, a node of a truss on a pin.
            (m, _) if m == moves && (stiff || (turns == 0 && moves < 2)) => Fixity::Fixed,
            (m, _) if m == moves => Fixity::Pinned,
            _ if stiff => Fixity::Guided,
            _ => Fixity::Roller,
        };
        let towards = Self::direction(&seen, axes, away, fixity);
        let (fixed, imposed) = (held.words(Hold::Fixed), held.words(Hold::Imposed));
        // In the plane a symbol says all of what happens there; in space, few do.
        let plain = match plane {
            Some(_) => fixity != Fixity::Turned && (held == &seen || held.all(Hold::holds)),
            None => held.all(Hold::holds) || (fixity == Fixity::Pinned && turns_held == 0),
        };
        let mut label = Vec::new();
        if !plain && !fixed.is_empty() {
            label.push(format!("held: {fixed}"));
        }
        if !imposed.is_empty() {
            label.push(format!("imposed: {imposed}"));
        }
        let parts = [("held in", &fixed), ("moved as imposed in", &imposed)];
        let parts: Vec<String> = parts.iter().filter(|p| !p.1.is_empty()).map(|(w, a)| format!("{w} {a}")).collect();
        let words = format!("{}: {}", fixity.word(), parts.join("; "));
        Some(Support { fixity, towards, label: label.join("; "), words })
    }

    /// From a node to what holds it: along the axis that is held where the node can slide, else on the side where no member is.
    fn direction(seen: &Holds, axes: [(usize, f64); 3], away: [f64; 3], fixity: Fixity) -> [f64; 3] {
        let held = axes.map(|(axis, _)| seen.moves[axis].holds());
        let slides = matches!(fixity, Fixity::Roller | Fixity::Guided);
        let strongest = |candidates: [bool; 3]| {
            (0..3).filter(|&a| candidates[a]).max_by(|a, b| away[*a].abs().total_cmp(&away[*b].abs()))
        };
        // Upon the ground, unless it is held sideways.
        let axis = match slides {
            true if held[2] => Some(2),
            true => strongest(held),
            false => strongest([true; 3]).filter(|&a| away[a].abs() > 0.75 * away.iter().map(|x| x.abs()).sum::<f64>()),
        };
        let mut towards = [0.0; 3];
        match axis {
            Some(2) => towards[2] = if slides && away[2] <= 0.5 { -1.0 } else { away[2].signum() },
            Some(a) => towards[a] = if away[a] > 0.0 { 1.0 } else { -1.0 },
            None => towards[2] = -1.0,
        }
        if towards[2] == 0.0 && fixity == Fixity::Pinned { [0.0, 0.0, -1.0] } else { towards }
    }

    /// Whether it is drawn where the structure moves: springs about an axis would hide it.
    pub(crate) fn is_seen(&self) -> bool {
        self.fixity != Fixity::Spiral
    }

    /// As it is drawn from a direction.
    pub(crate) fn symbol(&self, direction: [f64; 2]) -> Symbol {
        let [x, y] = Drawing::project(self.towards, direction);
        let side = match () {
            () if x.abs() > 1.2 * y.abs() && x > 0.0 => Side::Right,
            () if x.abs() > 1.2 * y.abs() => Side::Left,
            () if y > 0.0 => Side::Above,
            () => Side::Below,
        };
        Symbol::support(self.fixity, side)
    }
}
