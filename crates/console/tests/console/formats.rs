//! The stream as other programs read it, and pictures of cameras.

use super::*;
use interfield_console::camera::Camera;
use interfield_console::mcap::McapFile;
use interfield_console::udp::UdpJson;
use interfield_console::{Event, Kind, Outlet, Stamps};
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};

/// A folder of a test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("interfield-console-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_stream_leaves_in_open_formats() {
    let folder = Folder::new("formats");
    let path = folder.0.join("stream.mcap");
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(LONG)).unwrap();
    let mut test = console();
    test.hub.outlet(Box::new(McapFile::create(&path).unwrap()));
    assert!(McapFile::create(&path).is_err(), "a file that is there is not replaced");
    test.hub.outlet(Box::new(UdpJson::new(receiver.local_addr().unwrap()).unwrap()));
    show(&mut test.feed, 2.0, 0.004);
    test.hub.event(Event::now(Kind::Note, 2.0, "crack").by("Ada"));
    let mut datagram = [0; 2000];
    let (length, _) = receiver.recv_from(&mut datagram).unwrap();
    let row: Value = serde_json::from_slice(&datagram[..length]).unwrap();
    assert_eq!(row["run"], json!({ "t": 2.0, "x": 4.0 }));
    assert!(row["timestamp"].as_f64().unwrap() > 1.7e9);
    let metrics = get(test.console.address(), "/metrics");
    for line in [
        "interfield_test_state{state=\"running\"} 1",
        "interfield_model_time_seconds 1.5",
        "interfield_console_viewers 0",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
    test.console.end();
    let bytes = std::fs::read(&path).unwrap();
    let magic = b"\x89MCAP0\r\n";
    assert!(bytes.starts_with(magic) && bytes.ends_with(magic));
    assert!(String::from_utf8_lossy(&bytes).contains("{\"t\":2.0,\"x\":4.0}"));
}

/// An outlet that keeps when rows came.
#[derive(Clone, Default)]
struct Clocked(Arc<Mutex<Vec<u64>>>);

impl Outlet for Clocked {
    fn rows(&mut self, _: usize, topic: &Topic, stamps: Stamps, rows: &[f64]) {
        self.0.lock().unwrap().extend((0..rows.len() / topic.columns.len()).map(|i| stamps.of(i)));
    }
}

#[test]
fn rows_of_one_turn_have_times_of_their_own() {
    let hub = Hub::new(json!({}));
    let clocked = Clocked::default();
    hub.outlet(Box::new(clocked.clone()));
    let mut feed = hub.topic(topic(), 64);
    for turn in 0..3 {
        (0..4).for_each(|i| show(&mut feed, f64::from(4 * turn + i), 0.0));
        hub.turn(false);
    }
    let stamps = clocked.0.lock().unwrap().clone();
    assert_eq!(stamps.len(), 12);
    assert!(stamps.windows(2).all(|w| w[0] < w[1]), "{stamps:?}");
}

#[test]
fn a_row_that_is_too_long_for_a_datagram_comes_in_several() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(LONG)).unwrap();
    let hub = Hub::new(json!({}));
    hub.outlet(Box::new(UdpJson::new(receiver.local_addr().unwrap()).unwrap()));
    let columns = (0..3000).map(|i| Column::new(format!("node{i}.displacement.x"), "mm", 1.0)).collect();
    let mut feed = hub.topic(Topic { columns, ..topic() }, 2);
    feed.row().iter_mut().enumerate().for_each(|(i, x)| *x = i as f64);
    feed.send();
    hub.turn(false);
    let (mut datagram, mut seen) = (vec![0; 1 << 16], Vec::new());
    while seen.len() < 3000 {
        let (length, _) = receiver.recv_from(&mut datagram).unwrap();
        let row: Value = serde_json::from_slice(&datagram[..length]).unwrap();
        assert!(row["timestamp"].as_f64().unwrap() > 1.7e9);
        seen.extend(
            row["run"].as_object().unwrap().iter().map(|(name, x)| (x.as_f64().unwrap() as usize, name.clone())),
        );
    }
    seen.sort();
    assert!(seen.iter().enumerate().all(|(i, (x, name))| i == *x && *name == format!("node{i}.displacement.x")));
}

