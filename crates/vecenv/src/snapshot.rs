//! Bytes of a whole batch: a header that says what they are, every lane, a checksum.
//!
//! ```text
//! magic "EWSNAP" | format u16 | identity text | fields text | lanes u64 | lanes packed | note | FNV-1a u64
//! ```
//! A batch that is not a [`VecEnv`](crate::VecEnv) writes the same format with [`Header`] and
//! [`seal`], and may add a note of fixed size.
//! All numbers are little-endian; a text is its length as u32, then UTF-8. Nothing depends on
//! the number of threads.

use crate::error::Error;
use crate::fields::Field;

const MAGIC: &[u8; 6] = b"EWSNAP";
pub(crate) const FORMAT: u16 = 1;
const CHECKSUM_SIZE: usize = 8;

/// What a snapshot must agree with to be restored.
#[derive(Debug, Clone)]
pub struct Header {
    /// The environment with its settings.
    pub identity: String,
    /// The named fields of a lane; empty where they have no names.
    pub fields: String,
    /// How many lanes there are.
    pub lanes: usize,
    /// Bytes of a packed lane.
    pub lane_size: usize,
    /// Bytes behind the lanes.
    pub note_size: usize,
}

impl Header {
    pub(crate) fn new(identity: String, fields: &[Field], lanes: usize) -> Self {
        let listed: Vec<String> =
            fields.iter().map(|f| format!("{} {}{:?}", f.name, f.dtype.name(), f.shape)).collect();
        Self {
            identity,
            fields: listed.join(", "),
            lanes,
            lane_size: fields.iter().map(Field::size).sum(),
            note_size: 0,
        }
    }

    /// The bytes before the lanes.
    pub fn open(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        for text in [&self.identity, &self.fields] {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.extend_from_slice(&(self.lanes as u64).to_le_bytes());
        bytes
    }

    /// The packed lanes and the note in `bytes`, if they are whole and of this very environment.
    pub fn lanes_in<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], Error> {
        let mut format = bytes.strip_prefix(MAGIC).ok_or(Error::NotASnapshot)?;
        let format = u16::from_le_bytes(take(&mut format)?);
        if format != FORMAT {
            return Err(Error::SnapshotFormat(format));
        }
        let mut rest = &unseal(bytes)?[MAGIC.len() + size_of_val(&format)..];
        let identity = take_text(&mut rest)?;
        if identity != self.identity.as_bytes() {
            let theirs = String::from_utf8_lossy(identity).into_owned();
            return Err(Error::SnapshotForeign { theirs, ours: self.identity.clone() });
        }
        if take_text(&mut rest)? != self.fields.as_bytes() {
            return Err(Error::SnapshotFields);
        }
        let theirs = u64::from_le_bytes(take(&mut rest)?);
        if theirs != self.lanes as u64 {
            return Err(Error::SnapshotLanes { theirs, ours: self.lanes });
        }
        if rest.len() != self.lanes * self.lane_size + self.note_size {
            return Err(Error::SnapshotDamaged);
        }
        Ok(rest)
    }
}

/// Appends the checksum of everything before it.
pub fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend_from_slice(&fnv1a(&bytes).to_le_bytes());
    bytes
}

fn unseal(bytes: &[u8]) -> Result<&[u8], Error> {
    let end = bytes.len().checked_sub(CHECKSUM_SIZE).ok_or(Error::SnapshotDamaged)?;
    let (content, checksum) = bytes.split_at(end);
    if fnv1a(content).to_le_bytes() == checksum { Ok(content) } else { Err(Error::SnapshotDamaged) }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Error> {
    let (head, rest) = bytes.split_first_chunk().ok_or(Error::SnapshotDamaged)?;
    *bytes = rest;
    Ok(*head)
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let length = u32::from_le_bytes(take(bytes)?) as usize;
    let (text, rest) = bytes.split_at_checked(length).ok_or(Error::SnapshotDamaged)?;
    *bytes = rest;
    Ok(text)
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
