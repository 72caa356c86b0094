//! Pictures of cameras beside the curves: the newest file of a folder, or a stream of JPEG pictures over HTTP (MJPEG). Each new picture is shown,
//! and kept with its times beside the recording; a playback shows those again.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use crate::events::{Event, Kind};
use crate::hub::{Hub, lock, now_ms};

/// Most cameras of a test.
const CAMERAS: usize = 16;
/// When each picture was taken.
const INDEX: &str = "times.csv";
/// Largest picture, bytes.
const LARGEST: usize = 8 << 20;
/// How often a folder is looked at, and a camera called again.
const LOOK: Duration = Duration::from_millis(200);
/// Longest time that a camera may take to answer, and to send more of its stream: some send a picture every few seconds.
const PATIENCE: Duration = Duration::from_secs(2);
const SILENCE: Duration = Duration::from_secs(15);
/// Shortest time between two pictures that are kept, ms.
const KEEP: f64 = 500.0;

/// Where pictures come from.
#[derive(Clone, Debug)]
enum Source {
    Folder(PathBuf),
    /// Host with port, and path.
    Mjpeg(String, String),
    /// Pictures that were kept, and when they were taken, s.
    Kept(Vec<(f64, PathBuf)>),
}

/// Kind, bytes.
type Picture = (&'static str, Arc<Vec<u8>>);

/// A camera.
#[derive(Clone, Debug)]
pub struct Camera {
    name: String,
    source: Source,
    latest: Arc<Mutex<Option<Picture>>>,
}

impl Camera {
    /// A folder, or an address `http://HOST[:PORT]/PATH`.
    ///
    /// # Errors
    /// A sentence.
    pub fn new(place: &str) -> Result<Self, String> {
        let source = match place.strip_prefix("http://") {
            Some(rest) => {
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                if host.is_empty() || host.contains('@') {
                    return Err(format!(
                        "`{place}` is not a camera: give http://HOST/PATH; a name and password cannot be given, open the stream of the \
                         camera to this machine"
                    ));
                }
                let host = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
                Source::Mjpeg(host, format!("/{path}"))
            }
            None if place.contains("://") => {
                return Err(format!(
                    "`{place}` is not a camera: give a folder of pictures, or http://HOST/PATH of an MJPEG stream"
                ));
            }
            None if !Path::new(place).is_dir() => return Err(format!("`{place}` is not a folder")),
            None => Source::Folder(place.into()),
        };
        Ok(Camera { name: place.to_owned(), source, latest: Arc::default() })
    }

    /// The pictures that were kept in a folder, of each camera.
    pub fn kept(folder: &Path) -> Vec<Self> {
        let index = fs::read_to_string(folder.join(INDEX)).unwrap_or_default();
        let mut cameras: Vec<Vec<(f64, PathBuf)>> = Vec::new();
        for line in index.lines().skip(1) {
            let mut parts = line.split(',');
            let [Some(file), Some(number), _, Some(t)] = [parts.next(), parts.next(), parts.next(), parts.next()]
            else {
                continue;
            };
            // A name of a file beside the index and nothing else.
            let Some(file) = Path::new(file).file_name() else { continue };
            let (Ok(number), Ok(t)) = (number.parse::<usize>(), t.parse::<f64>()) else { continue };
            if number < CAMERAS {
                cameras.resize_with(cameras.len().max(number + 1), Vec::new);
                cameras[number].push((t, folder.join(file)));
            }
        }
        let camera = |(number, mut list): (usize, Vec<(f64, PathBuf)>)| {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            Camera { name: format!("{}", number + 1), source: Source::Kept(list), latest: Arc::default() }
        };
        cameras.into_iter().enumerate().map(camera).collect()
    }

    /// Where its pictures come from, as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn latest(&self) -> Option<(&'static str, Arc<Vec<u8>>)> {
        lock(&self.latest).clone()
    }
}

/// What is kept of the pictures of a camera: files, and an index with their times.
struct Album<'a> {
    folder: Option<&'a Path>,
    number: usize,
    last: f64,
    hub: &'a Hub,
    /// It was told that no picture comes.
    lost: bool,
}

