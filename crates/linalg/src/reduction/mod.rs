//! Reduction of a linear component to the unknowns that it shares with others and a few generalised ones.
//!
//! Names as in the sheet of Craig and Bampton (AIAA J. 6, 1968): b kept unknowns, i interior ones, Ψ = −K_ii⁻¹ K_ib the static motions
//! (constraint modes), P = M_ib + M_ii Ψ their inertia, Φ modes of the interior between fixed b, so
//!
//! ```text
//! u_i = Ψ u_b + Φ η,  K_r = diag(K_bb + K_bi Ψ, Ω²),  M_r = [M_bb + M_bi Ψ + Ψᵀ P, Lᵀ; L, I],  L = Φᵀ P
//! ```
//!
//! Exact for any number of modes: static response to forces on b, rigid-body motion, total mass. *Residual vectors* K_ii⁻¹ [P, F] beside
//! the modes make the response to interface accelerations and to the loads F exact in statics, too, and the error of the interface's
//! dynamic stiffness grows with ω⁸ instead of ω⁴. What is lost is bounded, not estimated: see `bound.rs`.
//!
//! For preparation; everything allocates. Kept here and not in a crate of its own because it knows numbers and indices only.

mod bound;
mod characteristic;
mod rubin;

use crate::Pattern;
use crate::choice::SymmetricFactor;
use crate::eigen::{EigenError, dense_symmetric_generalized, symmetric_eigen};
use crate::lanczos::{Lanczos, Pair, Pencil, Wanted};
use crate::modes::{DENSE_LIMIT, dot};
use crate::tall;

pub use bound::{Bound, Damped, Lost};
pub use rubin::free_interface;

/// Residual vectors whose share beside the others is below this (of the scaled Gram matrix) add nothing.
const DEPENDENT: f64 = 1e-10;

/// Share of its energy below which what the modes leave of a static motion is rounding.
const NOTHING_LEFT: f64 = 1e-22;

/// Share of the inertia of a kept unknown below which what generalised ones leave of it is rounding.
const CARRIED: f64 = 1e-10;

/// A linear component with symmetric matrices on one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Component<'a> {
    /// Which unknowns are coupled.
    pub pattern: &'a Pattern,
    /// K.
    pub stiffness: &'a [f64],
    /// M.
    pub mass: &'a [f64],
    /// The kept unknowns, rising.
    pub kept: &'a [usize],
}

/// Why a component cannot be reduced.
#[derive(Clone, Debug, PartialEq)]
pub enum Unreducible {
    /// The interior can move without resistance while the kept unknowns stand: it stands at this row (of the component).
    Mechanism {
        /// Row of the component.
        row: usize,
    },
    /// The interior is unstable while the kept unknowns stand.
    Unstable {
        /// Number of negative eigenvalues of its stiffness.
        negative: usize,
    },
    /// The modes were not found.
    Modes(EigenError),
    /// The flexibility that is left beside the modes has this condition number: the interface or the number of modes is too large for a free
    /// interface.
    Condition(f64),
}

impl From<EigenError> for Unreducible {
    fn from(e: EigenError) -> Self {
        Unreducible::Modes(e)
    }
}

/// A reduced component. Its unknowns are the kept ones and then the generalised ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Superelement {
    /// Number of kept unknowns.
    pub kept: usize,
    /// Number of modes among the generalised unknowns; residual vectors follow them.
    pub modes: usize,
    /// ω² of the modes, rad²/s².
    pub omega2: Vec<f64>,
    /// ω² of the first mode that is not among them; none if all are.
    pub next: Option<f64>,
    /// Reduced stiffness, row by row.
    pub stiffness: Vec<f64>,
    /// Reduced mass, row by row.
    pub mass: Vec<f64>,
    /// Rows of the component that are interior, rising.
    pub interior: Vec<usize>,
    /// Motion of the interior by each reduced unknown: T.
    pub motions: Vec<Vec<f64>>,
}

/// The matrices of a component in its kept unknowns and the motions of a basis, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices {
    /// Number of kept unknowns.
    pub kept: usize,
    /// Number of all unknowns.
    pub size: usize,
    /// K.
    pub stiffness: Vec<f64>,
    /// M.
    pub mass: Vec<f64>,
}

