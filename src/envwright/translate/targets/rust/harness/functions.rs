//! Functions of modules that the harness calls: those of the golden pairs.

use super::json::{object, Json};
use super::listing::{FUNCTIONS, MODULES};
use super::Fields;

/// One recorded call of the reference: its inputs, and what is to come out.
pub type Golden = fn(&Fields) -> Fields;

/// What the harness asks of a module. All of it is there, or this would not be compiled.
pub fn names(module: &str) -> Result<Json, String> {
    let (_, entries) = MODULES
        .iter()
        .find(|(name, _)| *name == module)
        .ok_or_else(|| format!("there is no module {module}"))?;
    let own = FUNCTIONS.iter().filter(|(name, _, _)| *name == module).map(|(_, name, _)| name);
    let all = own.chain(entries.iter()).map(|name| Json::Text(name.to_string()));
    Ok(object([("names", Json::List(all.collect()))]))
}

/// A function on every row of a table.
pub fn call(function: &str, inputs: &Json) -> Result<Json, String> {
    let found = FUNCTIONS
        .iter()
        .find(|(module, name, _)| function == format!("{module}:{name}"))
        .ok_or_else(|| format!("there is no function {function}"))?;
    let table = Fields::from_json(inputs)?;
    let outputs = (0..table.rows()?).map(|row| found.2(&table.row(row))).collect();
    Ok(Fields::table(outputs)?.to_json())
}
