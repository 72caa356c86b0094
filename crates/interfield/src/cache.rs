//! Analyses and factors of large structures in files, so that the second start of the same model is short.
//!
//! A file is named after a hash of the matrix. It has a head (who wrote it, and what it is), words, and at its end their number and
//! their hash. It comes into being as a whole, by renaming, and whatever is wrong with one is told and leads to a computation: a
//! cache can make a start faster, and nothing else.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use interfield_structure::preparation::{Digest, Keeper, Words};

/// Words of the head and of the end.
const HEAD: usize = 3;
const END: usize = 3;
/// Age from which an unfinished file belongs to nobody.
const UNFINISHED: Duration = Duration::from_secs(24 * 3600);
const MAGIC: u64 = u64::from_le_bytes(*b"IFCACHE1");

/// A folder with them.
pub struct Cache {
    folder: PathBuf,
    told: Mutex<Vec<String>>,
}

/// What was found under a name.
enum Found {
    Nothing,
    Used,
    Bad(String),
}

impl Cache {
    /// The cache in a folder, which is made when something is kept.
    pub fn new(folder: PathBuf) -> Self {
        Cache { folder, told: Mutex::default() }
    }

    /// What is to be said about it; each is said once.
    pub fn told(&self) -> Vec<String> {
        std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, words: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(&words) {
            told.push(words);
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.cache"))
    }

    fn read(&self, name: &str, accept: &mut dyn FnMut(&mut Words<'_>) -> bool) -> Found {
        let file = match File::open(self.path(name)) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Found::Nothing,
            Err(e) => return Found::Bad(format!("cannot be read ({e})")),
        };
        let length = file.metadata().map_or(0, |m| m.len());
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut word = || {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes).ok().map(|()| u64::from_le_bytes(bytes))
        };
        let head: Vec<u64> = (0..HEAD).map_while(|_| word()).collect();
        if head.first().is_some_and(|&w| w != MAGIC) {
            return Found::Bad("is not a cache of this program".to_owned());
        }
        let whole = length / 8;
        if head.len() < HEAD || !length.is_multiple_of(8) || whole < (HEAD + END) as u64 {
            return Found::Bad("is not complete".to_owned());
        }
        if head[1..] != writer(name) {
            return Found::Bad("was written by another version or for another processor".to_owned());
        }
        let count = whole - (HEAD + END) as u64;
        let (mut digest, mut left) = (Digest::default(), count);
        let mut words = || {
            left = left.checked_sub(1)?;
            let next = word()?;
            digest.push(next);
            Some(next)
        };
        let accepted = accept(&mut words);
        // What was not asked for belongs to the hash too.
        while words().is_some() {}
        let end: Vec<u64> = (0..END).map_while(|_| word()).collect();
        let [a, b] = digest.finish();
        if end != [count, a, b] {
            return Found::Bad("is damaged".to_owned());
        }
        if accepted { Found::Used } else { Found::Bad("does not fit the matrix".to_owned()) }
    }

    /// Removes what a program that was ended left unfinished; nobody writes for longer than this.
    fn clear(&self) {
        let old = |entry: &std::fs::DirEntry| {
            let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
            entry.path().extension().is_some_and(|e| e == "part") && age.is_some_and(|age| age > UNFINISHED)
        };
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten().filter(old) {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(entry.path());
        }
    }

    fn write(&self, name: &str, words: &mut dyn Iterator<Item = u64>) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        self.clear();
        // Of its own, whoever else keeps the same at the same time: threads, programs, machines that share the folder.
        let (beside, file) = (0..)
            .map(|k| self.folder.join(format!("{name}.{}-{k}.part", std::process::id())))
            .map(|path| File::create_new(&path).map(|file| (path, file)))
            .find(|made| !matches!(made, Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists))
            .unwrap_or_else(|| Err(std::io::ErrorKind::AlreadyExists.into()))?;
        let written = write_words(file, name, words).and_then(|()| std::fs::rename(&beside, self.path(name)));
        if written.is_err() {
            // It may not even have been made.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }
}

fn write_words(file: File, name: &str, words: &mut dyn Iterator<Item = u64>) -> std::io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 18, file);
    let (mut digest, mut count) = (Digest::default(), 0u64);
    for word in [MAGIC].into_iter().chain(writer(name)) {
        file.write_all(&word.to_le_bytes())?;
    }
    for word in words {
        digest.push(word);
        count += 1;
        file.write_all(&word.to_le_bytes())?;
    }
    let [a, b] = digest.finish();
    for word in [count, a, b] {
        file.write_all(&word.to_le_bytes())?;
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_data()
}