#[test]
fn a_live_stream_has_topics_that_came_after_its_reader() {
    let mut test = console();
    let address = test.console.address();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(format!("GET /live.mcap HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).unwrap();
    let mut heard = Vec::new();
    let mut part = [0; 4096];
    let mut until = |what: &str, feed: &mut Feed| {
        while !String::from_utf8_lossy(&heard).contains(what) {
            show(feed, 1.0, 0.25);
            let n = stream.read(&mut part).unwrap();
            assert!(n > 0, "the stream ends before `{what}`");
            heard.extend_from_slice(&part[..n]);
        }
    };
    until("/run", &mut test.feed);
    let mut late = test.hub.topic(Topic { name: "rig.damper".into(), ..topic() }, 64);
    until("/rig.damper", &mut late);
    // The last row of a test is in it, and its end.
    show(&mut test.feed, 4711.0, 0.25);
    test.console.end();
    let _ = stream.read_to_end(&mut heard).unwrap();
    assert!(heard.ends_with(b"\x89MCAP0\r\n") && String::from_utf8_lossy(&heard).contains("\"t\":4711.0"));
}

/// A hub with a playback that stands at a time.
fn camera(pictures: Option<PathBuf>, camera: Camera) -> (Hub, Console) {
    let hub = Hub::new(json!({}));
    hub.commanded_by(Arc::new(Told::default()));
    let extras = Extras { cameras: vec![camera], ..Extras::default() };
    let address = "127.0.0.1:0".parse().unwrap();
    let console = Console::serve(&hub, Serving { address, tunnel: false, extras, pictures, keep_off: None }).unwrap();
    (hub, console)
}

/// Waits until the page gets this picture.
fn pictured(console: &Console, wanted: &str) {
    let begun = Instant::now();
    while !get(console.address(), "/camera/0").ends_with(wanted) {
        assert!(begun.elapsed() < LONG, "no picture {wanted}");
    }
}

#[test]
fn pictures_of_a_camera_are_shown_kept_and_shown_again() {
    let folder = Folder::new("camera");
    let pictures = folder.0.join("first.pictures");
    // A camera that is lost after each picture, as bad ones are.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}/video", listener.local_addr().unwrap());
    let eye = std::thread::spawn(move || {
        for i in 0..3u8 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 16];
            stream.read_exact(&mut head).unwrap();
            assert_eq!(&head, b"GET /video HTTP/");
            let picture = [b"\xff\xd8picture ", &[b'0' + i][..], b"\xff\xd9"].concat();
            let head = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n--b\r\n\r\n";
            stream.write_all(&[&head[..], &picture, b"\r\n--b\r\n"].concat()).unwrap();
        }
    });
    let (hub, mut console) = camera(Some(pictures.clone()), Camera::new(&place).unwrap());
    pictured(&console, "picture 2\u{fffd}\u{fffd}");
    eye.join().unwrap();
    let mut viewer = Viewer::new(console.address());
    while viewer.hear("status").unwrap()["pictures"][0]["t"] != 1.5 {}
    console.end();
    drop(hub);
    let index = std::fs::read_to_string(pictures.join("times.csv")).unwrap();
    assert!(index.starts_with("file,camera,unix [ms],t [s]\n") && index.lines().count() >= 2, "{index}");
    // Played back at 1.5 s: the newest picture until then, and none of a file elsewhere that a forged index names.
    std::fs::write(
        pictures.join("times.csv"),
        format!("{index}../../etc/passwd,0,0,1.5\nlater.jpg,0,0,99\nnonsense\n"),
    )
    .unwrap();
    let kept = Camera::kept(&pictures);
    assert_eq!(kept.len(), 1);
    std::fs::write(pictures.join("passwd"), "beside").unwrap();
    let (_hub, console) = camera(None, kept.into_iter().next().unwrap());
    pictured(&console, "beside");
    assert!(Camera::kept(Path::new("/no/such/folder")).is_empty());
}

#[test]
fn pictures_that_cannot_be_kept_are_shown_all_the_same_and_that_is_told() {
    let folder = Folder::new("no-room");
    let source = folder.0.join("source");
    std::fs::create_dir_all(&source).unwrap();
    std::fs::write(source.join("a.png"), "a picture").unwrap();
    // A file is where the folder should be.
    let blocked = folder.0.join("first.pictures");
    std::fs::write(&blocked, "").unwrap();
    let (_hub, console) = camera(Some(blocked), Camera::new(source.to_str().unwrap()).unwrap());
    pictured(&console, "a picture");
    let events = Viewer::new(console.address()).hear("events").unwrap();
    assert!(events[0]["text"].as_str().unwrap().contains("cannot be kept") && events[0]["kind"] == "alarm", "{events}");
}
