//! One list of fields for both ways: what writes a state and what reads it visit it alike.

/// The largest time in a state that is believed; arithmetic on times cannot overflow below it.
const MAX_TIME: i64 = 1 << 56;

/// Visits fields in the order in which PyBoy writes them.
pub trait Stream {
    /// Whether fields change by being visited.
    const LOADS: bool;

    fn bytes(&mut self, bytes: &mut [u8]);

    fn byte(&mut self, value: &mut u8) {
        let mut bytes = [*value];
        self.bytes(&mut bytes);
        *value = bytes[0];
    }

    fn flag(&mut self, value: &mut bool) {
        let mut byte = u8::from(*value);
        self.byte(&mut byte);
        *value = byte != 0;
    }

    /// A flag that PyBoy keeps as a bit of a register.
    fn bit(&mut self, value: &mut bool, bit: u8) {
        let mut byte = if *value { bit } else { 0 };
        self.byte(&mut byte);
        *value = byte != 0;
    }

    fn word(&mut self, value: &mut u16) {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes);
        *value = u16::from_le_bytes(bytes);
    }

    fn long(&mut self, value: &mut i64) {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes);
        *value = i64::from_le_bytes(bytes);
    }

    /// A count of cycles; one that no run comes to is cut.
    fn time(&mut self, value: &mut i64) {
        self.long(value);
        *value = (*value).clamp(-MAX_TIME, MAX_TIME);
    }

    /// A small number in eight bytes; one that no run comes to is cut.
    fn small(&mut self, value: &mut i32) {
        let mut long = i64::from(*value);
        self.long(&mut long);
        *value = long.clamp(-0x100_0000, 0x100_0000) as i32;
    }

    fn double(&mut self, value: &mut f64) {
        let mut bytes = value.to_le_bytes();
        self.bytes(&mut bytes);
        *value = f64::from_le_bytes(bytes);
    }
}

/// Appends fields.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Stream for Writer {
    const LOADS: bool = false;

    fn bytes(&mut self, bytes: &mut [u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Only counts how long a state is.
#[derive(Default)]
pub struct Measure(pub usize);

impl Stream for Measure {
    const LOADS: bool = false;

    fn bytes(&mut self, bytes: &mut [u8]) {
        self.0 += bytes.len();
    }
}

/// Takes fields from bytes; beyond their end fields stay, which the length check before rules out.
pub struct Reader<'a>(pub &'a [u8]);

impl Stream for Reader<'_> {
    const LOADS: bool = true;

    fn bytes(&mut self, bytes: &mut [u8]) {
        if let Some((head, tail)) = self.0.split_at_checked(bytes.len()) {
            bytes.copy_from_slice(head);
            self.0 = tail;
        }
    }
}
