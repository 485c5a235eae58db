//! Serves the translation: `twin` has its functions, `twin '{"option": 1}'` the environment, too.

use std::io;

fn main() {
    let options = std::env::args().nth(1);
    translation::harness::serve(options, io::stdin().lock(), io::stdout().lock());
}