impl Superelement {
    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.motions.len()
    }

    /// Tᵀ A T of a matrix on the pattern of the component, row by row.
    pub fn projected(&self, component: &Component<'_>, values: &[f64]) -> Vec<f64> {
        let (n, size) = (component.pattern.n(), self.size());
        let (mut x, mut product, mut out) = (vec![0.0; n], vec![0.0; n], vec![0.0; size * size]);
        for j in 0..size {
            x.fill(0.0);
            self.interior.iter().zip(&self.motions[j]).for_each(|(&i, v)| x[i] = *v);
            if let Some(&b) = component.kept.get(j) {
                x[b] = 1.0;
            }
            component.pattern.mul(values, &x, &mut product);
            self.load(component, &product).into_iter().enumerate().for_each(|(i, v)| out[i * size + j] = v);
        }
        out
    }

    /// Tᵀ f of a load on the rows of the component.
    pub fn load(&self, component: &Component<'_>, f: &[f64]) -> Vec<f64> {
        let inside: Vec<f64> = self.interior.iter().map(|&i| f[i]).collect();
        let mut out = tall::shares(&self.motions, &inside);
        component.kept.iter().zip(&mut out).for_each(|(&b, out)| *out += f[b]);
        out
    }

    /// Its matrices by themselves.
    pub fn matrices(&self) -> Matrices {
        let (stiffness, mass) = (self.stiffness.clone(), self.mass.clone());
        Matrices { kept: self.kept, size: self.size(), stiffness, mass }
    }

    /// Where the generalised unknowns carry all inertia of what a kept one moves, the kept one moves nothing of it: each generalised unknown then
    /// counts from where the static motion has it. In the other coordinates such a mass matrix is singular up to rounding, and a kept unknown without
    /// a mass of its own could not be told from one with.
    fn with_free_inertia(mut self) -> Self {
        let (nb, n) = (self.kept, self.size());
        let l: Vec<f64> =
            (nb..n).flat_map(|j| (0..nb).map(move |b| (j, b))).map(|(j, b)| self.mass[j * n + b]).collect();
        let carried = |a: usize, b: usize, by: &dyn Fn(usize) -> f64| -> f64 {
            (0..n - nb).map(|j| l[j * nb + a] * by(j) * l[j * nb + b]).sum()
        };
        let rounding = |a: usize, b: usize| CARRIED * (self.mass[a * n + a] * self.mass[b * n + b]).abs().sqrt();
        if self.next.is_some() || !(0..nb).any(|b| self.mass[b * n + b] - carried(b, b, &|_| 1.0) <= rounding(b, b)) {
            return self;
        }
        let (mut stiffness, mut mass) = (self.stiffness.clone(), self.mass.clone());
        for a in 0..nb {
            for b in 0..nb {
                let left = self.mass[a * n + b] - carried(a, b, &|_| 1.0);
                mass[a * n + b] = if left.abs() <= rounding(a, b) { 0.0 } else { left };
                stiffness[a * n + b] += carried(a, b, &|j| self.stiffness[(nb + j) * (n + 1)]);
            }
            for j in 0..n - nb {
                let k = -self.stiffness[(nb + j) * (n + 1)] * l[j * nb + a];
                for (row, column) in [(a, nb + j), (nb + j, a)] {
                    stiffness[row * n + column] = k;
                    mass[row * n + column] = 0.0;
                }
            }
        }
        let (statics, shapes) = self.motions.split_at_mut(nb);
        for (b, motion) in statics.iter_mut().enumerate() {
            let shares: Vec<f64> = (0..n - nb).map(|j| -l[j * nb + b]).collect();
            tall::add(motion, &shares, shapes);
        }
        Superelement { stiffness, mass, ..self }
    }

    /// The largest circular frequency of the component with free kept unknowns, rad/s: what limits the step of an explicit scheme. None where
    /// a kept unknown has no mass.
    pub fn highest(&self) -> Option<f64> {
        let (values, _) = dense_symmetric_generalized(&self.stiffness, &self.mass, self.size()).ok()?;
        values.last().map(|v| v.max(0.0).sqrt())
    }

    /// That of its [`matrices`](Superelement::matrices).
    pub fn dynamic_stiffness(&self, omega2: f64, loads: &[Vec<f64>]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        self.matrices().dynamic_stiffness(omega2, loads)
    }

    /// The share of the inertia under an acceleration of one along `along` that the reduced unknowns have; `load` is M times `along`. One
    /// if nothing is lost.
    pub fn mass_share(&self, component: &Component<'_>, along: &[f64], load: &[f64]) -> Result<f64, EigenError> {
        let (n, f) = (self.size(), self.load(component, load));
        let scale: Vec<f64> =
            (0..n).map(|i| self.mass[i * n + i]).map(|m| if m > 0.0 { m.sqrt().recip() } else { 0.0 }).collect();
        let scaled: Vec<f64> = (0..n * n).map(|p| self.mass[p] * scale[p / n] * scale[p % n]).collect();
        let (values, vectors) = symmetric_eigen(&scaled, n)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let there = values.iter().zip(&vectors).filter(|v| *v.0 > 1e-12 * largest);
        let share = |(value, x): (&f64, &Vec<f64>)| {
            let along: f64 = x.iter().zip(&scale).zip(&f).map(|((x, d), f)| x * d * f).sum();
            along * along / value
        };
        Ok(there.map(share).sum::<f64>() / dot(along, load))
    }
}

