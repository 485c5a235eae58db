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

#[cfg(test)]
mod tests {
    use super::{MAX_TIME, Measure, Reader, Stream, Writer};

    fn read<T: Default>(bytes: &[u8], visit: impl Fn(&mut Reader<'_>, &mut T)) -> T {
        let mut value = T::default();
        visit(&mut Reader(bytes), &mut value);
        value
    }

    #[test]
    fn numbers_that_no_run_comes_to_are_cut() {
        let time = |value: i64| read(&value.to_le_bytes(), |reader, time| reader.time(time));
        for value in [0, -1, 7, MAX_TIME - 1, MAX_TIME, -MAX_TIME, 1 - MAX_TIME] {
            assert_eq!(time(value), value);
        }
        assert_eq!([time(MAX_TIME + 1), time(i64::MAX)], [1 << 56; 2]);
        assert_eq!([time(-MAX_TIME - 1), time(i64::MIN)], [-(1 << 56); 2]);
        let small = |value: i64| read(&value.to_le_bytes(), |reader, small| reader.small(small));
        for value in [0, -1, 0x100_0000, -0x100_0000, 0xFF_FFFF] {
            assert_eq!(i64::from(small(value)), value);
        }
        assert_eq!([small(0x100_0001), small(i64::MAX)], [0x100_0000; 2]);
        assert_eq!([small(-0x100_0001), small(i64::MIN)], [-0x100_0000; 2]);
    }

    #[test]
    fn any_byte_but_zero_is_a_flag_that_is_set() {
        for byte in 0..=255 {
            assert_eq!(read(&[byte], |reader, flag| reader.flag(flag)), byte != 0);
            assert_eq!(read(&[byte], |reader, flag| reader.bit(flag, 4)), byte != 0);
        }
        let mut writer = Writer::default();
        writer.bit(&mut true, 0x80);
        writer.bit(&mut false, 0x80);
        writer.flag(&mut true);
        writer.flag(&mut false);
        assert_eq!(writer.0, [0x80, 0, 1, 0]);
    }

    #[test]
    fn a_reader_takes_what_a_writer_wrote_and_a_measure_its_length() {
        fn visit(stream: &mut impl Stream, value: &mut (u8, u16, i64, f64, [u8; 3])) {
            stream.byte(&mut value.0);
            stream.word(&mut value.1);
            stream.long(&mut value.2);
            stream.double(&mut value.3);
            stream.bytes(&mut value.4);
        }
        let mut written = (7, 0x1234, -5, 2.5, [1, 2, 3]);
        let (mut writer, mut measure) = (Writer::default(), Measure::default());
        visit(&mut writer, &mut written);
        visit(&mut measure, &mut written);
        assert_eq!((writer.0.len(), measure.0), (22, 22));
        let mut found = (0, 0, 0, 0.0, [0; 3]);
        let mut reader = Reader(&writer.0);
        visit(&mut reader, &mut found);
        assert_eq!(found, written);
        assert!(reader.0.is_empty());
        visit(&mut reader, &mut found);
        assert_eq!(found, written, "beyond the end fields stay");
    }
}
