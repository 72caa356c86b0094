use interfield_motion::*;
fn main() {
    let (mut n, mut bad, mut worst_min, mut worst_mean, mut pga) = (0, 0, 9f64, 0f64, (9f64, 0f64));
    for seed in 100..112 {
        let ec = |kind, ground| move |t: f64| Ec8 { ag: 2.0, ground, kind, damping: 0.05 }.acceleration(t);
        let a = Asce7 { sds: 1.0, sd1: 0.6, tl: 8.0 };
        let ts: [Box<dyn Fn(f64) -> f64>; 4] = [
            Box::new(ec(SpectrumType::Type1, GroundType::A)),
            Box::new(ec(SpectrumType::Type1, GroundType::D)),
            Box::new(ec(SpectrumType::Type2, GroundType::D)),
            Box::new(move |t| a.acceleration(t)),
        ];
        for t in &ts {
            let r = generate(t, &GenerateOptions { seed, ..Default::default() }).unwrap();
            let c = compatibility(&r, t, 0.05, (0.1, 2.0)).unwrap();
            n += 1;
            if !c.meets_ec8 || c.mean_misfit > 0.05 {
                bad += 1;
            }
            worst_min = worst_min.min(c.min_ratio.0);
            worst_mean = worst_mean.max(c.mean_misfit);
            pga = (pga.0.min(c.pga_ratio), pga.1.max(c.pga_ratio));
        }
    }
    println!("{n} motions, {bad} bad, min ratio {worst_min:.3}, worst mean {worst_mean:.4}, pga ratio {pga:?}");
}
