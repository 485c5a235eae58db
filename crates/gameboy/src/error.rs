//! Everything a caller can do wrong, and how a program can stop its machine.

/// Why a cartridge, a state or a snapshot was refused.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Error {
    #[error("the ROM is empty; pass the bytes of a .gb or .gbc file")]
    EmptyRom,
    #[error("the ROM has {0} bytes; a cartridge has whole banks of 16384 bytes")]
    RomLength(usize),
    #[error(
        "the header checksum is {stored:#04x} and the header's bytes give {computed:#04x}; the ROM is damaged or no Game Boy ROM"
    )]
    HeaderChecksum { stored: u8, computed: u8 },
    #[error("the cartridge type {0:#04x} is not known; use a ROM with no MBC, or MBC1, 2, 3 or 5")]
    CartridgeType(u8),
    #[error("the header names RAM size {0:#04x}; sizes go from 0 to 5")]
    RamSize(u8),
    #[error("the boot ROM has {0} bytes; a DMG one has 256, a CGB one 256 or 2304")]
    BootLength(usize),
    #[error("the boot ROM did not hand over to the cartridge within {0} frames; pass another one")]
    BootEndless(u32),
    #[error("the state has version {0}; save it anew with PyBoy 2.8.1, whose version is 29")]
    StateVersion(u8),
    #[error("the state is of a {theirs} and this machine is a {ours}; load it where it was saved")]
    StateModel { theirs: &'static str, ours: &'static str },
    #[error("the state has {actual} bytes and this cartridge's has {expected}; save it anew")]
    StateLength { actual: usize, expected: usize },
    #[error("the state cannot be played: {0}; save it anew")]
    StateValue(&'static str),
    #[error("these bytes are no snapshot of this cartridge; pass what snapshot() returned")]
    NotASnapshot,
}

/// Why a machine stands still. Restoring or loading a sound state lets it go on.
#[derive(Debug, Clone, Copy, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fault {
    /// PyBoy never comes back from one.
    #[error("illegal opcode {opcode:#04x} at address {address:#06x}")]
    IllegalOpcode { opcode: u8, address: u16 },
    #[error("a frame did not end within {0} cycles")]
    EndlessFrame(u64),
}
