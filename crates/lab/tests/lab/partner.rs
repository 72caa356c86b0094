//! Programs as rigs: units, faults, and nothing allocated between them and a step.

use interfield_kernel::Fault;
use interfield_lab::partner::{Converted, Partner, Partnership, Springs, Trouble};
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_testkit::alloc::allocations;

/// Says what it was told, and fails at the third exchange.
struct Echo {
    asked: u32,
    trouble: Option<Trouble>,
}

impl Partner for Echo {
    fn dofs(&self) -> usize {
        2
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        self.asked += 1;
        reached.copy_from_slice(u);
        force.copy_from_slice(&[v[0], t]);
        self.trouble.filter(|_| self.asked == 3).map_or(Ok(()), Err)
    }

    fn account(&self) -> Vec<(&'static str, f64)> {
        vec![("asked", f64::from(self.asked))]
    }
}

#[test]
fn units_of_a_program_end_at_its_door() {
    // Millimetres, kilonewtons and milliseconds; the second degree of freedom is a rotation.
    let units = vec![[1e-3, 1e3], [1.0, 1.0]];
    let mut program = Converted::new(Echo { asked: 0, trouble: None }, units, 1e-3);
    let (mut reached, mut force) = ([0.0; 2], [0.0; 2]);
    program.exchange(2.0, &[0.005, 0.1], &[3.0, 0.0], &mut reached, &mut force).unwrap();
    // 3 m/s are 3 mm/ms, which it says are 3 kN; 2 s are 2000 ms.
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs();
    assert!(near(reached[0], 0.005) && near(reached[1], 0.1), "{reached:?}");
    assert!(near(force[0], 3000.0) && near(force[1], 2000.0), "{force:?}");
    assert_eq!((program.dofs(), program.account()), (2, vec![("asked", 1.0)]));
}

#[test]
fn a_rig_reads_what_its_program_said_and_allocates_nothing() {
    let springs = Springs { stiffness: vec![3.0, -1.0, -1.0, 2.0], dofs: 2 };
    let mut rig = Partnership::new(Box::new(Converted::new(springs, vec![[1.0, 1.0]; 2], 1.0)), 0);
    let mut memory = vec![0.0; rig.memory()];
    let count = allocations(|| {
        for k in 0..100 {
            let target = Target { t: f64::from(k), u: &[0.1, 0.2], v: &[0.0, 0.0] };
            rig.exchange(&mut memory, target).unwrap();
        }
    });
    assert_eq!(count, 0);
    let read = |r: Reading| [memory[r.place(0, 2)], memory[r.place(1, 2)]];
    assert_eq!((read(Reading::Target), read(Reading::Reached)), ([0.1, 0.2], [0.1, 0.2]));
    let force = read(Reading::Force);
    assert!((force[0] - 0.1).abs() < 1e-15 && (force[1] - 0.3).abs() < 1e-15, "{force:?}");
}

#[test]
fn what_went_wrong_is_said_and_not_asked_again() {
    for trouble in [Trouble::Late, Trouble::Gone, Trouble::Refused, Trouble::Garbled] {
        assert_eq!(Trouble::from_code(trouble.code()), Some(trouble));
        let mut rig = Partnership::new(Box::new(Echo { asked: 0, trouble: Some(trouble) }), 7);
        let mut memory = vec![0.0; rig.memory()];
        let mut go = || rig.exchange(&mut memory, Target { t: 0.0, u: &[0.0; 2], v: &[0.0; 2] });
        assert_eq!([go(), go()], [Ok(()), Ok(())]);
        assert_eq!(go(), Err(Fault::Partner { index: 7, code: trouble.code() }));
        // It would answer again: nobody asks.
        assert_eq!(go(), Err(Fault::Partner { index: 7, code: Trouble::Gone.code() }));
    }
    assert_eq!(Trouble::from_code(99), None);
}
