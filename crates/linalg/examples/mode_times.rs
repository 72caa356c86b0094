//! Time of the lowest ten modes of frames: `cargo run --release -p interfield-linalg --example mode_times`.

use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    let frames = [
        ("plane frame 3 x 10", common::plane_frame(3, 10, false)),
        ("plane frame 7 x 33", common::plane_frame(7, 33, false)),
        ("plane frame 20 x 50", common::plane_frame(20, 50, false)),
        ("plane frame 13 x 240", common::plane_frame(13, 240, false)),
        ("plane frame 13 x 239, floating", common::plane_frame(13, 239, true)),
        ("space frame 6 x 6 x 17", common::space_frame(6, 6, 17)),
    ];
    for (name, s) in frames {
        let start = Instant::now();
        let found = interfield_linalg::modes(&s.pattern, &s.k, &s.m, 10);
        let time = start.elapsed().as_secs_f64();
        match found {
            Ok(found) => println!("{name}: {} unknowns, {time:.3} s, ω² {:.6e}", s.pattern.n(), found.omega2[0]),
            Err(error) => println!("{name}: {error}"),
        }
        if let Ok(found) = interfield_linalg::modes(&s.pattern, &s.k, &s.m, 10) {
            println!("   {}", found.omega2.iter().fold(String::new(), |a, b| format!("{a} {b:.4e}")));
        }
    }
}
