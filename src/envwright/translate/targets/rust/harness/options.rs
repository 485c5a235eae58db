//! Options of a game, by name.

use std::cell::RefCell;

use super::json::Json;

/// What the game was made with. An option that `Game::new` does not ask for is refused.
#[derive(Debug)]
pub struct Options {
    given: Vec<(String, Json)>,
    asked: RefCell<Vec<String>>,
}

impl Options {
    /// From the text of a JSON object.
    pub fn parse(text: &str) -> Result<Options, String> {
        Options::from_json(Json::parse(text)?)
    }

    pub(super) fn from_json(value: Json) -> Result<Options, String> {
        match value {
            Json::Object(given) => Ok(Options { given, asked: RefCell::default() }),
            other => Err(format!("options are an object, not {other:?}")),
        }
    }

    /// A text, or what holds unless it is given.
    pub fn text(&self, name: &str, default: &str) -> Result<String, String> {
        match self.find(name) {
            None => Ok(default.to_string()),
            Some(Json::Text(text)) => Ok(text.clone()),
            Some(other) => Err(format!("option {name} is a text, not {other:?}")),
        }
    }

    /// A whole number.
    pub fn int(&self, name: &str, default: i64) -> Result<i64, String> {
        match self.find(name) {
            None => Ok(default),
            Some(Json::Int(number)) => Ok(*number),
            Some(other) => Err(format!("option {name} is a whole number, not {other:?}")),
        }
    }

    /// A number.
    pub fn float(&self, name: &str, default: f64) -> Result<f64, String> {
        match self.find(name) {
            None => Ok(default),
            Some(Json::Int(number)) => Ok(*number as f64),
            Some(Json::Float(number)) => Ok(*number),
            Some(other) => Err(format!("option {name} is a number, not {other:?}")),
        }
    }

    /// True or false.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, String> {
        match self.find(name) {
            None => Ok(default),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!("option {name} is true or false, not {other:?}")),
        }
    }

    /// An error if there is an option that nobody asked for.
    pub fn all_known(&self) -> Result<(), String> {
        let asked = self.asked.borrow();
        match self.given.iter().find(|(name, _)| !asked.contains(name)) {
            Some((name, _)) => Err(format!("there is no option {name:?}; there are {asked:?}")),
            None => Ok(()),
        }
    }

    fn find(&self, name: &str) -> Option<&Json> {
        self.asked.borrow_mut().push(name.to_string());
        self.given.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}
