//! Symbolic analysis for the supernodal factorisation: columns with the same rows below are one *node*, a dense block.
//!
//! Nodes are the vertices of the elimination tree. A child that differs little from its parent is merged with it, at the
//! price of stored zeros: blocks become larger, and there are fewer of them. Children are ordered so that the stack of the
//! update matrices stays small (Liu 1986).

use std::ops::Range;

use crate::Pattern;
use crate::ordering::{NONE, ORDERINGS, Ordering, inverse};

/// Share of stored zeros up to which a child is merged with its parent, by the columns that both have together.
const RELAXED: [(u32, f64); 4] = [(8, 0.2), (24, 0.1), (64, 0.04), (u32::MAX, 0.01)];

/// A dense block of adjacent columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// First column, and number of columns.
    pub(crate) first: u32,
    pub(crate) width: u32,
    /// Rows below the columns: start and number in [`Tree::rows`].
    pub(crate) rows: usize,
    pub(crate) below: u32,
    /// Start of the block in the values, `height` by `width`, column by column.
    pub(crate) values: usize,
    /// First node of the subtree.
    pub(crate) subtree: u32,
    /// Multiplications of the subtree.
    pub(crate) products: f64,
}

impl Node {
    pub(crate) fn height(&self) -> usize {
        (self.width + self.below) as usize
    }
}

/// Where an entry of the matrix goes in the block of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) source: u32,
    pub(crate) target: u32,
}

/// What an unsymmetric matrix has above its diagonal, for each [`Entry`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mirror {
    /// Position of the entry above the diagonal in the values of the matrix.
    pub(crate) source: u32,
    /// Its place in the top square of the block, or [`NONE`] if it belongs to the rows below.
    pub(crate) inside: u32,
}

/// Everything about the factor that does not depend on values.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) ordering: &'static str,
    /// `order[new] = old`.
    pub(crate) order: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
    /// Rows below each node, ascending, and the place of each in the block of the parent (its columns, then its rows).
    pub(crate) rows: Vec<u32>,
    pub(crate) places: Vec<u32>,
    /// Children of each node, ascending (compressed rows).
    pub(crate) child_ptr: Vec<u32>,
    pub(crate) children: Vec<u32>,
    /// Nodes without a parent.
    pub(crate) roots: Vec<u32>,
    /// Entries of the matrix in each node (compressed rows).
    pub(crate) entry_ptr: Vec<u32>,
    pub(crate) entries: Vec<Entry>,
    /// Parallel to these; empty for symmetric values.
    pub(crate) mirrors: Vec<Mirror>,
    /// Position of each diagonal entry in the values of the matrix.
    pub(crate) diagonal: Vec<u32>,
    pub(crate) values_len: usize,
}

/// A node before the columns have their final numbers.
#[derive(Clone, Debug)]
struct Draft {
    columns: Vec<u32>,
    /// Rows below, and stored zeros.
    below: u32,
    zeros: f64,
    parent: u32,
}

fn stored(width: f64, below: f64) -> f64 {
    0.5 * width * (width + 1.0) + width * below
}

impl Tree {
    /// Entries of one triangle that a solution reads: the blocks without their upper triangles.
    pub(crate) fn read(&self) -> usize {
        let triangle = |w: usize| w * (w - 1) / 2;
        self.values_len - self.nodes.iter().map(|node| triangle(node.width as usize)).sum::<usize>()
    }

    /// The nodes of an ordering; `None` where one of them does not fit 32-bit indices.
    pub(crate) fn new(pattern: &Pattern, ordering: &Ordering, general: bool) -> Option<Tree> {
        let drafts = merged(drafts(ordering));
        let sequence = sequence(&drafts);
        let order: Vec<u32> = sequence
            .iter()
            .flat_map(|&s| drafts[s as usize].columns.iter().map(|&c| ordering.order[c as usize]))
            .collect();
        let place = {
            let mut place = vec![NONE; drafts.len()];
            sequence.iter().enumerate().for_each(|(k, &s)| place[s as usize] = k as u32);
            place
        };
        let parent: Vec<u32> =
            sequence.iter().map(|&s| place.get(drafts[s as usize].parent as usize).copied().unwrap_or(NONE)).collect();
        let widths: Vec<u32> = sequence.iter().map(|&s| drafts[s as usize].columns.len() as u32).collect();
        Tree::laid_out(pattern, general, ordering.name, order, &parent, &widths)
    }

