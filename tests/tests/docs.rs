//! What the documents show is what the project holds.

use std::fmt::Write as _;
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

/// `docs/errors.md`: each program of `tests/ui/fail` with what the macros say to it.
fn errors() -> String {
    let folder = root().join("tests/ui/fail");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the programs are there")
        .map(|entry| {
            entry
                .expect("it can be read")
                .file_name()
                .display()
                .to_string()
        })
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_string))
        .collect();
    names.sort();
    let mut text = String::from(
        "# Errors\n\n\
         What the macros say, one mistake each, as rustc prints it. Made from `tests/ui/fail` by a test;\n\
         `UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs` writes it anew.\n",
    );
    for name in names {
        let read = |extension: &str| {
            let path = folder.join(format!("{name}.{extension}"));
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let title = name.replace('_', " ");
        let (first, rest) = title.split_at(1);
        let (program, message) = (read("rs"), read("stderr"));
        let _ = write!(
            text,
            "\n## {}{rest}\n\n```rust\n{}\n```\n\n```text\n{}\n```\n",
            first.to_uppercase(),
            program.trim_end(),
            message.trim_end()
        );
    }
    text
}

#[test]
fn the_chapter_of_lints_has_a_row_and_a_section_for_each() {
    let chapter = read("docs/lints.md");
    let mut table = String::from("| lint | what it finds |\n| --- | --- |\n");
    for lint in rlx_kernel_ir::lint::LINTS {
        let _ = writeln!(table, "| `{}` | {} |", lint.name, lint.summary);
    }
    assert!(
        chapter.contains(&table),
        "docs/lints.md has another table than:\n{table}"
    );
    let sections: Vec<_> = chapter
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    let lints = rlx_kernel_ir::lint::LINTS.iter();
    assert_eq!(sections, lints.map(|lint| lint.name).collect::<Vec<_>>());
}

#[test]
fn the_chapter_of_errors_is_what_the_macros_say() {
    let path = root().join("docs/errors.md");
    let wanted = errors();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).expect("docs can be written");
    }
    let found = fs::read_to_string(&path).expect("the chapter is there");
    assert!(
        found == wanted,
        "docs/errors.md is stale: UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs"
    );
}

/// `docs/builtins.md`: the rows of the builtin library.
fn builtins() -> String {
    let mut text = String::from(
        "# Builtins\n\n\
         Every function and method of the kernel language, from its own table. Made by a test;\n\
         `UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs` writes it anew. What is not here is refused, with what to write.\n\n\
         | Rust | takes | gives | WGSL |\n| --- | --- | --- | --- |\n",
    );
    for row in rlx_kernel_ir::builtin::BUILTINS {
        let (call, takes, gives, wgsl) = (row.call(), row.takes(), row.gives(), row.in_wgsl());
        let _ = writeln!(text, "| `{call}` | {takes} | {gives} | {wgsl} |");
    }
    text
}

#[test]
fn the_chapter_of_builtins_is_their_table() {
    let path = root().join("docs/builtins.md");
    let wanted = builtins();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).expect("docs can be written");
    }
    let found = fs::read_to_string(&path).expect("the chapter is there");
    assert!(
        found == wanted,
        "docs/builtins.md is stale: UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs"
    );
}
