//! JSON as Python's `json` reads and writes it: numbers survive, NaN and Infinity are words.

use std::fmt::Write;

const DEEPEST: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// An object with these members.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(name, value)| (name.to_string(), value)).into())
}

impl Json {
    /// The value that a text spells.
    pub fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(reader.wrong("the end")),
        }
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// A member that has to be there.
    pub fn need(&self, name: &str) -> Result<&Json, String> {
        self.get(name).ok_or_else(|| format!("the question has no {name:?}"))
    }

    /// A whole number that has to be there, not negative.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        match self.need(name)? {
            Json::Int(number) if *number >= 0 => Ok(*number as u64),
            other => Err(format!("{name:?} is a whole number, not {other:?}")),
        }
    }

    /// A text that has to be there.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        match self.need(name)? {
            Json::Text(text) => Ok(text),
            other => Err(format!("{name:?} is a text, not {other:?}")),
        }
    }

    /// In one line.
    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            // Writing to a text cannot fail.
            Json::Int(number) => write!(out, "{number}").unwrap_or_default(),
            Json::Float(number) => write_float(*number, out),
            Json::Text(text) => write_text(text, out),
            Json::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// The shortest text that reads back as the same number.
fn write_float(number: f64, out: &mut String) {
    if number.is_infinite() {
        out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        write!(out, "{number:?}").unwrap_or_default();
    }
}

fn write_text(text: &str, out: &mut String) {
    let odd = |letter: char| letter < ' ' || letter == '"' || letter == '\\';
    let mut rest = text;
    out.push('"');
    while let Some(end) = rest.find(odd) {
        out.push_str(&rest[..end]);
        // All of these are one byte long.
        write!(out, "\\u{:04x}", rest.as_bytes()[end]).unwrap_or_default();
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err(self.wrong("something less deep"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(_) => self.word(),
            None => Err(self.wrong("a value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        let mut members = Vec::new();
        self.at += 1;
        if self.took(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.peek();
            let name = self.string()?;
            if !self.took(b':') {
                return Err(self.wrong("a colon"));
            }
            members.push((name, self.value(depth + 1)?));
            if self.took(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.took(b',') {
                return Err(self.wrong("a comma"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        let mut items = Vec::new();
        self.at += 1;
        if self.took(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.took(b']') {
                return Ok(Json::List(items));
            }
            if !self.took(b',') {
                return Err(self.wrong("a comma"));
            }
        }
    }

    /// A number, true, false, null, NaN or Infinity.
    fn word(&mut self) -> Result<Json, String> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}', ':', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = match word {
            "null" => Some(Json::Null),
            "true" => Some(Json::Bool(true)),
            "false" => Some(Json::Bool(false)),
            "NaN" => Some(Json::Float(f64::NAN)),
            "Infinity" => Some(Json::Float(f64::INFINITY)),
            "-Infinity" => Some(Json::Float(f64::NEG_INFINITY)),
            _ if !word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => None,
            _ if word.contains(['.', 'e', 'E']) => word.parse().ok().map(Json::Float),
            _ => word.parse().ok().map(Json::Int),
        };
        let value = value.ok_or_else(|| self.wrong("a value"))?;
        self.at += end;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.text[self.at..].starts_with('"') {
            return Err(self.wrong("a text"));
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = rest.find(['"', '\\']).ok_or_else(|| self.wrong("the end of a text"))?;
            text.push_str(&rest[..end]);
            self.at += end + 1;
            if rest[end..].starts_with('"') {
                return Ok(text);
            }
            text.push(self.escaped()?);
        }
    }

    /// The letter after a backslash.
    fn escaped(&mut self) -> Result<char, String> {
        let letter = self.text[self.at..].chars().next().ok_or_else(|| self.wrong("a letter"))?;
        self.at += letter.len_utf8();
        Ok(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let first = self.unit()?;
                let pair = (0xd800..0xdc00).contains(&first);
                let code = if pair && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    0x10000 + ((first - 0xd800) << 10 | self.unit()?.wrapping_sub(0xdc00) & 0x3ff)
                } else {
                    first
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => other,
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }

    /// The next byte that is not white.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn took(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn wrong(&self, wanted: &str) -> String {
        let seen: String = self.text[self.at..].chars().take(20).collect();
        format!("not JSON: {wanted} is missing at byte {}, before {seen:?}", self.at)
    }
}
