//! Runs of numbers to bytes and back, little-endian: the programs send what lies in their memory, and all of them run on
//! machines that lie this way round.

/// Bytes of a number.
pub const F64: usize = 8;

/// Writes `values` to the head of `bytes`; what finds no room is left out, the rest of `bytes` becomes zero.
pub fn put(values: impl IntoIterator<Item = f64>, bytes: &mut [u8]) {
    let mut rest = bytes.chunks_exact_mut(F64);
    for (place, value) in rest.by_ref().zip(values.into_iter().chain(std::iter::repeat(0.0))) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// The numbers in `bytes`.
pub fn numbers(bytes: &[u8]) -> impl Iterator<Item = f64> + Clone + '_ {
    bytes.chunks_exact(F64).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default()))
}

/// Number `i` in `bytes`, NaN beyond the end.
pub fn number(bytes: &[u8], i: usize) -> f64 {
    numbers(bytes.get(i * F64..).unwrap_or_default()).next().unwrap_or(f64::NAN)
}

/// Writes whole numbers of four bytes.
pub fn put_whole<const N: usize>(values: [i32; N]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Whole numbers of four bytes; `None` if there are not exactly so many.
pub fn whole<const N: usize>(bytes: &[u8]) -> Option<[i32; N]> {
    let mut values = [0; N];
    if bytes.len() != 4 * N {
        return None;
    }
    for (value, b) in values.iter_mut().zip(bytes.chunks_exact(4)) {
        *value = i32::from_le_bytes(b.try_into().unwrap_or_default());
    }
    Some(values)
}
