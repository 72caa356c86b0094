//! The memory in which a simulated device says what it is (SII, ETG.1000.6 and ETG.2010).

/// Where the parts of the memory of a simulated device are: start and length.
pub(super) const MAILBOX_IN: (u16, u16) = (0x1000, 128);
pub(super) const MAILBOX_OUT: (u16, u16) = (0x1400, 128);
pub(super) const OUTPUTS: u16 = 0x1800;
pub(super) const INPUTS: u16 = 0x2800;

/// Lists of outputs and inputs that all simulated devices have.
pub(super) const RX_LIST: u16 = 0x1600;
pub(super) const TX_LIST: u16 = 0x1a00;

/// The bytes of a device with this name and these lengths of outputs and inputs.
pub(super) fn memory(name: &str, outputs: usize, inputs: usize, mailbox: bool) -> Vec<u8> {
    let mut words = [0_u16; 0x40];
    // Manufacturer, product, revision, serial number: none that exists.
    words[0x08..0x10].copy_from_slice(&[0x1f1d, 0, 0x0001, 0, 1, 0, 1, 0]);
    if mailbox {
        words[0x18..0x1d].copy_from_slice(&[MAILBOX_IN.0, MAILBOX_IN.1, MAILBOX_OUT.0, MAILBOX_OUT.1, 0x0004]);
    }
    words[0x3e] = 15;
    words[0x3f] = 1;
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();

    let name: Vec<u8> = name.bytes().take(60).collect();
    let strings: Vec<u8> = [1, name.len() as u8].into_iter().chain(name).collect();
    category(&mut bytes, 10, &strings);
    // The order name is the first string; SDO and lists can be had if there is a mailbox.
    let mut general = [0; 32];
    general[2] = 1;
    general[3] = 1;
    general[5] = if mailbox { 0x0d } else { 0 };
    category(&mut bytes, 30, &general);
    category(&mut bytes, 40, &[1, 2]);
    category(&mut bytes, 41, &channels(outputs, inputs, mailbox));
    let first = if mailbox { 2 } else { 0 };
    category(&mut bytes, 50, &list(TX_LIST, first + 1, inputs));
    category(&mut bytes, 51, &list(RX_LIST, first, outputs));
    bytes.extend([0xff; 4]);
    bytes
}

/// Sync managers: start, length, control, status, enable, what for.
fn channels(outputs: usize, inputs: usize, mailbox: bool) -> Vec<u8> {
    let channel = |(start, length): (u16, u16), control: u8, what: u8| {
        let [s, l] = [start.to_le_bytes(), length.to_le_bytes()];
        [s[0], s[1], l[0], l[1], control, 0, 1, what]
    };
    let mut all = Vec::new();
    if mailbox {
        all.extend(channel(MAILBOX_IN, 0x26, 1));
        all.extend(channel(MAILBOX_OUT, 0x22, 2));
    }
    all.extend(channel((OUTPUTS, outputs as u16), 0x64, 3));
    all.extend(channel((INPUTS, inputs as u16), 0x20, 4));
    all
}

/// A list of process data: one entry per byte, which is all that a length needs.
fn list(index: u16, channel: u8, length: usize) -> Vec<u8> {
    if length == 0 {
        return Vec::new();
    }
    let [lo, hi] = index.to_le_bytes();
    let mut all = vec![lo, hi, length as u8, channel, 0, 0, 0, 0];
    for sub in 1..=length {
        all.extend([0x00, 0x20, sub as u8, 0, 5, 8, 0, 0]);
    }
    all
}

fn category(bytes: &mut Vec<u8>, kind: u16, content: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend((content.len().div_ceil(2) as u16).to_le_bytes());
    bytes.extend(content);
    bytes.resize(bytes.len() + content.len() % 2, 0);
}
