//! Channels of sections and fibres: what OpenSees recorded of a section, and that fibres add up to their section.

use interfield_language::Model;
use interfield_language::model::Kind;
use interfield_structure::Simulation;
use interfield_structure::carried::{STATIONS, When};

use crate::frames::pushed;
use crate::materials::numbers;
use interfield_testkit::run::read;

#[test]
fn the_section_at_a_foot_turns_as_recorded() {
    for name in ["frames/frame_rc_portal_pushover", "frames/frame_rc_portal_cyclic"] {
        let (file, rows) = pushed(name, &["b1.section.1.curvature", "b1.section.1.moment"]);
        for (row, channel) in rows[1..].iter().zip(["kappa_base_col1", "moment_base_col1"]) {
            let expected = numbers(&file["results"], channel);
            let peak = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let worst = row.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst <= 1e-6 * peak, "{name} {channel}: {worst} of {peak}");
        }
    }
}

/// A cantilever of 3 m that is shaken until it yields, in the plane or in space.
fn cantilever(formulation: &str, space: bool, channels: &[String]) -> Model {
    let dofs = if space { "[\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]" } else { "[\"x\", \"y\", \"rz\"]" };
    let (top, up) = if space { ("[0, 0, 3]", "z") } else { ("[0, 3]", "y") };
    read(&format!(
        "dofs = {dofs}\n[[node]]\nname = \"foot\"\nat = {}\nfixed = true\n[[node]]\nname = \"top\"\nat = {top}\n\
         mass = 2e4\n[[material]]\nname = \"c\"\ntype = \"kent-park\"\nfc = -30e6\nec0 = -0.002\nfcu = -6e6\necu = -0.01\n\
         [[material]]\nname = \"s\"\ntype = \"menegotto-pinto\"\nfy = 4e8\nE = 2e11\nb = 0.02\n\
         [[cross-section]]\nname = \"column\"\ntorsion = 1e7\nfibres = [\
         {{ shape = \"line\", material = \"s\", bars = 3, area = 5e-4, from = [-0.2, -0.15], to = [-0.2, 0.15] }},\
         {{ shape = \"rectangle\", material = \"c\", from = [-0.25, -0.2], to = [0.25, 0.2], divisions = [6, 3] }},\
         {{ shape = \"line\", material = \"s\", bars = 3, area = 5e-4, from = [0.2, -0.15], to = [0.2, 0.15] }}]\n\
         [[element]]\ntype = \"member\"\nname = \"m\"\nnodes = [\"foot\", \"top\"]\ncross_section = \"column\"\n\
         formulation = \"{formulation}\"\ntransformation = \"p-delta\"\n\
         [[load]]\ntype = \"gravity\"\nat = \"top.{up}\"\nforce = -4e5\n\
         [[load]]\ntype = \"force\"\nat = \"top.x\"\nsignal = {{ type = \"harmonic\", amplitude = 1.5e5, frequency = 1.0 }}\n\
         [analysis]\nscheme = \"alpha-os\"\ndt = 0.005\nduration = 1.5\n[record]\nchannels = {channels:?}\n",
        if space { "[0, 0, 0]" } else { "[0, 0]" }
    ))
}

/// N = sum A s, Mz = -sum A s y, My = sum A s z, and strains are plane, whichever way the member is computed.
#[test]
fn fibres_add_up_to_their_section() {
    for (formulation, space) in
        [("force", false), ("force-iterated", true), ("displacement", false), ("displacement", true)]
    {
        let mut channels: Vec<String> =
            ["axial", "moment", "elongation", "curvature"].iter().map(|c| format!("m.section.1.{c}")).collect();
        channels.extend(["moment_y", "curvature_y"].iter().filter(|_| space).map(|c| format!("m.section.1.{c}")));
        let first = channels.len();
        channels.extend((1..=24).flat_map(|i| ["stress", "strain"].map(|w| format!("m.section.1.fibre.{i}.{w}"))));
        let model = cantilever(formulation, space, &channels);
        let Kind::Frame { frame, .. } = &model.elements[0].kind else { panic!("a member") };
        let sections = frame.sections.clone();
        let mut run = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
        let mut out = vec![0.0; channels.len()];
        let mut yielded = false;
        for k in 0..300 {
            run.step(k).unwrap();
            run.sample(k + 1, &mut out).unwrap();
            let mut sums = [0.0; 3];
            for (i, number) in sections.numbers.iter().enumerate() {
                let [stress, strain] = [0, 1].map(|w| out[first + 2 * (number - 1) + w]);
                let (y, z, a) = (sections.y[i], sections.z[i], sections.area[i]);
                [1.0, -y, z].iter().zip(&mut sums).for_each(|(lever, sum)| *sum += a * stress * lever);
                let about_y = if space { out[5] } else { 0.0 };
                assert!((strain - (out[2] - y * out[3] + z * about_y)).abs() < 1e-15);
                yielded |= strain > 0.002;
            }
            assert!((sums[0] - out[0]).abs() < 1e-9 * 4e5, "{formulation} N {} {}", sums[0], out[0]);
            assert!((sums[1] - out[1]).abs() < 1e-9 * 4e5, "{formulation} Mz {} {}", sums[1], out[1]);
            assert!(!space || (sums[2] - out[4]).abs() < 1e-9 * 4e5, "{formulation} My");
        }
        assert!(yielded, "{formulation}: nothing yielded");
    }
}

