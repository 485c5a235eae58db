//! Panics as errors, with their place.

use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::sync::Mutex;

/// The first panic that was not told yet, of whatever thread.
static WORDS: Mutex<String> = Mutex::new(String::new());

/// From now on nobody is told of a panic but who asks here.
pub fn keep_quiet() {
    set_hook(Box::new(|panic| {
        let said = panic.payload();
        let text = said
            .downcast_ref::<&str>()
            .map(|text| text.to_string())
            .or_else(|| said.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
        let mut words = WORDS.lock().unwrap_or_else(|broken| broken.into_inner());
        if words.is_empty() {
            *words = format!("panicked: {text}{}", place.unwrap_or_default());
        }
    }));
}

/// What a function gives; its panic is an error.
pub fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    last_words(); // of a panic that the game caught itself
                  // What a panic leaves half done is set anew by the next start or load.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(last_words()))
}

/// What the last panic said.
pub fn last_words() -> String {
    let mut words = WORDS.lock().unwrap_or_else(|broken| broken.into_inner());
    match std::mem::take(&mut *words) {
        words if words.is_empty() => "panicked".to_string(),
        words => words,
    }
}
