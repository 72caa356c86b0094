//! Each role against the other one of ours, over real sockets.

use interfield_lab::partner::{Partner, Trouble};
use interfield_peers::channel::{PeerAddress, Transport};
use interfield_peers::host::{Ending, OnStall};
use interfield_peers::substructure::{Broken, Halt};
use interfield_peers::{site, utsim};

use super::{LONG, Path, Protocol, open, serve};

/// A hundred steps of a partner that is served to us.
fn partner_moves_the_path(protocol: Protocol, transport: Transport, connect: &dyn Fn(PeerAddress) -> Box<dyn Partner>) {
    const N: usize = 3;
    let door = open(transport);
    let place = door.place();
    let server = serve(protocol, door, Path::new(N), 1, (LONG, OnStall::Hold));
    let mut partner = connect(place);
    assert_eq!(partner.dofs(), N);
    let ([mut reached, mut force], mut sums) = ([[0.0; N]; 2], [0.0; N]);
    for k in 0..100 {
        let u: [f64; N] = std::array::from_fn(|i| (0.1 * f64::from(k) + i as f64).sin());
        partner.exchange(0.01 * f64::from(k), &u, &[0.0; N], &mut reached, &mut force).expect("it answers");
        sums.iter_mut().zip(u).for_each(|(s, u)| *s = 0.9 * *s + u);
        assert_eq!((reached, force), (u, sums), "{protocol:?} {transport:?} step {k}");
    }
    assert!(partner.exchange(1.0, &[f64::NAN; N], &[0.0; N], &mut reached, &mut force).is_err());
    partner.finish();
    assert!(partner.exchange(1.0, &[0.0; N], &[0.0; N], &mut reached, &mut force).is_err());
    let (path, records, _) = server.join().expect("no panic");
    assert_eq!((path.moves.len(), path.begun), (100, 1));
    assert_eq!((records[0].ending, records[0].counts.moves), (Ending::Ended, 100));
    if protocol == Protocol::Site {
        assert_eq!(records[0].counts.commits, 100);
    }
}

/// A shadow site of OpenFresco.
fn shadow(place: PeerAddress) -> Box<dyn Partner> {
    let settings = site::Settings { place, dofs: 3, patience: LONG, timeout: LONG };
    Box::new(site::Shadow::connect(&settings, &mut || true).expect("an actor"))
}

/// An integrator of UT-SIM.
fn integrator(place: PeerAddress) -> Box<dyn Partner> {
    let precision = utsim::Precision::Double;
    let settings = utsim::Settings { place, dofs: 3, precision, patience: LONG, timeout: LONG };
    Box::new(utsim::Integrator::connect(&settings, &mut || true).expect("a substructure"))
}

#[test]
fn a_shadow_drives_an_actor() {
    for transport in [Transport::Tcp, Transport::Udp] {
        partner_moves_the_path(Protocol::Site, transport, &shadow);
    }
}

#[test]
fn an_integrator_of_ut_sim_drives_a_substructure() {
    for transport in [Transport::Tcp, Transport::Udp] {
        partner_moves_the_path(Protocol::UtSim, transport, &integrator);
    }
}

/// Nobody waits for a substructure that does not move any more: the answer comes at once, and is no number.
#[test]
fn a_partner_is_told_that_the_substructure_broke() {
    for protocol in [Protocol::Site, Protocol::UtSim] {
        let door = open(Transport::Tcp);
        let place = door.place();
        let path = Path { breaks_at: 1, ..Path::new(3) };
        let server = serve(protocol, door, path, 1, (LONG, OnStall::Hold));
        let mut partner = if protocol == Protocol::Site { shadow(place) } else { integrator(place) };
        let [mut reached, mut force] = [[0.0; 3]; 2];
        let mut exchange = |t: f64| partner.exchange(t, &[t; 3], &[0.0; 3], &mut reached, &mut force);
        assert_eq!(exchange(0.1), Ok(()));
        assert_eq!(exchange(0.2), Err(Trouble::Garbled), "{protocol:?}");
        partner.finish();
        let (path, records, _) = server.join().expect("no panic");
        let halt = Halt::Broken(Broken("worn out"));
        assert_eq!((path.left, records[0].ending), (1, Ending::Halted(halt)), "{protocol:?}");
    }
}

#[test]
fn where_nobody_listens_is_said() {
    let place: PeerAddress = "tcp://127.0.0.1:1".parse().expect("an address");
    let patience = std::time::Duration::ZERO;
    let site = site::Settings { place: place.clone(), dofs: 1, patience, timeout: LONG };
    let found = site::Shadow::connect(&site, &mut || true).err().expect("nobody listens there").to_string();
    assert!(found.starts_with("no OpenFresco site at tcp://127.0.0.1:1: "), "{found}");
    let mut asked = 0;
    let long = site::Settings { patience: LONG, ..site };
    let gives_up = site::Shadow::connect(&long, &mut || {
        asked += 1;
        asked < 3
    });
    assert!(gives_up.is_err());
    assert_eq!(asked, 3);
}

#[test]
fn addresses_are_printed_as_they_were_read() {
    for text in ["tcp://127.0.0.1:8090", "udp://lab:1", "tcp://[::1]:65535"] {
        assert_eq!(text.parse::<PeerAddress>().map(|p| p.to_string()).as_deref(), Ok(text));
    }
    for (text, what) in [
        ("127.0.0.1:80", "is not an address"),
        ("http://a:1", "is not an address"),
        ("tcp://a", "no port"),
        ("udp://a:70000", "no port"),
    ] {
        let found = text.parse::<PeerAddress>();
        assert!(found.as_ref().is_err_and(|e| e.contains(what)), "{text}: {found:?}");
    }
    assert!("tcp://127.0.0.1:1".parse::<PeerAddress>().is_ok_and(|p| p.is_local()));
    assert!("udp://0.0.0.0:1".parse::<PeerAddress>().is_ok_and(|p| !p.is_local()));
}
