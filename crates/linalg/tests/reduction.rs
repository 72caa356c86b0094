//! Reduction of components: golden numbers of an independent implementation (plane frames with consistent masses, Craig-Bampton with and
//! without residual vectors, free interface), closed forms, and the bound against what is really lost on random structures.

mod shared;

use interfield_linalg::reduction::{Interior, Superelement, Unreducible, free_interface};
use interfield_linalg::{dense_solve, dense_symmetric_generalized, modes};
use shared::{Builder, Structure, frame, frequencies, reduced};

/// Largest absolute eigenvalue of a symmetric matrix.
fn norm(a: &[f64], n: usize) -> f64 {
    let unit: Vec<f64> = (0..n * n).map(|p| f64::from(u8::from(p / n == p % n))).collect();
    let (values, _) = dense_symmetric_generalized(a, &unit, n).expect("symmetric");
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// The numbers of the sheet agree to 1 % where they are above a millionth, because errors are differences of frequencies with 12 digits.
fn agree(name: &str, found: &[f64], golden: &[f64]) {
    for (i, (f, g)) in found.iter().zip(golden).enumerate() {
        if g.abs() > 1e-6 {
            assert!((f / g - 1.0).abs() < 0.01, "{name}, entry {i}: {f:e}, golden {g:e}");
        } else {
            assert!(f.abs() < 1.1e-6, "{name}, entry {i}: {f:e}, golden {g:e}");
        }
    }
}

struct Row {
    modes: usize,
    residual: bool,
    unknowns: usize,
    next: f64,
    highest: f64,
    frequencies: [f64; 8],
    stiffness: [f64; 6],
    ground_share: f64,
}

struct Golden {
    bays: usize,
    storeys: usize,
    kept: [(usize, usize, usize); 5],
    traces: [f64; 3],
    exact: [f64; 8],
    rows: &'static [Row],
}

const BAND: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 6.0, 8.0];

const FRAME_504: Golden = Golden {
    bays: 5,
    storeys: 28,
    kept: [(1, 2, 0), (1, 2, 1), (1, 2, 2), (14, 0, 0), (15, 0, 0)],
    traces: [2575348688046.6475, 7589999.999999999, 3817680.0],
    exact: [
        0.26263697617872017,
        0.8049764654640537,
        1.4089585496237926,
        2.0477268738275094,
        2.7549400577537346,
        3.534736611238594,
        4.212552312533075,
        4.401544721195167,
    ],
    rows: &[
        Row {
            modes: 5,
            residual: true,
            unknowns: 16,
            next: 4.249651765389983,
            highest: 53.85505040890254,
            frequencies: [
                3.651146052163767e-11,
                3.956908622981814e-08,
                8.189902145350203e-07,
                1.181284198881194e-05,
                0.00011334266406115567,
                0.001957311592641453,
                0.05868787459137814,
                0.01659684330371891,
            ],
            stiffness: [
                4.978977081112197e-11,
                1.4016922027054253e-08,
                5.47260872314915e-06,
                0.05560148919491309,
                0.5222097421565959,
                0.12621774372867417,
            ],
            ground_share: 0.99783441258562,
        },
        Row {
            modes: 10,
            residual: false,
            unknowns: 15,
            next: 6.706250353787664,
            highest: 49.795312460770354,
            frequencies: [
                2.8607737726060734e-05,
                0.00032699311239392514,
                0.0007954948057886657,
                0.002912075243092227,
                0.0026324556568395607,
                0.007806170748096308,
                1.9256929713051818e-05,
                0.01184623199196766,
            ],
            stiffness: [
                1.129394698530178e-06,
                1.8382969872853078e-05,
                0.00031629989379032287,
                0.00822732812258621,
                0.04861266376215759,
                0.13332009477869397,
            ],
            ground_share: 0.9968148491330279,
        },
        Row {
            modes: 10,
            residual: true,
            unknowns: 21,
            next: 6.706250353787664,
            highest: 56.55559222938161,
            frequencies: [
                2.7489122089718876e-12,
                2.320443392989091e-09,
                6.351411196980905e-08,
                9.696398894920577e-07,
                3.3836930222186368e-06,
                2.3990224404801808e-05,
                3.81182519992862e-07,
                0.00017698499453988603,
            ],
            stiffness: [
                1.1194380705757213e-12,
                2.9664967103026315e-10,
                8.991648931853678e-08,
                5.8713986356687826e-05,
                0.006157406686164781,
                0.6254087598572662,
            ],
            ground_share: 0.9985799408044699,
        },
        Row {
            modes: 20,
            residual: false,
            unknowns: 25,
            next: 13.144744045522994,
            highest: 54.406095125671854,
            frequencies: [
                5.009649217679879e-07,
                6.227956494520015e-06,
                1.1608704621357546e-05,
                3.651600895304696e-05,
                6.250585750544602e-05,
                0.00020163303473297312,
                3.6109693741792626e-06,
                0.00017697972729613376,
            ],
            stiffness: [
                7.430362542743263e-08,
                1.1942817949446742e-06,
                1.948557158576668e-05,
                0.00038640260159225365,
                0.0008213024984158144,
                0.0063878664560971165,
            ],
            ground_share: 0.9974443809626844,
        },
        Row {
            modes: 20,
            residual: true,
            unknowns: 31,
            next: 13.144744045522994,
            highest: 70.06675556226365,
            frequencies: [
                -3.3595348725157237e-13,
                6.504796701278792e-12,
                9.493117403280849e-11,
                1.2927459103195815e-09,
                9.358831487560337e-09,
                8.191166278592732e-08,
                3.3744516070299824e-09,
                8.488313318899543e-08,
            ],
            stiffness: [
                9.632730961600304e-14,
                3.142893329895188e-12,
                8.383901636745914e-10,
                2.897435128862635e-07,
                3.6344622813693156e-06,
                0.00011393114224181639,
            ],
            ground_share: 0.999157400046624,
        },
    ],
};