impl Matrices {
    /// K − ω²M between the kept unknowns, row by row, and what `loads` over all unknowns send to them while they stand; none at a frequency
    /// of the others.
    pub fn dynamic_stiffness(&self, omega2: f64, loads: &[Vec<f64>]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
        let (n, nb) = (self.size, self.kept);
        let (rest, columns) = (n - nb, nb + loads.len());
        let at = |i: usize, j: usize| self.stiffness[i * n + j] - omega2 * self.mass[i * n + j];
        let side = |i: usize, j: usize| if j < nb { at(i, j) } else { loads[j - nb][i] };
        let inner: Vec<f64> = (nb..n).flat_map(|i| (nb..n).map(move |j| at(i, j))).collect();
        let mut x: Vec<f64> = (nb..n).flat_map(|i| (0..columns).map(move |j| side(i, j))).collect();
        if rest > 0 && !crate::dense_solve(&inner, rest, &mut x, columns) {
            return None;
        }
        let entry =
            |i: usize, j: usize| side(i, j) - (0..rest).map(|k| at(i, nb + k) * x[k * columns + j]).sum::<f64>();
        let z = (0..nb).flat_map(|i| (0..nb).map(move |j| entry(i, j))).collect();
        Some((z, (nb..columns).map(|j| (0..nb).map(|i| entry(i, j)).collect()).collect()))
    }
}

/// The interior of a component between its kept unknowns, factorised.
pub struct Interior<'a> {
    component: Component<'a>,
    rows: Vec<usize>,
    pattern: Pattern,
    k: Vec<f64>,
    m: Vec<f64>,
    factor: SymmetricFactor,
    /// Ψ and P by columns.
    psi: Vec<Vec<f64>>,
    p: Vec<Vec<f64>>,
    /// The search for modes, which goes on when more are wanted.
    search: Option<Lanczos>,
}

/// Generalised motions of an interior, orthonormal in its mass.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    /// Modes, and then residual vectors: ω² and shape.
    vectors: Vec<Pair>,
    /// Number of modes.
    modes: usize,
    /// ω² of the first mode that is missing.
    next: Option<f64>,
}

impl Basis {
    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.modes
    }

    /// ω² of the first mode that is missing; none if there is no other.
    pub fn next(&self) -> Option<f64> {
        self.next
    }
}

/// A matrix on a pattern restricted to some rows and columns; `place` is their new number.
fn restricted(
    pattern: &Pattern,
    rows: &[usize],
    place: &[Option<usize>],
    values: [&[f64]; 2],
) -> (Pattern, [Vec<f64>; 2]) {
    let entries = rows.iter().enumerate().flat_map(|(a, &i)| {
        pattern.columns(i).iter().filter_map(move |&j| place[j as usize].filter(|b| a < *b).map(|b| (a, b)))
    });
    let inner = Pattern::new(rows.len(), entries);
    let mut out = [vec![0.0; inner.nnz()], vec![0.0; inner.nnz()]];
    for (a, &i) in rows.iter().enumerate() {
        // Both lists of columns rise, so the places of one are met in the order of the other.
        let found = pattern.row(i).zip(pattern.columns(i)).filter(|(_, j)| place[**j as usize].is_some());
        for (to, (from, _)) in inner.row(a).zip(found) {
            out.iter_mut().zip(values).for_each(|(out, values)| out[to] = values[from]);
        }
    }
    (inner, out)
}

