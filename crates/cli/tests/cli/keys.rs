//! Keys, and tests whose messages are sealed with them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::lab::{bits, lab, model, run};
use super::{Running, file, interfield};

/// A new key of this name, and its fingerprint.
fn key(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let made = interfield(&["key", "new", name, "--json"]).expect(0).json();
    (path, made["fingerprint"].as_str().expect("a fingerprint").to_owned())
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let (path, print) = key("own.key");
    let shown = interfield(&["key", "show", "own.key"]).expect(0).stdout;
    assert_eq!(shown, format!("own.key: key {print}\n"));
    let before = std::fs::read_to_string(&path).expect("the key");
    assert!(!shown.contains(before[17..].trim()), "a key is not shown");
    let again = interfield(&["key", "new", "own.key"]).expect(1).stderr;
    assert!(again.contains("`own.key` exists already, and a key file is never overwritten"), "{again}");
    assert_eq!(std::fs::read_to_string(&path).expect("the key"), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).expect("our own file");
        let open = interfield(&["key", "show", "own.key"]).expect(1).stderr;
        assert!(open.contains("can be read by other users; restrict it: chmod 600 own.key"), "{open}");
    }
    assert!(
        interfield(&["key", "show", "absent.key"]).expect(1).stderr.contains("`interfield key new FILE` makes one")
    );
}

/// Under seal every bit is the same as in one process, and both sides say what they counted.
#[test]
fn a_sealed_test_changes_no_bit() {
    let (_, print) = key("test.key");
    let alone = model("sealed-alone.toml", "1 s", "");
    run(&alone, "sealed-alone.h5", 0);
    let (hosted, address) = lab(&alone, "udp://127.0.0.1:0", &["--key", "test.key"]);
    // Those who have another key, or none, are told; and the specimen is still there for the right one.
    let (_, other) = key("other.key");
    assert_ne!(print, other);
    let wrong = model("sealed-wrong.toml", "1 s", &format!("at = \"{address}\"\nkey = \"other.key\""));
    let refused = interfield(&["run", wrong.to_str().expect("UTF-8"), "-o", "sealed-wrong.h5"]).expect(1).stderr;
    assert!(refused.contains("has another key") && refused.contains(&other), "{refused}");
    let bare = model("sealed-bare.toml", "1 s", &format!("at = \"{address}\""));
    let refused = interfield(&["run", bare.to_str().expect("UTF-8"), "-o", "sealed-bare.h5"]).expect(1).stderr;
    assert!(refused.contains("encrypted with its key; write key = "), "{refused}");
    let remote = model("sealed.toml", "1 s", &format!("at = \"{address}\"\nkey = \"test.key\""));
    let found = run(&remote, "sealed.h5", 0);
    for end in ["h5", "lab.h5"] {
        assert_eq!(bits(&format!("sealed-alone.{end}")), bits(&format!("sealed.{end}")), "{end}");
    }
    let account = &found["laboratory"][0]["account"];
    assert!(account["sealed"].as_f64() >= account["commands"].as_f64(), "{account}");
    assert_eq!((&account["rejected"], &account["replayed"]), (&0.into(), &0.into()), "{account}");
    let (code, said) = hosted.end();
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let said = &said["specimens"][0];
    assert_eq!((code, &said["sessions"]), (Some(0), &1.into()));
    assert!(said["rejected"].as_u64().is_some_and(|n| n >= 2), "the other key and no key: {said}");
}

#[test]
fn what_leaves_the_machine_is_sealed_or_said_not_to_be() {
    let wrong = |more: &str| {
        let path = model("open.toml", "1 s", more);
        let found = interfield(&["check", path.to_str().expect("UTF-8"), "--json"]).expect(2).json();
        let list = found["errors"].as_array().expect("a list").clone();
        let error = list.into_iter().find(|e| e["severity"] == "error").expect("an error");
        format!("{}: {} {}", error["line"], error["message"], error["help"])
    };
    let open = wrong("at = \"udp://10.0.0.2:7700\"");
    assert!(open.starts_with("38: ") && open.contains("has no key") && open.contains("interfield key new"), "{open}");
    assert!(wrong("at = \"udp://10.0.0.2:7700\"\ninsecure = true\nkey = \"a.key\"").contains("keep one of the two"));
    assert!(wrong("at = \"shm:/pier\"\nkey = \"a.key\"").contains("never leaves the machine"));
    let plain = model("open-plain.toml", "1 s", "");
    let path = plain.to_str().expect("UTF-8");
    let refused = interfield(&["lab", path, "--listen", "udp://0.0.0.0:0"]).expect(2).stderr;
    assert!(refused.contains("could move the specimen") && refused.contains("--insecure"), "{refused}");
    let insecure = model("open-insecure.toml", "1 s", "at = \"udp://10.0.0.2:7700\"\ninsecure = true");
    interfield(&["check", insecure.to_str().expect("UTF-8")]).expect(0);
    file("damaged.key", "interfield-key-1 12\n");
    let damaged = interfield(&["lab", path, "--key", "damaged.key"]).expect(1).stderr;
    assert!(damaged.contains("damaged.key"), "{damaged}");
}

/// One process hosts all specimens of a model, each at its own port.
#[test]
fn a_laboratory_hosts_all_specimens_of_a_model() {
    let two = |at: [&str; 2]| {
        let text = format!(
            r#"dofs = ["x"]
node = [{{ name = "a", mass = "1 t", initial = {{ x = "5 mm" }} }}, {{ name = "b", mass = "1 t" }}]
element = [
    {{ type = "spring", name = "one", nodes = ["ground", "a"], dof = "x", k = "40 kN/m" }},
    {{ type = "spring", name = "link", nodes = ["a", "b"], dof = "x", k = "20 kN/m" }},
    {{ type = "spring", name = "two", nodes = ["ground", "b"], dof = "x", k = "30 kN/m" }},
]
[analysis]
scheme = "newmark"
dt = "2 ms"
duration = "0.5 s"
[[specimen]]
name = "first"
elements = ["one"]
rate = "1 kHz"
{}
[[specimen]]
name = "second"
elements = ["two"]
rate = "1 kHz"
{}
"#,
            at[0], at[1]
        );
        file("two-specimens.toml", text)
    };
    let ports: Vec<std::net::UdpSocket> =
        (0..2).map(|_| std::net::UdpSocket::bind("127.0.0.1:0").expect("a port")).collect();
    let at: Vec<String> = ports
        .iter()
        .map(|s| format!("at = \"udp://127.0.0.1:{}\"", s.local_addr().expect("an address").port()))
        .collect();
    run(&two(["", ""]), "two-alone.h5", 0);
    let model = two([&at[0], &at[1]]);
    let path = model.to_str().expect("UTF-8");
    let one = interfield(&["lab", path, "--listen", "udp://127.0.0.1:0"]).expect(2).stderr;
    assert!(one.contains("has 2 specimens, but --listen is one address"), "{one}");
    drop(ports);
    let hosted = Running::start(&["lab", path, "--json"]);
    run(&model, "two-remote.h5", 0);
    for end in ["h5", "first.lab.h5", "second.lab.h5"] {
        assert_eq!(bits(&format!("two-alone.{end}")), bits(&format!("two-remote.{end}")), "{end}");
    }
    let (code, said) = hosted.end();
    let said: Value = serde_json::from_str(&said).expect("JSON");
    let names: Vec<&Value> = said["specimens"].as_array().expect("a list").iter().map(|s| &s["specimen"]).collect();
    assert_eq!((code, names), (Some(0), vec![&Value::from("first"), &Value::from("second")]));
}