/// A cantilever of 3 m with a load at its end, as a member or as a linear beam.
fn loaded(element: &str) -> Model {
    read(&format!(
        "dofs = [\"x\", \"y\", \"rz\"]\n[[node]]\nname = \"a\"\nat = [0, 0]\nfixed = true\n[[node]]\nname = \"b\"\nat = [1.8, 2.4]\n\
         mass = 1e3\n[[cross-section]]\nname = \"s\"\nE = 2e11\nA = 0.01\nIz = 1e-4\n[[element]]\nname = \"m\"\nnodes = [\"a\", \"b\"]\n{element}\n\
         [[load]]\ntype = \"force\"\nat = \"b.y\"\nsignal = {{ type = \"harmonic\", amplitude = 1e4, frequency = 1.0 }}\n\
         [analysis]\nscheme = \"newmark-newton\"\ndt = 0.01\nduration = 1\n[record]\nchannels = [\"m.force.1\", \"m.force.2\", \"m.force.3\", \"m.force.6\"]\n"
    ))
}

/// What a picture shows of a linear beam is what it shows of an elastic member, and what channels say of both.
#[test]
fn linear_beams_carry_what_elastic_members_carry() {
    let of = |element: &str| {
        let mut run = Simulation::new(loaded(element)).unwrap_or_else(|p| panic!("{}", p[0].message));
        run.watch_members();
        let mut out = [0.0; 4];
        let mut moments = [f64::INFINITY, f64::NEG_INFINITY];
        for k in 0..100 {
            run.step(k).unwrap();
            run.sample(k + 1, &mut out).unwrap();
            moments = [moments[0].min(-out[2]), moments[1].max(-out[2])];
        }
        let (t, peak) = run.members(When::Peak).unwrap();
        (t, peak[0].clone(), moments)
    };
    let (t, member, moments) =
        of("type = \"member\"\ncross_section = \"s\"\nformulation = \"displacement\"\nrule = \"legendre\"\npoints = 2");
    let (u, beam, _) = of("type = \"beam2d\"\nE = 2e11\nA = 0.01\nI = 1e-4\nrho = 0");
    assert_eq!(t, u);
    let near = |a: f64, b: f64, size: f64| assert!((a - b).abs() < 1e-8 * size, "{a} {b}");
    for (a, b) in [(member.forces, beam.forces), (member.envelope[0], beam.envelope[0])] {
        for i in 0..STATIONS {
            near(a.moment_z[i], b.moment_z[i], 1e4);
            near(a.axial[i], b.axial[i], 1e4);
        }
    }
    for i in 0..2 {
        near(member.axes[1][i], beam.axes[1][i], 1.0);
        near(member.envelope[i].moment_z[0], moments[i].clamp(-f64::INFINITY, f64::INFINITY), 1e4);
    }
    assert!(member.forces.moment_z[0].abs() > 1e3, "something is carried");
    near(member.forces.moment_z[STATIONS - 1], 0.0, 1e4);
}

/// The state at the largest displacement is that of the step, and strains are those of all steps.
#[test]
fn the_moment_of_the_largest_displacement_is_kept() {
    let channels = ["top.x", "m.section.1.moment", "m.section.1.fibre.1.strain", "m.section.1.fibre.1.stress"];
    for formulation in ["force", "displacement"] {
        let mut run = Simulation::new(cantilever(formulation, false, &channels.map(str::to_owned)))
            .unwrap_or_else(|p| panic!("{}", p[0].message));
        run.watch_members();
        let mut out = [0.0; 4];
        let (mut peak, mut largest, mut strain) = ([0.0; 4], 0.0, [0.0f64; 2]);
        for k in 0..300 {
            run.step(k).unwrap();
            run.sample(k + 1, &mut out).unwrap();
            if out[0].abs() > largest {
                (largest, peak) = (out[0].abs(), out);
            }
            strain = [strain[0].min(out[2]), strain[1].max(out[2])];
        }
        let (_, members) = run.members(When::Peak).unwrap();
        let section = &members[0].sections[0];
        assert_eq!(section.seen.forces[1], peak[1], "{formulation}");
        let bar = section.fibres.iter().find(|f| run_number(&run, f.0) == 1).unwrap();
        assert_eq!((bar.1, bar.2), (peak[2], peak[3]), "{formulation}");
        // Fibre 1 is one of the outermost bars, all of which have its strain in the plane.
        let steel = section.extremes[0];
        assert!(steel[0] <= strain[0] && steel[1] >= strain[1] && steel[1] > 0.002, "{steel:?} {strain:?}");
        let (t, start) = run.members(When::Start).unwrap();
        assert_eq!(t, 0.0);
        assert!((start[0].sections[0].seen.forces[0] + 4e5).abs() < 1e-3, "gravity: {:?}", start[0].sections[0].seen);
    }
}

/// The number of a fibre in its section.
fn run_number(run: &Simulation, fibre: usize) -> usize {
    match &run.model.elements[0].kind {
        Kind::Frame { frame, .. } => frame.sections.numbers[fibre],
        _ => 0,
    }
}
