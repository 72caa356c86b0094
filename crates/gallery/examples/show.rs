use std::sync::atomic::AtomicBool;
fn main() {
    let stop = AtomicBool::new(false);
    for id in std::env::args().skip(1) {
        let i = interfield_gallery::find(&id).unwrap();
        let p = interfield_gallery::Progress::new(&stop);
        let t = std::time::Instant::now();
        match (i.run)(&p) {
            Ok(o) => {
                println!("== {id} {} {:?}", o.verdict(), t.elapsed());
                for c in &o.claims {
                    println!("  [{}] {}", c.verdict(), c.text);
                    for m in &c.measures {
                        println!(
                            "      {} = {:e} {} claimed {:?} corrected {:?} ref {:?}",
                            m.what, m.value, m.unit, m.claimed, m.corrected, m.reference
                        );
                    }
                }
            }
            Err(e) => println!("== {id} {e:?}"),
        }
    }
}