/// The version, and the instructions by which this processor computes: other ones give other last bits.
fn writer(name: &str) -> [u64; 2] {
    let mut digest = Digest::default();
    let text = format!("{name} {} {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, instructions());
    text.bytes().for_each(|b| digest.push(b.into()));
    digest.finish()
}

#[cfg(target_arch = "x86_64")]
fn instructions() -> String {
    let has = [
        std::arch::is_x86_feature_detected!("avx512f"),
        std::arch::is_x86_feature_detected!("avx2"),
        std::arch::is_x86_feature_detected!("fma"),
    ];
    format!("{has:?}")
}

#[cfg(not(target_arch = "x86_64"))]
fn instructions() -> String {
    String::new()
}

impl Keeper for Cache {
    fn load(&self, name: &str, accept: &mut dyn FnMut(&mut Words<'_>) -> bool) -> bool {
        match self.read(name, accept) {
            Found::Used => true,
            Found::Nothing => false,
            Found::Bad(why) => {
                let path = self.path(name);
                self.tell(format!("warning: `{}` {why}; it is computed again", path.display()));
                false
            }
        }
    }

    fn keep(&self, name: &str, words: &mut dyn Iterator<Item = u64>) {
        if let Err(e) = self.write(name, words) {
            let path = self.folder.display();
            self.tell(format!("warning: nothing can be kept in the cache `{path}`: {e}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(name: &str) -> Cache {
        let folder = std::env::temp_dir().join(format!("interfield-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Cache::new(folder)
    }

    fn all(cache: &Cache, name: &str) -> Option<Vec<u64>> {
        let mut found = Vec::new();
        let accept = &mut |words: &mut Words<'_>| {
            found = std::iter::from_fn(words).collect();
            true
        };
        cache.load(name, accept).then_some(found)
    }

    #[test]
    fn what_was_kept_comes_back_and_nothing_else_does() {
        let cache = cache("whole");
        assert_eq!((all(&cache, "a"), cache.told()), (None, vec![]));
        let words: Vec<u64> = (0..5000).map(|i| i * i).collect();
        cache.keep("a", &mut words.iter().copied());
        cache.keep("b", &mut std::iter::empty());
        assert_eq!(all(&cache, "a").as_ref(), Some(&words));
        assert_eq!(all(&cache, "b"), Some(vec![]));
        assert_eq!(cache.told(), Vec::<String>::new());
        let names = std::fs::read_dir(&cache.folder).unwrap().count();
        assert_eq!(names, 2, "nothing unfinished stays");
        // A reader that is content with less gets the same verdict; one that refuses is told.
        assert!(cache.load("a", &mut |words| words() == Some(0)));
        assert!(!cache.load("a", &mut |_| false));
        assert!(cache.told()[0].contains("does not fit the matrix"));
        // Every damaged byte, every truncation, a file of somebody else and one of another name.
        let (path, good) = (cache.path("b"), std::fs::read(cache.path("b")).unwrap());
        for k in 0..good.len() {
            let mut bad = good.clone();
            bad[k] ^= 1 << (k % 8);
            std::fs::write(&path, &bad).unwrap();
            assert_eq!((all(&cache, "b"), cache.told().len()), (None, 1), "byte {k}");
            std::fs::write(&path, &good[..k]).unwrap();
            assert_eq!((all(&cache, "b"), cache.told().len()), (None, 1), "{k} bytes");
        }
        std::fs::write(&path, "a letter to somebody else, of some length, to be sure of it").unwrap();
        assert_eq!(all(&cache, "b"), None);
        assert!(cache.told()[0].contains("not a cache"));
        std::fs::copy(cache.path("a"), &path).unwrap();
        assert_eq!(all(&cache, "b"), None);
        assert!(cache.told()[0].contains("another version"));
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_told() {
        let cache = cache("blocked");
        std::fs::write(&cache.folder, "a file where the folder would be").unwrap();
        cache.keep("a", &mut [1].into_iter());
        assert!(cache.told()[0].contains("nothing can be kept"));
        std::fs::remove_file(&cache.folder).unwrap();
    }

    #[test]
    fn several_who_keep_the_same_at_once_leave_one_whole_file() {
        let cache = cache("several");
        std::fs::create_dir_all(&cache.folder).unwrap();
        // A program that was ended yesterday, and one that is at work.
        let [old, new] = ["a.7-0.part", "a.8-0.part"].map(|name| cache.folder.join(name));
        for path in [&old, &new] {
            std::fs::write(path, "begun").unwrap();
        }
        let yesterday = std::time::SystemTime::now() - 2 * UNFINISHED;
        File::options().write(true).open(&old).unwrap().set_modified(yesterday).unwrap();
        let words: Vec<u64> = (0..100_000).map(|i| i * i).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        cache.keep("a", &mut words.iter().copied());
                        assert!(all(&cache, "a").as_ref() == Some(&words), "{:?}", cache.told());
                    }
                });
            }
        });
        assert_eq!(cache.told(), Vec::<String>::new());
        let mut left: Vec<_> = std::fs::read_dir(&cache.folder).unwrap().map(|e| e.unwrap().path()).collect();
        left.sort();
        assert_eq!(left, [new, cache.path("a")]);
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        for count in [1, 1_000_000] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let error = write_words(full, "a", &mut (0..count)).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        }
    }
}