impl<'a> Interior<'a> {
    /// Factorises the interior and finds its static motions.
    ///
    /// # Errors
    /// When it moves without resistance while the kept unknowns stand, or is unstable.
    pub fn new(component: Component<'a>) -> Result<Self, Unreducible> {
        let n = component.pattern.n();
        let mut place = vec![Some(0); n];
        component.kept.iter().for_each(|&b| place[b] = None);
        let rows: Vec<usize> = (0..n).filter(|&i| place[i].is_some()).collect();
        rows.iter().enumerate().for_each(|(a, &i)| place[i] = Some(a));
        let (pattern, [k, m]) = restricted(component.pattern, &rows, &place, [component.stiffness, component.mass]);
        let mut factor = SymmetricFactor::new(&pattern);
        factor.factorize(&k).map_err(|row| Unreducible::Mechanism { row: rows[row] })?;
        match factor.negative_pivots() {
            0 => {}
            negative => return Err(Unreducible::Unstable { negative }),
        }
        let (mut psi, mut p) = (Vec::new(), Vec::new());
        for &b in component.kept {
            let (mut motion, mut inertia) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
            for (at, &j) in component.pattern.row(b).zip(component.pattern.columns(b)) {
                if let Some(a) = place[j as usize] {
                    motion[a] = -component.stiffness[at];
                    inertia[a] = component.mass[at];
                }
            }
            if motion.iter().any(|x| *x != 0.0) {
                factor.solve(&mut motion);
            }
            pattern.mul_add(&m, &motion, &mut inertia);
            psi.push(motion);
            p.push(inertia);
        }
        Ok(Interior { component, rows, pattern, k, m, factor, psi, p, search: None })
    }