    fn laid_out(
        pattern: &Pattern,
        general: bool,
        ordering: &'static str,
        order: Vec<u32>,
        parent: &[u32],
        widths: &[u32],
    ) -> Option<Tree> {
        let (n, count) = (order.len(), widths.len());
        let inv = inverse(&order);
        let (child_ptr, children) = children_of(parent);
        let mut nodes: Vec<Node> = Vec::with_capacity(count);
        let (mut rows, mut values_len) = (Vec::new(), 0usize);
        let mut seen = vec![NONE; n];
        let mut first = 0u32;
        for s in 0..count {
            let (width, begin) = (widths[s], rows.len());
            let end = first + width;
            let mut add = |row: u32, rows: &mut Vec<u32>| {
                if row >= end && std::mem::replace(&mut seen[row as usize], s as u32) != s as u32 {
                    rows.push(row);
                }
            };
            for j in first..end {
                pattern.columns(order[j as usize] as usize).iter().for_each(|&i| add(inv[i as usize], &mut rows));
            }
            let mut products = 0.0;
            let mut subtree = s as u32;
            for &c in &children[child_ptr[s] as usize..child_ptr[s + 1] as usize] {
                let child = nodes[c as usize];
                for k in child.rows..child.rows + child.below as usize {
                    let row = rows[k];
                    add(row, &mut rows);
                }
                products += child.products;
                subtree = subtree.min(child.subtree);
            }
            rows[begin..].sort_unstable();
            let below = (rows.len() - begin) as u32;
            let (w, m) = (f64::from(width), f64::from(below));
            products += 0.5 * w * m * m + 0.5 * w * w * m + w * w * w / 6.0;
            let node = Node { first, width, rows: begin, below, values: values_len, subtree, products };
            u32::try_from(node.height() * width as usize).ok()?;
            values_len += node.height() * width as usize;
            nodes.push(node);
            first = end;
        }
        // Only a damaged analysis has rows that its parents have not, or subtrees with gaps.
        let places = places(&nodes, &rows, parent)?;
        let mut sizes = vec![1u32; count];
        for s in 0..count {
            if s as u32 + 1 - nodes[s].subtree != sizes[s] {
                return None;
            }
            if let Some(up) = parent.get(s).and_then(|&p| sizes.get_mut(p as usize)) {
                *up += s as u32 + 1 - nodes[s].subtree;
            }
        }
        let (entry_ptr, mut entries, diagonal) = entries(pattern, &order, &inv, &nodes, &rows);
        let mirrors = if general { mirrors(pattern, &nodes, &entry_ptr, &mut entries) } else { Vec::new() };
        let roots = (0..count as u32).filter(|&s| parent[s as usize] == NONE).collect();
        Some(Tree {
            ordering,
            order,
            nodes,
            rows,
            places,
            child_ptr,
            children,
            roots,
            entry_ptr,
            entries,
            mirrors,
            diagonal,
            values_len,
        })
    }

    /// The nodes of an analysis in words, see `planned.rs`; `None` if they are not one of this pattern.
    pub(crate) fn restored(pattern: &Pattern, general: bool, words: &[u64]) -> Option<Tree> {
        let (&[n, count, name], rest) = words.split_first_chunk::<3>()?;
        let (n, count) = (usize::try_from(n).ok()?, usize::try_from(count).ok()?);
        if n != pattern.n() || count > n || rest.len() != n + 2 * count {
            return None;
        }
        let numbers = |list: &[u64]| list.iter().map(|&x| u32::try_from(x).ok()).collect::<Option<Vec<u32>>>();
        let (order, widths) = (numbers(&rest[..n])?, numbers(&rest[n..n + count])?);
        let parent: Vec<u32> = rest[n + count..].iter().map(|&p| u32::try_from(p).unwrap_or(NONE)).collect();
        let mut seen = vec![false; n];
        let permutes = order.iter().all(|&i| seen.get_mut(i as usize).is_some_and(|s| !std::mem::replace(s, true)));
        let tiles = widths.iter().all(|&w| w > 0) && widths.iter().map(|&w| u64::from(w)).sum::<u64>() == n as u64;
        let rises = parent.iter().enumerate().all(|(s, &p)| p == NONE || (p as usize > s && (p as usize) < count));
        let name = *ORDERINGS.get(usize::try_from(name).ok()?)?;
        (permutes && tiles && rises).then(|| Tree::laid_out(pattern, general, name, order, &parent, &widths))?
    }

    pub(crate) fn children(&self, s: usize) -> &[u32] {
        &self.children[self.child_ptr[s] as usize..self.child_ptr[s + 1] as usize]
    }

    pub(crate) fn entries(&self, s: usize) -> &[Entry] {
        &self.entries[self.entry_ptr[s] as usize..self.entry_ptr[s + 1] as usize]
    }

    pub(crate) fn mirrors(&self, s: usize) -> &[Mirror] {
        &self.mirrors[self.entry_ptr[s] as usize..self.entry_ptr[s + 1] as usize]
    }

    pub(crate) fn rows(&self, node: &Node) -> &[u32] {
        &self.rows[node.rows..][..node.below as usize]
    }

