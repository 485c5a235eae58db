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

#[cfg(test)]
mod tests {
    use super::{Mbc, PLACES, ROM_BANK, Rom, Window};
    use crate::error::Error;

    fn header(kind: u8, ram: u8, banks: usize) -> Vec<u8> {
        let mut bytes = vec![0; banks * ROM_BANK];
        (bytes[0x147], bytes[0x149]) = (kind, ram);
        sealed(bytes)
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let sum =
            bytes[0x134..0x14D].iter().fold(0_u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
        bytes[0x14D] = sum;
        bytes
    }

    #[test]
    fn every_kind_of_cartridge_has_its_controller_or_is_refused() {
        for kind in 0..=255 {
            let expected = match kind {
                0x00 | 0x08 | 0x09 => Mbc::None,
                0x01..=0x03 => Mbc::Mbc1,
                0x05 | 0x06 => Mbc::Mbc2,
                0x0F..=0x13 => Mbc::Mbc3,
                0x19..=0x1E => Mbc::Mbc5,
                _ => {
                    let refused = Rom::new(&header(kind, 0, 2)).err();
                    assert_eq!(refused, Some(Error::CartridgeType(kind)));
                    continue;
                }
            };
            let rom = Rom::new(&header(kind, 0, 2)).expect("a known kind");
            assert_eq!(rom.mbc, expected, "{kind:02X}");
            assert_eq!(rom.has_ram, [0x08, 0x09].contains(&kind));
            assert_eq!(rom.has_clock, [0x0F, 0x10].contains(&kind));
            assert_eq!(rom.has_rumble, [0x1C, 0x1D, 0x1E].contains(&kind));
        }
    }

    #[test]
    fn sizes_tell_the_larger_mbc3_and_how_much_ram_there_is() {
        for (ram, ram_banks) in [(0, 1), (1, 1), (2, 1), (3, 4), (4, 16), (5, 8)] {
            let rom = Rom::new(&header(0x13, ram, 2)).expect("a header");
            let larger = ram_banks > 4;
            assert_eq!((rom.banks, rom.ram_banks), (2, ram_banks));
            assert_eq!(rom.mbc == Mbc::Mbc30, larger);
        }
        assert_eq!(Rom::new(&header(0x13, 6, 2)).err(), Some(Error::RamSize(6)));
        for (banks, mbc) in [(128, Mbc::Mbc3), (129, Mbc::Mbc30)] {
            let rom = Rom::new(&header(0x13, 3, banks)).expect("a header");
            assert_eq!((rom.mbc, rom.banks), (mbc, banks));
        }
    }

    #[test]
    fn only_an_mbc1_of_64_banks_that_all_begin_alike_holds_several_games() {
        let several = |bytes: &[u8]| Rom::new(bytes).expect("a header").multicart;
        assert!(several(&header(0x01, 0, 64)));
        assert!(![63, 65, 32, 128].iter().any(|&banks| several(&header(0x01, 0, banks))));
        assert!(!several(&header(0x19, 0, 64)));
        for (bank, at, alike) in [
            (1, 0x104, false),
            (63, 0x133, false),
            (32, 0x110, false),
            (1, 0x103, true),
            (63, 0x134, true),
        ] {
            let mut bytes = header(0x01, 0, 64);
            bytes[bank * ROM_BANK + at] = 1;
            assert_eq!(several(&bytes), alike, "bank {bank}, {at:03X}");
        }
    }

    #[test]
    fn bytes_that_are_no_banks_or_have_another_sum_are_refused() {
        assert_eq!(Rom::new(&[]).err(), Some(Error::EmptyRom));
        assert_eq!(Rom::new(&[0; 0x4001]).err(), Some(Error::RomLength(0x4001)));
        assert_eq!(Rom::new(&[0; 0x3FFF]).err(), Some(Error::RomLength(0x3FFF)));
        assert!(Rom::new(&header(0, 0, 1)).is_ok());
        let mut spoiled = header(0, 0, 2);
        let computed = spoiled[0x14D];
        for at in [0x134, 0x14C] {
            spoiled[at] = 1;
            let refused = Error::HeaderChecksum { stored: computed, computed: computed - 1 };
            assert_eq!(Rom::new(&spoiled).err(), Some(refused));
            spoiled[at] = 0;
        }
        (spoiled[0x133], spoiled[0x14E]) = (1, 1);
        assert!(Rom::new(&spoiled).is_ok(), "beside the header's sum");
    }

    #[test]
    fn a_title_ends_at_its_first_nul_or_before_the_flag_of_the_color_machine() {
        let mut bytes = header(0, 0, 2);
        bytes[0x134..0x144].copy_from_slice(b"SIXTEEN LETTERSX");
        let rom = Rom::new(&sealed(bytes.clone())).expect("a header");
        assert_eq!((rom.title().as_str(), rom.wants_cgb()), ("SIXTEEN LETTERS", false));
        bytes[0x143] = 0x80;
        let rom = Rom::new(&sealed(bytes.clone())).expect("a header");
        assert_eq!((rom.title().as_str(), rom.wants_cgb()), ("SIXTEEN LETTER", true));
        (bytes[0x143], bytes[0x136]) = (0x7F, 0);
        let rom = Rom::new(&sealed(bytes)).expect("a header");
        assert_eq!((rom.title().as_str(), rom.wants_cgb()), ("SI", false));
    }

    #[test]
    fn windows_show_banks_with_the_bytes_around_them() {
        let mut bytes = header(0x19, 0, 3);
        for (at, byte) in bytes.iter_mut().enumerate().skip(0x150) {
            *byte = (at ^ at >> 7) as u8;
        }
        let rom = Rom::new(&sealed(bytes)).expect("a header");
        let four = |at: usize| Some(u32::from_le_bytes(rom.bytes[at..at + 4].try_into().unwrap()));
        let low = Window::low(&rom, 1).expect("a bank");
        for at in [0, 1, 0x1234, PLACES - 2] {
            assert_eq!(low.fetch(at), four(ROM_BANK + at));
            assert!(low.holds(at as u16) && low.place_of(at as u16) == at);
            assert_eq!(low.address_of(at), at as u16);
        }
        assert!(low.holds(0x3FFD) && !low.holds(0x3FFE) && !low.holds(0x8000));
        assert_eq!((low.fetch(PLACES), low.fetch(usize::MAX)), (None, None));
        let high = Window::high(&rom, 2).expect("a bank");
        for address in [0x3FFE_u16, 0x4000, 0x5678, 0x7FF0] {
            let at = high.place_of(address);
            assert_eq!(high.fetch(at), four(ROM_BANK + usize::from(address)));
            assert_eq!(high.address_of(at), address);
        }
        assert!(high.holds(0x3FFE) && high.holds(0x7FFB));
        assert!(!high.holds(0x3FFD) && !high.holds(0x7FFC));
        assert!(Window::low(&rom, 3).is_none() && Window::high(&rom, 3).is_none());
        let nowhere = Window::nowhere();
        assert!((0..=0xFFFF).all(|address| {
            let at = nowhere.place_of(address);
            nowhere.fetch(at).is_none() && nowhere.address_of(at) == address
        }));
    }
}