    /// Number of interior unknowns.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The interior part of a vector over the component.
    pub fn part(&self, x: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|&i| x[i]).collect()
    }

    /// Modes of the interior, at most `most` of them.
    ///
    /// # Errors
    /// When they were not found, or are more.
    pub fn modes(&mut self, wanted: Wanted, most: usize) -> Result<Basis, EigenError> {
        let few = match wanted {
            Wanted::Count(count) => self.size() < 60 || (4 * count > self.size() && self.size() <= DENSE_LIMIT),
            Wanted::Below(_) => self.size() < 60,
        };
        let (vectors, next) = if few {
            // All at once.
            let all = match self.size() {
                0 => Vec::new(),
                n => match crate::modes(&self.pattern, &self.k, &self.m, n) {
                    Ok(all) => all.omega2.into_iter().zip(all.shapes).collect(),
                    Err(e) => return Err(e),
                },
            };
            let count = match wanted {
                Wanted::Count(count) => count.min(all.len()),
                Wanted::Below(limit) => all.iter().filter(|p: &&Pair| p.0 < limit).count(),
            };
            if count > most {
                return Err(EigenError::TooMany { most });
            }
            let next = all.get(count).map(|p| p.0);
            (all.into_iter().take(count).collect::<Vec<Pair>>(), next)
        } else {
            let mut on = Pencil { pattern: &self.pattern, k: &self.k, m: &self.m, factor: &mut self.factor };
            let search = self.search.get_or_insert_with(|| Lanczos::new(&mut on));
            search.find(&mut on, wanted, most)?
        };
        Ok(Basis { modes: vectors.len(), vectors, next })
    }

    /// Adds residual vectors: static motions by the inertia of interface motions and by `loads` over the interior, as far as the modes do
    /// not have them.
    ///
    /// # Errors
    /// When a small eigenvalue problem has no answer.
    pub fn add_residual(&mut self, basis: &mut Basis, loads: &[Vec<f64>]) -> Result<(), EigenError> {
        let modes = &basis.vectors[..basis.modes];
        let shapes: Vec<&[f64]> = modes.iter().map(|v| v.1.as_slice()).collect();
        let mut motions: Vec<Vec<f64>> = Vec::new();
        for source in self.p.iter().chain(loads) {
            let mut f = source.clone();
            let shares = self.beside(basis, &mut f);
            if f.iter().all(|x| *x == 0.0) {
                continue;
            }
            let carried: f64 = modes.iter().zip(shares).map(|((w, _), share)| share * share / w).sum();
            let force = f.clone();
            self.factor.solve(&mut f);
            let left = dot(&force, &f);
            if left <= NOTHING_LEFT * (carried + left) {
                continue;
            }
            // A second time takes what the rounding of the first leaves.
            for _ in 0..2 {
                let mut shares = tall::shares(&shapes, &self.product(&self.m, &f));
                shares.iter_mut().for_each(|s| *s = -*s);
                tall::add(&mut f, &shares, &shapes);
            }
            motions.push(f);
        }
        let inertia: Vec<Vec<f64>> = motions.iter().map(|y| self.product(&self.m, y)).collect();
        let size: Vec<f64> = motions.iter().zip(&inertia).map(|(y, my)| dot(y, my)).collect();
        let heavy: Vec<usize> = (0..motions.len()).filter(|&j| size[j] > f64::MIN_POSITIVE).collect();
        let count = heavy.len();
        let all = tall::products(&motions, &inertia);
        let gram: Vec<f64> = heavy
            .iter()
            .flat_map(|&i| heavy.iter().map(move |&j| (i, j)))
            .map(|(i, j)| all[i * motions.len() + j] / (size[i] * size[j]).sqrt())
            .collect();
        drop(inertia);
        let (values, vectors) = symmetric_eigen(&gram, count)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let independent: Vec<Vec<f64>> = values
            .iter()
            .zip(&vectors)
            .filter(|(value, _)| **value > DEPENDENT * largest)
            .map(|(value, q)| {
                let mut factors = vec![0.0; motions.len()];
                q.iter().zip(&heavy).for_each(|(q, &j)| factors[j] = q / (value * size[j]).sqrt());
                factors
            })
            .collect();
        let independent = tall::sums(self.size(), &independent, &motions);
        drop(motions);
        // Among themselves they make the stiffness diagonal.
        let stiff: Vec<Vec<f64>> = independent.iter().map(|y| self.product(&self.k, y)).collect();
        let (values, vectors) = symmetric_eigen(&tall::products(&independent, &stiff), independent.len())?;
        let mut shapes = tall::sums(self.rows.len(), &vectors, &independent);
        shapes.iter_mut().for_each(|x| crate::modes::normalise(&self.pattern, &self.m, x));
        basis.vectors.extend(values.into_iter().zip(shapes));
        Ok(())
    }

    /// The matrices of the component in its kept unknowns and the motions of a basis.
    pub fn matrices(&self, basis: &Basis) -> Matrices {
        let Component { pattern, stiffness, mass, kept } = self.component;
        let (nb, size) = (kept.len(), kept.len() + basis.vectors.len());
        let (mut k, mut m) = (vec![0.0; size * size], vec![0.0; size * size]);
        let mut place = vec![None; pattern.n()];
        self.rows.iter().enumerate().for_each(|(a, &i)| place[i] = Some(a));
        let inertia = tall::products(&self.psi, &self.p);
        for (row, &b) in kept.iter().enumerate() {
            for (at, &j) in pattern.row(b).zip(pattern.columns(b)) {
                match (place[j as usize], kept.binary_search(&(j as usize))) {
                    (Some(a), _) => (0..nb).for_each(|column| {
                        k[row * size + column] += stiffness[at] * self.psi[column][a];
                        m[row * size + column] += mass[at] * self.psi[column][a];
                    }),
                    (None, Ok(column)) => {
                        k[row * size + column] += stiffness[at];
                        m[row * size + column] += mass[at];
                    }
                    (None, Err(_)) => {}
                }
            }
            for column in 0..nb {
                m[row * size + column] += inertia[row * nb + column];
            }
        }
        let shapes: Vec<&[f64]> = basis.vectors.iter().map(|v| v.1.as_slice()).collect();
        let coupling = tall::products(&shapes, &self.p);
        for (j, (omega2, _)) in basis.vectors.iter().enumerate() {
            let at = nb + j;
            k[at * size + at] = *omega2;
            m[at * size + at] = 1.0;
            for b in 0..nb {
                let l = coupling[j * nb + b];
                m[at * size + b] = l;
                m[b * size + at] = l;
            }
        }
        let [stiffness, mass] = [k, m].map(|a| symmetric(a, size));
        Matrices { kept: nb, size, stiffness, mass }
    }

    /// The component in its kept unknowns and the motions of a basis.
    pub fn superelement(&self, basis: &Basis) -> Superelement {
        let motions = self.psi.iter().chain(basis.vectors.iter().map(|v| &v.1)).cloned().collect();
        self.element(basis, motions, self.rows.clone()).with_free_inertia()
    }

    /// The same without copies of long vectors.
    pub fn into_superelement(mut self, mut basis: Basis) -> Superelement {
        let element = self.element(&basis, Vec::new(), Vec::new());
        let shapes = std::mem::take(&mut basis.vectors).into_iter().map(|v| v.1);
        let motions = std::mem::take(&mut self.psi).into_iter().chain(shapes).collect();
        Superelement { motions, interior: std::mem::take(&mut self.rows), ..element }.with_free_inertia()
    }

    fn element(&self, basis: &Basis, motions: Vec<Vec<f64>>, interior: Vec<usize>) -> Superelement {
        let Matrices { kept, stiffness, mass, .. } = self.matrices(basis);
        let omega2 = basis.vectors[..basis.modes].iter().map(|v| v.0).collect();
        Superelement { kept, modes: basis.modes, omega2, next: basis.next, stiffness, mass, interior, motions }
    }

    /// Tᵀ f of a load on the rows of the component.
    pub fn load(&self, basis: &Basis, f: &[f64]) -> Vec<f64> {
        let motions: Vec<&[f64]> =
            self.psi.iter().chain(basis.vectors.iter().map(|v| &v.1)).map(Vec::as_slice).collect();
        let mut out = tall::shares(&motions, &self.part(f));
        self.component.kept.iter().zip(&mut out).for_each(|(&b, out)| *out += f[b]);
        out
    }

    /// Dynamic stiffness K − ω²M of the component between its kept unknowns, exactly, row by row: by a factor of its own.
    ///
    /// # Errors
    /// At a frequency of the interior.
    pub fn dynamic_stiffness(&self, omega2: f64) -> Result<Vec<f64>, Unreducible> {
        let nb = self.component.kept.len();
        let values: Vec<f64> = self.k.iter().zip(&self.m).map(|(k, m)| k - omega2 * m).collect();
        let mut factor = SymmetricFactor::new(&self.pattern);
        factor.factorize(&values).map_err(|row| Unreducible::Mechanism { row: self.rows[row] })?;
        let statics = self.matrices(&Basis::default());
        let mut z: Vec<f64> = statics.stiffness.iter().zip(&statics.mass).map(|(k, m)| k - omega2 * m).collect();
        for column in 0..nb {
            let mut x = self.p[column].clone();
            factor.solve(&mut x);
            (0..nb).for_each(|row| z[row * nb + column] -= omega2 * omega2 * dot(&self.p[row], &x));
        }
        Ok(z)
    }

    /// Takes the part that the modes carry out of a force; returns their shares in it.
    fn beside(&self, basis: &Basis, f: &mut [f64]) -> Vec<f64> {
        let shapes: Vec<&[f64]> = basis.vectors[..basis.modes].iter().map(|v| v.1.as_slice()).collect();
        let shares = tall::shares(&shapes, f);
        let mut motion = vec![0.0; f.len()];
        tall::add(&mut motion, &shares, &shapes);
        f.iter_mut().zip(self.product(&self.m, &motion)).for_each(|(f, m)| *f -= m);
        shares
    }

    fn product(&self, values: &[f64], x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.pattern.mul(values, x, &mut y);
        y
    }
}

/// The same to the last bit on both sides of the diagonal.
fn symmetric(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (a[i * n + j] + a[j * n + i]);
            a[i * n + j] = mean;
            a[j * n + i] = mean;
        }
    }
    a
}

/// A sum of vectors with factors.
fn sum<'v>(n: usize, terms: impl IntoIterator<Item = (f64, &'v Vec<f64>)>) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (factor, vector) in terms {
        out.iter_mut().zip(vector).for_each(|(o, v)| *o += factor * v);
    }
    out
}
