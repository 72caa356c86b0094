//! Channels of sections and fibres: what OpenSees recorded of a section, and that fibres add up to their section.

use interfield_language::Model;
use interfield_language::model::Kind;
use interfield_structure::Simulation;

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