impl Album<'_> {
    /// Tells once that a camera gives no pictures, until it does.
    fn miss(&mut self, camera: &Camera, why: &str) {
        if std::mem::replace(&mut self.lost, true) {
            return;
        }
        let advice = "Check the camera and the network. It is called again; the test is not affected.".to_owned();
        let t = self.hub.desk().map_or(0.0, |d| d.status().t);
        self.hub.event(Event { advice, ..Event::now(Kind::State, t, format!("camera {}: {why}", camera.name)) });
    }

    fn add(&mut self, camera: &Camera, kind: &'static str, bytes: Vec<u8>) {
        self.lost = false;
        let (bytes, stamp) = (Arc::new(bytes), now_ms());
        let t = self.hub.desk().map_or(0.0, |d| d.status().t);
        self.show(camera, t, kind, &bytes);
        let Some(folder) = self.folder.filter(|_| stamp - self.last >= KEEP) else { return };
        self.last = stamp;
        let name = format!("{}-{stamp:.0}.{}", self.number, if kind == "image/png" { "png" } else { "jpg" });
        let index = folder.join(INDEX);
        let kept = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(&name), &*bytes)).and_then(|()| {
            let new = !index.exists();
            let mut index = fs::OpenOptions::new().create(true).append(true).open(&index)?;
            if new {
                writeln!(index, "file,camera,unix [ms],t [s]")?;
            }
            writeln!(index, "{name},{},{stamp:.0},{t}", self.number)
        });
        if let Err(e) = kept {
            // The picture is shown all the same.
            let advice =
                "Free some disk space. Pictures are shown and no longer kept; the test is not affected.".to_owned();
            let what = format!("pictures cannot be kept in {}: {e}", folder.display());
            self.hub.event(Event { advice, ..Event::now(Kind::Alarm, t, what) });
            self.folder = None;
        }
    }

    fn show(&self, camera: &Camera, t: f64, kind: &'static str, bytes: &Arc<Vec<u8>>) {
        *lock(&camera.latest) = Some((kind, bytes.clone()));
        self.hub.pictured(self.number, t);
    }
}

/// Takes pictures until the console ends.
pub(crate) fn keep(camera: &Camera, number: usize, hub: &Hub, folder: Option<&Path>, over: &AtomicBool) {
    let mut album = Album { folder, number, last: 0.0, hub, lost: false };
    let mut seen: Option<(PathBuf, SystemTime)> = None;
    while !over.load(Ordering::Acquire) {
        match &camera.source {
            Source::Folder(path) => {
                if let Some((file, changed)) = newest(path).filter(|found| seen.as_ref() != Some(found)) {
                    if let Some((kind, bytes)) = picture(&file) {
                        album.add(camera, kind, bytes);
                    }
                    seen = Some((file, changed));
                }
            }
            Source::Kept(list) => {
                let t = hub.desk().map_or(0.0, |d| d.status().t);
                let now = list.partition_point(|p| p.0 <= t).checked_sub(1).map(|i| &list[i]);
                if let Some((t, file)) = now.filter(|p| seen.as_ref().is_none_or(|s| s.0 != p.1)) {
                    if let Some((kind, bytes)) = picture(file) {
                        album.show(camera, *t, kind, &Arc::new(bytes));
                    }
                    seen = Some((file.clone(), SystemTime::UNIX_EPOCH));
                }
            }
            // A camera that is lost is called again.
            Source::Mjpeg(host, path) => {
                let ended = receive(camera, host, path, &mut album, over);
                if !over.load(Ordering::Acquire) {
                    album.miss(camera, &ended.map_or_else(|e| e.to_string(), |()| "the stream has ended".to_owned()));
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// A picture of a file, and its kind.
fn picture(file: &Path) -> Option<(&'static str, Vec<u8>)> {
    let png = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    fs::metadata(file).ok().filter(|m| m.len() as usize <= LARGEST)?;
    let bytes = fs::read(file).ok().filter(|b| !b.is_empty())?;
    Some((if png { "image/png" } else { "image/jpeg" }, bytes))
}

/// The newest picture of a folder, and when it was written.
fn newest(folder: &Path) -> Option<(PathBuf, SystemTime)> {
    let pictures = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let path = entry.path();
        let known = ["jpg", "jpeg", "png"].iter().any(|k| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(k)));
        known.then(|| Some((path, entry.metadata().ok()?.modified().ok()?))).flatten()
    });
    pictures.max_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)))
}

/// What a camera answers instead of a stream: `HTTP/1.1 404 Not Found`.
fn refusal(answer: &[u8]) -> Option<String> {
    let line = answer.split(|b| *b == b'\r').next().filter(|l| l.len() < answer.len())?;
    let (version, status) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    (version.starts_with("HTTP/") && !status.starts_with("200")).then(|| format!("it answers {status}"))
}

