//! Lists the sources of the runtime, which the module hands to packages that build it themselves.

use std::path::{Path, PathBuf};
use std::{env, fs};

const CRATES: [&str; 3] = ["crates/vecenv", "crates/vecenv-python", "crates/numpy-random"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a root");
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    for name in CRATES {
        files.push(root.join(name).join("Cargo.toml"));
        files.extend(sources(&root.join(name).join("src")));
    }
    let mut listed = String::from("const SOURCES: &[(&str, &str)] = &[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let path = file.strip_prefix(&root).expect("it is below the root");
        listed += &format!("    ({path:?}, include_str!({file:?})),\n");
    }
    listed += "];\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("sources.rs");
    fs::write(out, listed).expect("a writable OUT_DIR");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(
        files.iter().all(|file| file.extension().is_some_and(|end| end == "rs")),
        "flat crates"
    );
    files
}
