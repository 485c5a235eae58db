//! What RAM says: numbers, conditions on them, and what their changes are worth.

use gameboy::Machine;

/// How bytes make a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The first byte counts least.
    Little,
    /// The first byte counts most.
    Big,
    /// Two decimal digits to a byte, the first byte counts least.
    BcdLittle,
    /// Two decimal digits to a byte, the first byte counts most.
    BcdBig,
    /// How many bits are set.
    Bits,
}

impl Encoding {
    /// By its name in a game's file.
    pub fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "little" => Self::Little,
            "big" => Self::Big,
            "bcd-little" => Self::BcdLittle,
            "bcd-big" => Self::BcdBig,
            "bits" => Self::Bits,
            _ => {
                return Err(format!(
                    "there is no encoding '{name}'; use little, big, bcd-little, bcd-big or bits"
                ));
            }
        })
    }
}

/// A number in RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Where its first byte is.
    pub address: u16,
    /// How many bytes it has, 1 to 4.
    pub bytes: u8,
    /// How they make a number.
    pub encoding: Encoding,
}

impl Number {
    /// Most bytes of a number.
    pub const MOST_BYTES: u8 = 4;

    /// Checks its size.
    pub fn new(address: u16, bytes: u8, encoding: &str) -> Result<Self, String> {
        if !(1..=Self::MOST_BYTES).contains(&bytes) {
            return Err(format!("a number has {bytes} bytes; choose 1 to {}", Self::MOST_BYTES));
        }
        Ok(Self { address, bytes, encoding: Encoding::named(encoding)? })
    }

    /// What it is now.
    pub fn read(&self, machine: &mut Machine) -> i64 {
        let Self { address, bytes, encoding } = *self;
        let mut value = 0;
        // From the byte that counts most to the one that counts least.
        for i in 0..u16::from(bytes) {
            let offset = match encoding {
                Encoding::Big | Encoding::BcdBig => i,
                _ => u16::from(bytes) - 1 - i,
            };
            let byte = machine.peek(address.wrapping_add(offset));
            let (high, low) = (i64::from(byte >> 4), i64::from(byte & 15));
            value = match encoding {
                Encoding::Little | Encoding::Big => value << 8 | i64::from(byte),
                Encoding::BcdLittle | Encoding::BcdBig => 100 * value + 10 * high + low,
                Encoding::Bits => value + i64::from(byte.count_ones()),
            };
        }
        value
    }
}

/// How a number is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Test {
    Equal,
    Unequal,
    Below,
    Above,
    SharesBits,
}

impl Test {
    /// By its sign in a game's file.
    pub fn named(sign: &str) -> Result<Self, String> {
        Ok(match sign {
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            "<" => Self::Below,
            ">" => Self::Above,
            "&" => Self::SharesBits,
            _ => return Err(format!("there is no test '{sign}'; use ==, !=, <, > or &")),
        })
    }
}

/// A number compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Condition {
    pub number: Number,
    pub test: Test,
    pub value: i64,
}

impl Condition {
    /// Whether it is met.
    pub fn holds(&self, machine: &mut Machine) -> bool {
        let number = self.number.read(machine);
        match self.test {
            Test::Equal => number == self.value,
            Test::Unequal => number != self.value,
            Test::Below => number < self.value,
            Test::Above => number > self.value,
            Test::SharesBits => number & self.value != 0,
        }
    }
}

/// A term of the reward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reward {
    /// What is looked at.
    pub number: Number,
    /// What one is worth.
    pub scale: f64,
    /// Whether its change in a step counts, rather than what it is.
    pub change: bool,
}

impl Reward {
    /// What a step is paid.
    pub fn of(&self, before: i64, now: i64) -> f64 {
        self.scale * (if self.change { now - before } else { now }) as f64
    }
}
