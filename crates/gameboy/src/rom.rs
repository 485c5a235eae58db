//! A cartridge's ROM: its header, checked as PyBoy checks it, and its banks.

use crate::error::Error;

/// Bytes in a bank of ROM.
pub const ROM_BANK: usize = 0x4000;
/// Bytes in a bank of cartridge RAM.
pub const RAM_BANK: usize = 0x2000;

const LOGO: std::ops::Range<usize> = 0x104..0x134;
const CGB_FLAG: usize = 0x143;
const CARTRIDGE_TYPE: usize = 0x147;
const RAM_SIZE: usize = 0x149;
const HEADER_CHECKSUM: usize = 0x14D;

/// Memory bank controllers; MBC30 is an MBC3 with more banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Mbc {
    None,
    Mbc1,
    Mbc2,
    Mbc3,
    Mbc30,
    Mbc5,
}

/// A checked ROM; share one among machines with `Arc`.
#[derive(Debug)]
pub struct Rom {
    pub(crate) bytes: Box<[u8]>,
    /// Each bank as the CPU fetches from it.
    pub(crate) code: Box<[Code]>,
    pub(crate) banks: usize,
    pub(crate) ram_banks: usize,
    pub(crate) mbc: Mbc,
    /// A ROM without an MBC has its RAM on from the start, if it has RAM.
    pub(crate) has_ram: bool,
    pub(crate) has_clock: bool,
    pub(crate) has_rumble: bool,
    /// An MBC1 cartridge that holds several games, wired with one bank bit less.
    pub(crate) multicart: bool,
}

/// PyBoy takes the last two addresses of the lower bank from the switched one, where they lie
/// before its beginning: so many bytes lie before a bank.
const BEFORE: usize = 2;
/// Places of a window where instructions may begin. Those of the switched bank's last bytes are
/// left to the slow path, so that it is as long as the lower one's.
const PLACES: usize = ROM_BANK - BEFORE;
/// Bytes of a window: an instruction's and one more are fetched from each place.
const WINDOW: usize = PLACES + 3;

/// A bank of ROM with the bytes before it.
#[derive(Debug)]
pub(crate) struct Code([u8; BEFORE + WINDOW]);

impl Code {
    fn new(bytes: &[u8], bank: usize) -> Self {
        // Before the first bank lies its own end: it is below itself in the map.
        let first = bank * ROM_BANK + if bank == 0 { ROM_BANK } else { 0 } - BEFORE;
        let mut code = [0; BEFORE + WINDOW];
        code[..BEFORE].copy_from_slice(&bytes[first..first + BEFORE]);
        code[BEFORE..][..ROM_BANK].copy_from_slice(&bytes[bank * ROM_BANK..][..ROM_BANK]);
        Self(code)
    }
}

/// A bank of code as it is mapped: its bytes, and the address of the first one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    code: &'a [u8; WINDOW],
    begin: usize,
}

impl<'a> Window<'a> {
    /// The lower bank, but for its last bytes.
    pub(crate) fn low(rom: &'a Rom, bank: usize) -> Option<Self> {
        Some(Self { code: rom.code.get(bank)?.0.last_chunk()?, begin: 0 })
    }

    /// The switched bank, and those that PyBoy takes from before it.
    pub(crate) fn high(rom: &'a Rom, bank: usize) -> Option<Self> {
        Some(Self { code: rom.code.get(bank)?.0.first_chunk()?, begin: PLACES })
    }

    /// A window that no address is in.
    pub(crate) fn nowhere() -> Self {
        Self { code: &[0; WINDOW], begin: usize::MAX / 2 }
    }

    /// Four bytes from a place on, if an instruction may begin there.
    #[inline(always)]
    pub(crate) fn fetch(&self, at: usize) -> Option<u32> {
        if at >= PLACES {
            return None;
        }
        let code = self.code;
        Some(u32::from_le_bytes([code[at], code[at + 1], code[at + 2], code[at + 3]]))
    }

    pub(crate) fn holds(&self, address: u16) -> bool {
        self.place_of(address) < PLACES
    }

    #[inline(always)]
    pub(crate) fn place_of(&self, address: u16) -> usize {
        usize::from(address).wrapping_sub(self.begin)
    }

    /// Places go on beyond the window as addresses do.
    #[inline(always)]
    pub(crate) fn address_of(&self, at: usize) -> u16 {
        at.wrapping_add(self.begin) as u16
    }
}

impl Rom {
    /// Checks a cartridge's bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.is_empty() {
            return Err(Error::EmptyRom);
        }
        if !bytes.len().is_multiple_of(ROM_BANK) {
            return Err(Error::RomLength(bytes.len()));
        }
        let computed = bytes[0x134..HEADER_CHECKSUM]
            .iter()
            .fold(0_u8, |sum, &byte| sum.wrapping_sub(byte).wrapping_sub(1));
        let stored = bytes[HEADER_CHECKSUM];
        if stored != computed {
            return Err(Error::HeaderChecksum { stored, computed });
        }
        // A cartridge without RAM gets a bank all the same, as PyBoy gives it.
        let ram_banks = match bytes[RAM_SIZE] {
            0..=2 => 1,
            3 => 4,
            4 => 16,
            5 => 8,
            size => return Err(Error::RamSize(size)),
        };
        let banks = bytes.len() / ROM_BANK;
        let kind = bytes[CARTRIDGE_TYPE];
        let mbc = match kind {
            0x00 | 0x08 | 0x09 => Mbc::None,
            0x01..=0x03 => Mbc::Mbc1,
            0x05 | 0x06 => Mbc::Mbc2,
            0x0F..=0x13 if ram_banks > 4 || banks > 128 => Mbc::Mbc30,
            0x0F..=0x13 => Mbc::Mbc3,
            0x19..=0x1E => Mbc::Mbc5,
            _ => return Err(Error::CartridgeType(kind)),
        };
        let logo = |bank: usize| &bytes[bank * ROM_BANK..][LOGO];
        let multicart =
            mbc == Mbc::Mbc1 && banks == 64 && (1..64).all(|bank| logo(bank) == logo(0));
        Ok(Self {
            bytes: bytes.into(),
            code: (0..banks).map(|bank| Code::new(bytes, bank)).collect(),
            banks,
            ram_banks,
            mbc,
            has_ram: matches!(kind, 0x08 | 0x09),
            has_clock: matches!(kind, 0x0F | 0x10),
            has_rumble: matches!(kind, 0x1C..=0x1E),
            multicart,
        })
    }

    /// Whether the header asks for a Game Boy Color.
    pub fn wants_cgb(&self) -> bool {
        self.bytes[CGB_FLAG] & 0x80 != 0
    }

    /// The title in the header, read as Latin-1 up to the first NUL.
    pub fn title(&self) -> String {
        let end = if self.wants_cgb() { 0x142 } else { 0x143 };
        let name = self.bytes[0x134..end].iter().take_while(|&&byte| byte != 0);
        name.map(|&byte| char::from(byte)).collect()
    }
}