const FRAME_3000: Golden = Golden {
    bays: 24,
    storeys: 40,
    kept: [(1, 12, 0), (1, 12, 1), (1, 12, 2), (20, 0, 0), (21, 0, 0)],
    traces: [15661466239067.055, 50721571.42857142, 25384000.0],
    exact: [
        0.1894434521111041,
        0.572784865177929,
        0.97353143698335,
        1.3870687072087893,
        1.823212375083083,
        2.285210636427932,
        2.778715556221512,
        2.8430264639253324,
    ],
    rows: &[
        Row {
            modes: 20,
            residual: false,
            unknowns: 25,
            next: 4.161114701618345,
            highest: 50.70171894313184,
            frequencies: [
                4.145398382560117e-06,
                4.245622983023445e-05,
                0.00010394897339494058,
                0.0002714986175367251,
                0.00038597389272299054,
                0.0009146163154083453,
                0.0010041670209268716,
                3.083155440952723e-06,
            ],
            stiffness: [
                1.314965157394437e-06,
                2.1685848227761924e-05,
                0.0003975037690471829,
                0.019947169451637926,
                0.07832609812900555,
                0.24685086028223988,
            ],
            ground_share: 0.9879721453687663,
        },
        Row {
            modes: 20,
            residual: true,
            unknowns: 31,
            next: 4.161114701618345,
            highest: 53.33144133351918,
            frequencies: [
                6.843414723789465e-13,
                8.888385583105674e-10,
                1.9434337250601175e-08,
                2.2729006854405043e-07,
                1.0063986708441774e-06,
                6.849998756663922e-06,
                2.3073111069304986e-05,
                1.3290968969847938e-07,
            ],
            stiffness: [
                2.51112900243463e-11,
                6.948166491648569e-09,
                2.5072710790540487e-06,
                0.008685452951578656,
                0.1717724054394224,
                0.19868826118176117,
            ],
            ground_share: 0.9954066815155258,
        },
        Row {
            modes: 40,
            residual: true,
            unknowns: 51,
            next: 6.885596760745726,
            highest: 55.49886009263781,
            frequencies: [
                -2.237432461527078e-12,
                1.3705259149787707e-11,
                2.6055801960467306e-10,
                3.2240117242565702e-09,
                1.1137452515797008e-08,
                7.944340918442094e-08,
                1.4793582714389686e-07,
                1.4928689395787842e-09,
            ],
            stiffness: [
                5.645949649848508e-13,
                1.4820578475302645e-10,
                4.253731941989244e-08,
                1.714561304177145e-05,
                0.001534704387653755,
                0.2907086863291563,
            ],
            ground_share: 0.9959356792994062,
        },
    ],
};

