//! Rigs of several actuators: the C commands degrees of freedom, whatever moves them, and has nothing of what stands in the laboratory.

use interfield_codegen::{Origin, export};
use interfield_language::parse::Overrides;

use crate::bench::{compile, difference, folder, library, model, rows, shipped, write};

/// The text of a rig that stays elastic, under a harmonic motion: `main.c` stands in for the specimen with its stiffness.
fn elastic(rig: &str) -> String {
    let replaced = |text: &str, from: &str, to: char, by: &dyn Fn(&str) -> String| {
        let mut parts = text.split(from);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |out, part| {
            let (inside, rest) = part.split_once(to).expect("an end");
            out + &by(inside) + rest
        })
    };
    let text = shipped(&format!("rig-{rig}.toml"));
    let text = replaced(&text, "fy = \"", '"', &|strength| format!("fy = \"1000*{strength}\""));
    let harmonic = "{ type = \"harmonic\", amplitude = \"1 m/s^2\", frequency = \"2 Hz\" }";
    replaced(&text, "{ type = \"generated\"", '}', &|_| harmonic.to_owned())
}

/// Where the bob hangs and what the jack holds are known in the laboratory only.
#[test]
fn channels_of_the_laboratory_are_left_out_by_name() {
    for (rig, names) in [("pendulum", ["bob.rho", "bob.theta"]), ("pier", ["top.rz", "top.y.measured"])] {
        let text = shipped(&format!("rig-{rig}.toml"));
        let found = export(&model(&text, &Overrides::default()), rig, &Origin::default()).expect("an export");
        let readme = &found.files.iter().find(|f| f.0 == "README.md").expect("a README").1;
        for name in names {
            assert!(found.interface.outputs.iter().all(|o| o.name != name), "{rig}: {name}");
            assert!(readme.contains(&format!("- `{name}`: it exists in the laboratory only")), "{rig}: {readme}");
        }
    }
}

#[test]
fn what_stands_in_the_laboratory_is_not_in_the_c() {
    for rig in ["brace", "torsion", "plan", "hexapod", "pair"] {
        let overrides = Overrides { duration: Some("0.3 s".to_owned()), ..Overrides::default() };
        let mut tested = model(&elastic(rig), &overrides);
        let moves =
            |name: &str| name.split_once('.').is_some_and(|(_, dof)| ["x", "y", "z", "rx", "ry", "rz"].contains(&dof));
        tested.channels.retain(|c| moves(&c.name));
        let found = export(&tested, rig, &Origin::default()).unwrap_or_else(|p| panic!("{rig}: {p:?}"));
        let commanded: Vec<&str> = found.interface.commands.iter().map(|c| c.name.as_str()).collect();
        let dofs = &tested.specimens[0].dofs;
        assert_eq!(commanded, dofs.iter().map(|&d| tested.dofs[d].name.as_str()).collect::<Vec<_>>(), "{rig}");
        let at = folder(&format!("rig-{rig}"));
        write(&found, &at);
        tested.specimens.clear();
        let d = difference(&library(tested), &rows(&compile(&found.interface.name, &at, "-O2")));
        assert!(d < 1e-9, "{rig}: {d:e}");
    }
}
