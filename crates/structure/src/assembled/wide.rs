//! The program of fibres for processors that do four numbers at once: the same instructions, the same bits, twice as fast.

use interfield_kernel::frame::fibres::Program;

/// The fastest program that this processor understands.
#[cfg(target_arch = "x86_64")]
pub(super) fn program() -> Program {
    if std::arch::is_x86_feature_detected!("avx2") {
        Program { plane: x86::plane, space: x86::space }
    } else {
        Program::default()
    }
}

/// The fastest program that this processor understands.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn program() -> Program {
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