fn receive(camera: &Camera, host: &str, path: &str, album: &mut Album<'_>, over: &AtomicBool) -> std::io::Result<()> {
    let address = host.to_socket_addrs()?.next().ok_or(std::io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_read_timeout(Some(LOOK))?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes())?;
    let (mut bytes, mut part, mut heard, mut begins) = (Vec::new(), vec![0; 64 * 1024], Instant::now(), true);
    while !over.load(Ordering::Acquire) {
        let n = match stream.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            // It is looked now and then whether the test is over.
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) && heard.elapsed() < SILENCE => {
                continue;
            }
            Err(e) => return Err(e),
        };
        heard = Instant::now();
        bytes.extend_from_slice(&part[..n]);
        if begins && let Some(why) = refusal(&bytes) {
            return Err(std::io::Error::other(why));
        }
        begins = false;
        while let Some(picture) = cut(&mut bytes) {
            album.add(camera, "image/jpeg", picture);
        }
        if bytes.len() > LARGEST {
            bytes.clear();
        }
    }
    Ok(())
}

/// The first whole JPEG picture: from its start (FF D8) to its end (FF D9).
fn cut(bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let start = bytes.windows(2).position(|w| w == [0xff, 0xd8])?;
    let end = start + length(&bytes[start..])?;
    let picture = bytes[start..end].to_vec();
    bytes.drain(..end);
    Some(picture)
}

/// Length of the picture that begins here, if all of it is there. Segments are skipped by what they say of their length, because one of them may
/// hold a preview, a picture with an end of its own.
fn length(picture: &[u8]) -> Option<usize> {
    let mut at = 2;
    loop {
        let (mark, kind) = (*picture.get(at)?, *picture.get(at + 1)?);
        match kind {
            // What is no segment is coded data: its end is the next one that may stand in it.
            _ if mark != 0xff => at += picture[at..].windows(2).position(|w| w[0] == 0xff && !is_coded(w[1]))?,
            // Filling.
            0xff => at += 1,
            0xd9 => return Some(at + 2),
            _ if kind == 0x01 || is_coded(kind) => at += 2,
            _ => at += 2 + usize::from(u16::from_be_bytes([*picture.get(at + 2)?, *picture.get(at + 3)?])).max(2),
        }
    }
}

/// Whether FF and this byte stand in coded data: an escaped FF, a restart.
fn is_coded(kind: u8) -> bool {
    matches!(kind, 0x00 | 0xd0..=0xd7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_cut_out_of_a_stream() {
        let mut bytes =
            b"--frame\r\nContent-Type: image/jpeg\r\n\r\n\xff\xd8abc\xff\xd9\r\n--frame\r\n\r\n\xff\xd8de".to_vec();
        assert_eq!(cut(&mut bytes).unwrap(), b"\xff\xd8abc\xff\xd9");
        assert!(cut(&mut bytes).is_none());
        bytes.extend(b"f\xff\xd9");
        assert_eq!(cut(&mut bytes).unwrap(), b"\xff\xd8def\xff\xd9");
        // A segment with a preview, filling, the start of coded data with an escaped byte and a restart in it: in parts, as they come.
        let whole = b"\xff\xd8\xff\xe1\x00\x08\xff\xd8aa\xff\xd9\xff\xff\xda\x00\x03hx\xff\x00y\xff\xd3z\xff\xd9";
        for n in 0..whole.len() {
            assert!(cut(&mut whole[..n].to_vec()).is_none(), "{n}");
        }
        assert_eq!(cut(&mut [b"--b".as_slice(), whole, b"\xff\xd8"].concat()).unwrap(), whole);
    }

    #[test]
    fn a_camera_that_answers_something_else_is_understood() {
        assert_eq!(refusal(b"HTTP/1.1 404 Not Found\r\nServer: x\r\n").unwrap(), "it answers 404 Not Found");
        assert_eq!(refusal(b"HTTP/1.0 401 Unauthorized\r\n").unwrap(), "it answers 401 Unauthorized");
        for good in [b"HTTP/1.0 200 OK\r\n".as_slice(), b"--frame\r\n\xff\xd8", b"\xff\xd8\xff", b"HTTP/1.1 40", b""] {
            assert!(refusal(good).is_none());
        }
    }

    #[test]
    fn what_is_no_camera_is_refused() {
        assert!(Camera::new("rtsp://camera/stream").is_err());
        assert!(Camera::new("/no/such/folder").is_err());
        assert!(Camera::new("http://user:word@camera.lab/stream").unwrap_err().contains("password"));
        assert!(Camera::new("http://").is_err());
        assert!(Camera::new("http://camera.lab/stream.mjpg").is_ok());
    }
}
