//! What the documents show is what the project holds.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn documents() -> Vec<(String, String)> {
    let mut all = vec![("README.md".to_string(), read("README.md"))];
    for entry in fs::read_dir(root().join("docs")).expect("docs are there") {
        let name = format!(
            "docs/{}",
            entry.expect("it can be read").file_name().display()
        );
        if Path::new(&name)
            .extension()
            .is_some_and(|extension| extension == "md")
        {
            all.push((name.clone(), read(&name)));
        }
    }
    all
}

/// Blocks whose fence names a file: `(document, whole or part, file, code)`.
fn blocks() -> Vec<(String, bool, String, String)> {
    let mut found = Vec::new();
    for (document, text) in documents() {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(fence) = line.strip_prefix("```rust ") else {
                continue;
            };
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let code = code.join("\n") + "\n";
            match (fence.strip_prefix("file="), fence.strip_prefix("part=")) {
                (Some(file), _) => found.push((document.clone(), true, file.to_string(), code)),
                (_, Some(file)) => found.push((document.clone(), false, file.to_string(), code)),
                _ => {}
            }
        }
    }
    found
}

#[test]
fn code_that_names_a_file_is_that_file() {
    let blocks = blocks();
    assert!(blocks.len() >= 5, "the documents show files");
    for (document, whole, file, code) in blocks {
        let source = read(&file);
        if whole {
            assert_eq!(code, source, "{document} shows {file} as it is no more");
        } else {
            assert!(
                source.contains(&code),
                "{document} shows a part of {file} that is not there"
            );
        }
    }
}

#[test]
fn links_to_files_lead_somewhere() {
    for (document, text) in documents() {
        let folder = root()
            .join(&document)
            .parent()
            .expect("a file has a folder")
            .to_path_buf();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if !link.contains("://") && !link.starts_with('#') {
                let target = link.split('#').next().unwrap_or(link);
                assert!(
                    folder.join(target).exists(),
                    "{document} links to {target}, which is not there"
                );
            }
        }
    }
}