    pub(crate) fn places(&self, node: &Node) -> &[u32] {
        &self.places[node.rows..][..node.below as usize]
    }

    /// Values on the stack of update matrices when the nodes of a subtree are factorised one by one.
    pub(crate) fn stack(&self, nodes: Range<usize>) -> usize {
        let square = |s: usize| (self.nodes[s].below as usize).pow(2);
        let (mut top, mut most) = (0, 0);
        for s in nodes {
            most = most.max(top + square(s));
            top += square(s);
            top -= self.children(s).iter().map(|&c| square(c as usize)).sum::<usize>();
        }
        most
    }
}

/// Runs of columns with the same rows below.
fn drafts(ordering: &Ordering) -> Vec<Draft> {
    let (parent, counts) = (&ordering.parent, &ordering.counts);
    let n = parent.len();
    let mut out: Vec<Draft> = Vec::new();
    let mut node = vec![0u32; n];
    for j in 0..n {
        let joins = j > 0 && parent[j - 1] as usize == j && counts[j - 1] == counts[j] + 1;
        match out.last_mut() {
            Some(last) if joins => last.columns.push(j as u32),
            _ => out.push(Draft { columns: vec![j as u32], below: 0, zeros: 0.0, parent: NONE }),
        }
        node[j] = out.len() as u32 - 1;
    }
    for draft in &mut out {
        let last = draft.columns[draft.columns.len() - 1] as usize;
        draft.below = counts[last] - 1;
        draft.parent = node.get(parent[last] as usize).copied().unwrap_or(NONE);
    }
    out
}

/// Merges children with their parents where that stores few zeros.
fn merged(mut drafts: Vec<Draft>) -> Vec<Draft> {
    let parents: Vec<u32> = drafts.iter().map(|d| d.parent).collect();
    let (ptr, children) = children_of(&parents);
    // The node that a merged one is now part of.
    let mut part_of: Vec<u32> = (0..drafts.len() as u32).collect();
    for p in 0..drafts.len() {
        let mut own = children[ptr[p] as usize..ptr[p + 1] as usize].to_vec();
        // The child that shares most rows first.
        own.sort_by_key(|&c| std::cmp::Reverse((drafts[c as usize].below, c)));
        for c in own {
            let c = c as usize;
            let size = |d: &Draft| (d.columns.len() as f64, f64::from(d.below));
            let ((wc, mc), (wp, mp)) = (size(&drafts[c]), size(&drafts[p]));
            let whole = stored(wc + wp, mp);
            let zeros = drafts[c].zeros + drafts[p].zeros + whole - stored(wc, mc) - stored(wp, mp);
            let columns = (wc + wp) as u32;
            let share = RELAXED.iter().find(|r| columns <= r.0).map_or(0.0, |r| r.1);
            if zeros <= share * whole {
                let mut columns = std::mem::take(&mut drafts[c].columns);
                columns.append(&mut drafts[p].columns);
                columns.sort_unstable();
                drafts[p].columns = columns;
                drafts[p].zeros = zeros;
                part_of[c] = p as u32;
            }
        }
    }
    // Parents come after their children, so one pass from the top resolves chains.
    for s in (0..drafts.len()).rev() {
        part_of[s] = part_of[part_of[s] as usize];
    }
    let mut number = vec![NONE; drafts.len()];
    let mut count = 0;
    for s in 0..drafts.len() {
        if part_of[s] as usize == s {
            number[s] = count;
            count += 1;
        }
    }
    let parent_of = |s: usize| {
        let up = part_of.get(parents[s] as usize).map_or(NONE, |&p| p);
        number.get(up as usize).copied().unwrap_or(NONE)
    };
    let kept: Vec<u32> = (0..drafts.len()).filter(|&s| part_of[s] as usize == s).map(parent_of).collect();
    let mut out: Vec<Draft> = drafts.into_iter().filter(|d| !d.columns.is_empty()).collect();
    out.iter_mut().zip(kept).for_each(|(draft, parent)| draft.parent = parent);
    out
}

/// Children of each node, ascending (compressed rows).
fn children_of(parent: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut ptr = vec![0u32; parent.len() + 1];
    for &p in parent.iter().filter(|&&p| p != NONE) {
        ptr[p as usize + 1] += 1;
    }
    for s in 0..parent.len() {
        ptr[s + 1] += ptr[s];
    }
    let mut next = ptr.clone();
    let mut children = vec![0; ptr[parent.len()] as usize];
    for (s, &p) in parent.iter().enumerate().filter(|(_, p)| **p != NONE) {
        children[next[p as usize] as usize] = s as u32;
        next[p as usize] += 1;
    }
    (ptr, children)
}

