//! The program of fibres for processors that do four numbers at once: the same instructions, the same bits, twice as fast.

use interfield_kernel::frame::fibres::Program;

/// The fastest program that this processor understands. Without optimisation it would be the slowest.
pub(super) fn program() -> Program {
    if cfg!(debug_assertions) { Program::default() } else { widest() }
}

#[cfg(target_arch = "x86_64")]
fn widest() -> Program {
    if std::arch::is_x86_feature_detected!("avx2") {
        Program { plane: x86::plane, space: x86::space }
    } else {
        Program::default()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn widest() -> Program {
    Program::default()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use interfield_kernel::frame::fibres::Fibres;
    use interfield_kernel::uniaxial::material::Material;

    // No fused multiplication, which would change bits.
    #[target_feature(enable = "avx2")]
    fn with_avx2<const D: usize>(material: &Material, fibres: Fibres<'_, D>) {
        material.show(fibres);
    }

    #[allow(unsafe_code)]
    pub(super) fn plane(material: &Material, fibres: Fibres<'_, 2>) {
        // SAFETY: only chosen where the processor has AVX2.
        unsafe { with_avx2(material, fibres) }
    }

    #[allow(unsafe_code)]
    pub(super) fn space(material: &Material, fibres: Fibres<'_, 3>) {
        // SAFETY: only chosen where the processor has AVX2.
        unsafe { with_avx2(material, fibres) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interfield_kernel::frame::section::Section;
    use interfield_kernel::frame::{Group, Tables};
    use interfield_kernel::uniaxial::material::{MATERIALS, Material};

    /// Strains of a section in space that goes to and fro, and what it remembers.
    fn driven(tables: &Tables<'_>) -> (Vec<[f64; 4]>, Vec<f64>) {
        let mut memory = vec![0.0; tables.sections[0].history(tables)];
        tables.sections[0].start(tables, &mut memory);
        let path = (0..200).map(|i| f64::from(i) * 0.1);
        let forces = path.map(|t| {
            let before = memory.clone();
            let e = [-2e-4 * t, 0.03 * t.sin(), 0.02 * (1.3 * t).cos() - 0.02, 1e-4];
            tables.sections[0].evaluate(tables, (&before, &mut memory), &e, t).0
        });
        (forces.collect(), memory)
    }

    #[test]
    fn the_wide_program_has_the_bits_of_the_plain_one() {
        let parameters: &[(&str, &[f64])] = &[
            ("kent-park", &[-36e6, -0.003, -25e6, -0.02]),
            ("kent-park-tension", &[-36e6, -0.003, -25e6, -0.02, 0.1, 3e6, 2e9]),
            ("menegotto-pinto", &[420e6, 200e9, 0.01, 18.0, 0.925, 0.15, 0.1, 1.0, 0.05, 1.0, 1e6]),
            ("bilinear", &[420e6, 200e9, 0.02, 0.1, 55.0, 0.1, 55.0]),
            ("elastic-plastic", &[200e9, 400e6, 0.0, 0.0]),
            ("hardening", &[200e9, 400e6, 1e9, 2e9]),
        ];
        let mut groups = Vec::new();
        for (i, (name, p)) in parameters.iter().enumerate() {
            assert!(MATERIALS.iter().any(|m| m.name == *name), "{name}");
            // Less than a block, whole blocks, and more.
            let (first, count) = (groups.iter().map(|g: &Group| g.count).sum(), 3 + 5 * i);
            groups.push(Group { material: Material::new(name, p).expect("a material"), first, count });
        }
        let count = groups.iter().map(|g| g.count).sum::<usize>();
        let place = |f: f64| (0..count).map(|i| 0.25 * (f * i as f64).sin()).collect::<Vec<_>>();
        let (y, z, area) = (place(1.0), place(0.7), vec![1e-3; count]);
        let sections = [Section::Fibres { first: 0, count: groups.len(), torsion: 1e6 }];
        let plain = Tables {
            library: Default::default(),
            sections: &sections,
            groups: &groups,
            resultants: &[],
            y: &y,
            z: &z,
            area: &area,
            program: Program::default(),
        };
        let (forces, memory) = driven(&plain);
        assert!(forces.iter().flatten().all(|x| x.is_finite()) && forces.iter().any(|f| f[0].abs() > 1e5));
        assert_eq!((forces, memory), driven(&Tables { program: widest(), ..plain }));
    }
}