fn check_against(golden: &Golden) {
    let (frame, at) = frame(golden.bays, golden.storeys, true);
    let n = frame.pattern.n();
    let diagonal = |v: &[f64]| (0..n).map(|i| v[frame.pattern.position(i, i).expect("a diagonal")]).sum::<f64>();
    let along: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
    let inertia = frame.mul(&frame.m, &along);
    let total: f64 = along.iter().zip(&inertia).map(|(a, b)| a * b).sum();
    for (found, golden) in [diagonal(&frame.k), diagonal(&frame.m), total].iter().zip(golden.traces) {
        assert!((found / golden - 1.0).abs() < 1e-12, "{found} {golden}: not the frame of the sheet");
    }
    let kept: Vec<usize> = golden.kept.iter().map(|&(s, c, d)| at(s, c, d)).collect();
    let mut interior = Interior::new(frame.component(&kept)).expect("regular");
    let load = interior.part(&inertia);
    for row in golden.rows {
        let name = format!("{} modes, residual vectors {}", row.modes, row.residual);
        let (element, bound) = reduced(&mut interior, row.modes, row.residual, std::slice::from_ref(&load));
        assert_eq!((element.size(), element.modes), (row.unknowns, row.modes), "{name}");
        let hz = |omega2: f64| omega2.sqrt() / std::f64::consts::TAU;
        assert!((hz(element.next.expect("more modes")) / row.next - 1.0).abs() < 1e-7, "{name}");
        assert!(
            (element.highest().expect("massive") / std::f64::consts::TAU / row.highest - 1.0).abs() < 1e-6,
            "{name}"
        );
        let errors: Vec<f64> =
            frequencies(&element, &[]).iter().zip(golden.exact).map(|(f, exact)| f / exact - 1.0).collect();
        agree(&name, &errors, &row.frequencies);
        let share = element.mass_share(&frame.component(&kept), &along, &inertia).expect("a mass");
        assert!((share / row.ground_share - 1.0).abs() < 1e-6, "{name}: {share}");
        for (f, error) in BAND.iter().zip(row.stiffness) {
            let omega2 = (f * std::f64::consts::TAU).powi(2);
            let exact = interior.dynamic_stiffness(omega2).expect("not at a frequency");
            let (z, _) = element.dynamic_stiffness(omega2, &[]).expect("not at a frequency");
            let lost: Vec<f64> = z.iter().zip(&exact).map(|(a, b)| a - b).collect();
            let (lost, all) = (norm(&lost, 5), norm(&exact, 5));
            agree(&format!("{name}, {f} Hz"), &[lost / all], &[error]);
            if let Some(most) = bound.at(omega2) {
                let most: Vec<f64> = (0..25).map(|p| most[p / 5 * 6 + p % 5]).collect();
                assert!(
                    lost <= norm(&most, 5) + 1e-11 * all,
                    "{name}, {f} Hz: {lost:e} is lost, bound {:e}",
                    norm(&most, 5)
                );
            }
        }
    }
}

#[test]
fn the_frame_of_504_unknowns_reduces_as_in_the_independent_implementation() {
    check_against(&FRAME_504);
}

#[test]
fn the_frame_of_3000_unknowns_reduces_as_in_the_independent_implementation() {
    check_against(&FRAME_3000);
}

/// A frame on isolators: all motions of its base are kept, and nothing else holds it.
#[test]
fn a_free_interface_has_the_modes_of_an_isolated_frame_where_a_fixed_one_has_not() {
    let (frame, at) = frame(5, 20, false);
    let kept: Vec<usize> = (0..6).flat_map(|c| (0..3).map(move |d| (c, d))).map(|(c, d)| at(0, c, d)).collect();
    let springs: Vec<f64> = (0..18).map(|b| if b % 3 == 0 { 2004626.3161323715 } else { 5e9 }).collect();
    let exact = [
        0.25650785944487525,
        0.8532126535429863,
        1.6252749878896509,
        2.513322741863661,
        3.5545490088051523,
        4.764567942760333,
        5.521548487321012,
        6.128693968769369,
        6.216477049009635,
        7.251428495236258,
    ];
    let fixed = [
        6.585860532482002e-07,
        3.361049018679729e-05,
        0.00016496487507455804,
        0.00043496057892378204,
        0.000957186980770075,
        0.0018935172938956413,
        7.30077211754665e-05,
        0.0016833088237753202,
        0.0020755944262920156,
        9.315954422683959e-05,
    ];
    let free = [
        9.735257044951595e-11,
        1.749791067595652e-08,
        2.232662432710697e-08,
        5.231245543413365e-07,
        1.4751374077803803e-06,
        9.151879393876072e-06,
        0.00012707197080197297,
        0.00011059590225648286,
        0.00010812431783047138,
        0.006103586855245258,
    ];
    let errors = |e: &Superelement| -> Vec<f64> {
        frequencies(e, &springs).iter().zip(exact).map(|(f, exact)| f / exact - 1.0).collect()
    };
    let component = frame.component(&kept);
    let mut interior = Interior::new(component).expect("regular");
    let (craig_bampton, _) = reduced(&mut interior, 15, false, &[]);
    agree("fixed interface", &errors(&craig_bampton), &fixed);
    let rubin = free_interface(&component, 15).expect("well-conditioned");
    assert_eq!(rubin.modes, 18, "three of them rigid");
    agree("free interface", &errors(&rubin), &free);
    // Rigid motions meet no stiffness and the whole mass.
    for e in [&craig_bampton, &rubin] {
        let along: Vec<f64> = (0..frame.pattern.n()).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let inertia = frame.mul(&frame.m, &along);
        let share = e.mass_share(&component, &along, &inertia).expect("a mass");
        assert!((share - 1.0).abs() < 1e-9, "{share}");
    }
    let rigid: Vec<f64> = (0..craig_bampton.size()).map(|j| f64::from(u8::from(j < 18 && j % 3 == 0))).collect();
    let n = craig_bampton.size();
    let largest = craig_bampton.stiffness.iter().fold(0.0f64, |m, k| m.max(k.abs()));
    for i in 0..n {
        let force: f64 = (0..n).map(|j| craig_bampton.stiffness[i * n + j] * rigid[j]).sum();
        assert!(force.abs() < 1e-12 * largest, "row {i}: {force:e}");
    }
}