/// Post-order of the nodes in which the stack of update matrices stays small: of the children of a node the one that needs
/// most beyond what it leaves comes first.
fn sequence(drafts: &[Draft]) -> Vec<u32> {
    let parents: Vec<u32> = drafts.iter().map(|d| d.parent).collect();
    let (ptr, mut children) = children_of(&parents);
    let square = |s: u32| f64::from(drafts[s as usize].below).powi(2);
    let mut peak = vec![0.0f64; drafts.len()];
    for s in 0..drafts.len() {
        let own = &mut children[ptr[s] as usize..ptr[s + 1] as usize];
        let excess = |c: u32| peak[c as usize] - square(c);
        own.sort_by(|&a, &b| excess(b).total_cmp(&excess(a)).then(a.cmp(&b)));
        let (mut held, mut most) = (0.0, 0.0f64);
        for &c in own.iter() {
            most = most.max(held + peak[c as usize]);
            held += square(c);
        }
        peak[s] = most.max(held + square(s as u32));
    }
    let mut out = Vec::with_capacity(drafts.len());
    let mut stack: Vec<(u32, u32)> = Vec::new();
    for root in (0..drafts.len() as u32).filter(|&s| parents[s as usize] == NONE) {
        stack.push((root, ptr[root as usize]));
        while let Some((s, next)) = stack.last_mut() {
            if *next < ptr[*s as usize + 1] {
                let child = children[*next as usize];
                *next += 1;
                stack.push((child, ptr[child as usize]));
            } else {
                out.push(*s);
                stack.pop();
            }
        }
    }
    out
}

/// Place of every row of a node in the block of its parent.
fn places(nodes: &[Node], rows: &[u32], parent: &[u32]) -> Option<Vec<u32>> {
    let mut out = vec![0; rows.len()];
    for (node, &p) in nodes.iter().zip(parent) {
        let Some(up) = nodes.get(p as usize) else {
            if node.below > 0 {
                return None;
            }
            continue;
        };
        let above = &rows[up.rows..][..up.below as usize];
        let mut at = 0;
        for k in node.rows..node.rows + node.below as usize {
            out[k] = if rows[k] < up.first + up.width {
                rows[k].checked_sub(up.first)?
            } else {
                while *above.get(at)? < rows[k] {
                    at += 1;
                }
                if above[at] != rows[k] {
                    return None;
                }
                up.width + at as u32
            };
        }
    }
    Some(out)
}

/// Where the entries of the matrix go, and the positions of its diagonal.
fn entries(
    pattern: &Pattern,
    order: &[u32],
    inv: &[u32],
    nodes: &[Node],
    rows: &[u32],
) -> (Vec<u32>, Vec<Entry>, Vec<u32>) {
    let (mut ptr, mut entries) = (vec![0u32], Vec::with_capacity(pattern.nnz() / 2 + order.len()));
    let mut diagonal = Vec::with_capacity(order.len());
    let mut local = vec![0u32; order.len()];
    for node in nodes {
        for (k, &row) in rows[node.rows..][..node.below as usize].iter().enumerate() {
            local[row as usize] = node.width + k as u32;
        }
        let own = node.first..node.first + node.width;
        own.clone().for_each(|j| local[j as usize] = j - node.first);
        for j in own {
            let old = order[j as usize] as usize;
            for (source, &i) in pattern.row(old).zip(pattern.columns(old)) {
                let i = inv[i as usize];
                if i == j {
                    diagonal.push(source as u32);
                }
                if i >= j {
                    let target = (j - node.first) as usize * node.height() + local[i as usize] as usize;
                    entries.push(Entry { source: source as u32, target: target as u32 });
                }
            }
        }
        ptr.push(entries.len() as u32);
    }
    (ptr, entries, diagonal)
}

/// The entries above the diagonal, and in `entries` the positions of those below it in place of theirs.
fn mirrors(pattern: &Pattern, nodes: &[Node], ptr: &[u32], entries: &mut [Entry]) -> Vec<Mirror> {
    let columns = pattern.raw().1;
    let mut out = Vec::with_capacity(entries.len());
    for (node, range) in nodes.iter().zip(ptr.windows(2)) {
        let height = node.height() as u32;
        let mut row = NONE;
        let mut begin = NONE;
        for entry in &mut entries[range[0] as usize..range[1] as usize] {
            // Entries of a column follow each other in the order of their row in the matrix.
            if begin == NONE || entry.source as usize >= pattern.row(row as usize).end || entry.source < begin {
                row = pattern.row_of(entry.source as usize) as u32;
                begin = pattern.row(row as usize).start as u32;
            }
            let (i, j) = (entry.target % height, entry.target / height);
            out.push(Mirror { source: entry.source, inside: if i < node.width { i * height + j } else { NONE } });
            let other = columns[entry.source as usize] as usize;
            // The pattern is symmetric, so the mirror image exists.
            entry.source = pattern.position(other, row as usize).map_or(entry.source, |p| p as u32);
        }
    }
    out
}