/// Numbers between 0 and 1 from a fixed sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize % n
    }
}

/// A random network of springs over four decades of stiffness and two of mass, some unknowns without mass, held at the ground here and there.
fn network(random: &mut Random, n: usize) -> Structure {
    let mut b = Builder { n, entries: Vec::new() };
    for i in 0..n {
        if i > 0 {
            let j = i - 1 - random.below(i.min(4));
            b.spring(i, j, 10f64.powf(4.0 + 4.0 * random.next()));
        }
        let mass = if random.next() < 0.15 { 0.0 } else { 10f64.powf(2.0 * random.next()) };
        b.add(i, i, if random.next() < 0.1 { 1e5 } else { 0.0 }, mass);
    }
    b.add(0, 0, 1e6, 1.0);
    for _ in 0..n / 3 {
        let (i, j) = (random.below(n), random.below(n));
        if i != j {
            b.spring(i, j, 10f64.powf(3.0 + 4.0 * random.next()));
        }
    }
    b.done()
}

/// The bound is above what is lost in each of 50 structures, with and without residual vectors, at every frequency below the first missing
/// mode; and it says something: most of the time it is less than ten times of it.
#[test]
fn the_bound_is_honest_on_fifty_random_structures() {
    let mut random = Random(7);
    let mut ratios = Vec::new();
    for case in 0..50 {
        let n = 40 + random.below(60);
        let s = network(&mut random, n);
        let mut kept: Vec<usize> = (0..1 + random.below(5)).map(|_| random.below(n)).collect();
        kept.sort_unstable();
        kept.dedup();
        let nb = kept.len();
        let mut interior = Interior::new(s.component(&kept)).expect("regular");
        let whole: Vec<f64> = (0..n).map(|_| random.next() - 0.5).collect();
        let load = interior.part(&whole);
        let inside: Vec<usize> = (0..n).filter(|i| !kept.contains(i)).collect();
        for residual in [false, true] {
            let (e, bound) = reduced(&mut interior, 2 + random.below(8), residual, std::slice::from_ref(&load));
            let reduced_load = e.load(&s.component(&kept), &whole);
            let next = e.next.expect("modes are missing");
            for share in [0.1, 0.3, 0.6, 0.9, 0.97] {
                let omega2 = share * share * next;
                let a = |i: usize, j: usize| s.pattern.position(i, j).map_or(0.0, |p| s.k[p] - omega2 * s.m[p]);
                let inner: Vec<f64> = inside.iter().flat_map(|&i| inside.iter().map(move |&j| a(i, j))).collect();
                let mut x: Vec<f64> =
                    inside.iter().flat_map(|&i| kept.iter().map(move |&b| a(i, b)).chain([whole[i]])).collect();
                if !dense_solve(&inner, inside.len(), &mut x, nb + 1) {
                    continue;
                }
                let side = |i: usize, j: usize| if j < nb { a(kept[i], kept[j]) } else { whole[kept[i]] };
                let entry = |i: usize, j: usize| {
                    side(i, j)
                        - inside.iter().enumerate().map(|(r, &m)| a(kept[i], m) * x[r * (nb + 1) + j]).sum::<f64>()
                };
                let (z, sent) = e.dynamic_stiffness(omega2, std::slice::from_ref(&reduced_load)).expect("regular");
                let exact: Vec<f64> = (0..nb * nb).map(|p| entry(p / nb, p % nb)).collect();
                let all = bound.at(omega2).expect("below the first missing mode");
                let most: Vec<f64> = (0..nb * nb).map(|p| all[p / nb * (nb + 1) + p % nb]).collect();
                let lost: Vec<f64> = z.iter().zip(&exact).map(|(a, b)| a - b).collect();
                let rounding = 1e-9 * norm(&exact, nb);
                let (lost, most) = (norm(&lost, nb), norm(&most, nb));
                assert!(lost <= most + rounding, "structure {case}, {share}: {lost:e} is lost, bound {most:e}");
                if lost > 100.0 * rounding {
                    ratios.push(most / lost);
                }
                for b in 0..nb {
                    let lost = (sent[0][b] - entry(b, nb)).abs();
                    let most = (all[b * (nb + 1) + b] * all[(nb + 1) * (nb + 1) - 1]).sqrt();
                    let rounding = 1e-9 * sent[0].iter().fold(1e-3f64, |m, f| m.max(f.abs()));
                    assert!(lost <= most + rounding, "structure {case}, {share}, force {b}: {lost:e}, bound {most:e}");
                }
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios.len() > 200, "{} cases", ratios.len());
    let nine_of_ten = ratios[ratios.len() * 9 / 10];
    assert!(nine_of_ten < 10.0, "nine of ten bounds are within a factor {nine_of_ten}");
}

/// With all modes nothing is lost, and the reduced structure has the frequencies of the whole.
#[test]
fn with_all_modes_nothing_is_lost() {
    let s = network(&mut Random(11), 45);
    let massive = |i: &usize| s.m[s.pattern.position(*i, *i).expect("a diagonal")] > 0.0;
    let kept: Vec<usize> = (3..45).step_by(14).map(|i| (i..45).find(massive).expect("most have a mass")).collect();
    let mut interior = Interior::new(s.component(&kept)).expect("regular");
    let (e, bound) = reduced(&mut interior, 45, true, &[]);
    assert_eq!(e.next, None);
    let whole = modes(&s.pattern, &s.k, &s.m, 10).expect("modes").omega2;
    let hz: Vec<f64> = whole.iter().map(|v| v.sqrt() / std::f64::consts::TAU).collect();
    for (f, g) in frequencies(&e, &[]).iter().zip(&hz) {
        assert!((f / g - 1.0).abs() < 1e-8, "{f} {g}");
    }
    let lost = bound.lost(&e.matrices(), &[], 2.0 * whole[9].sqrt()).expect("a norm");
    assert_eq!((lost.stiffness, lost.forces.len()), (0.0, 0));
}

/// What holds nothing is said with the row where the elimination stopped.
#[test]
fn an_interior_that_moves_without_resistance_is_named() {
    let mut b = Builder { n: 6, entries: Vec::new() };
    (0..6).for_each(|i| b.add(i, i, 0.0, 1.0));
    b.spring(0, 1, 1e4);
    b.spring(1, 2, 1e4);
    b.spring(3, 4, 1e4);
    b.spring(4, 5, 1e4);
    b.add(0, 0, 1e4, 0.0);
    let s = b.done();
    let Err(Unreducible::Mechanism { row }) = Interior::new(s.component(&[1])).map(|_| ()) else {
        panic!("the second chain floats");
    };
    assert!((3..6).contains(&row), "{row}");
    let mut b = Builder { n: 3, entries: Vec::new() };
    (0..3).for_each(|i| b.add(i, i, if i == 1 { -5e4 } else { 1e4 }, 1.0));
    b.spring(0, 1, 1e4);
    b.spring(1, 2, 1e4);
    let s = b.done();
    assert_eq!(Interior::new(s.component(&[0])).map(|_| ()), Err(Unreducible::Unstable { negative: 1 }));
    // A free interface whose kept unknowns move as one: there is no flexibility between them.
    let mut b = Builder { n: 4, entries: Vec::new() };
    (0..4).for_each(|i| b.add(i, i, if i == 0 { 1e4 } else { 0.0 }, 1.0));
    b.spring(0, 1, 1e4);
    b.spring(1, 2, 1e4);
    b.spring(2, 3, 1e17);
    let s = b.done();
    assert!(matches!(free_interface(&s.component(&[2, 3]), 2), Err(Unreducible::Condition(_))));
}
