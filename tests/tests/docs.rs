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

/// `docs/paths.md`: the kernel of each path for each format, from the tables that products go by.
fn paths() -> String {
    use kernel_specs::{formats, index, quant};
    use rlx_conformance::cases::everything;
    use rlx_core::lower::road::{self, Experts, Product};
    use rlx_core::{LowerOptions, Precision};

    let mut text = String::from(
        "# Paths\n\n\
         The kernel that each path takes, for each format of weights. Made by a test from the tables that products\n\
         go by; `UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs` writes it anew. `rlx roads` shows which of\n\
         them a device has.\n",
    );
    let grouped = Some(Experts::all(8, 1024));
    let products = [
        ("m = 1 to 8", Product::of(8, 4096, 4096)),
        ("m > 8", Product::of(512, 4096, 4096)),
        (
            "experts, m = 1 to 8",
            Product {
                experts: grouped,
                ..Product::of(8, 4096, 4096)
            },
        ),
        (
            "experts, m > 8",
            Product {
                experts: grouped,
                ..Product::of(512, 4096, 4096)
            },
        ),
    ];
    let device = |precision| LowerOptions {
        precision,
        ..everything()
    };
    let least = LowerOptions::default();
    for (title, options) in [
        (
            "A device with subgroups, halves and cooperative matrices, products exact",
            device(Precision::Exact),
        ),
        (
            "The same, activations and weights rounded to halves",
            device(Precision::Half),
        ),
        (
            "The same, activations rounded to bytes",
            device(Precision::Int8),
        ),
        ("A device with WebGPU's defaults alone", least),
    ] {
        let _ = write!(
            text,
            "\n## {title}\n\n| ggml type | format | decode | rows |"
        );
        for (name, _) in &products {
            let _ = write!(text, " {name} |");
        }
        let _ = writeln!(text, "\n|{}", " --- |".repeat(4 + products.len()));
        for format in formats::ALL.iter().copied() {
            let _ = write!(text, "| {} | {} |", format.ggml_type, format.name);
            let decode = quant::dequantise::dequantise::instance(format.name);
            let gather = index::gather_rows::gather_rows::instance(format.name);
            for kernel in [decode, gather] {
                let kernel = kernel.expect("every format has every path");
                let _ = write!(text, " `{}` |", kernel.name);
            }
            for (_, product) in &products {
                let road = road::best(format, product, &options);
                assert!(road.kernel.is_some(), "{}: {}", format.name, road.name);
                let _ = write!(text, " `{}` |", road.name);
            }
            text.push('\n');
        }
    }
    text.push_str("\n## Why\n\nThe first row that fits is taken, the last fits always.\n");
    for (title, rows) in ["One weight", "Experts"].into_iter().zip(road::table()) {
        let _ = write!(
            text,
            "\n### {title}\n\n| rows | keeps | road | reason |\n| --- | --- | --- | --- |\n"
        );
        for row in rows {
            let most = *row.rows.end();
            let most = if most == u32::MAX {
                String::new()
            } else {
                most.to_string()
            };
            let (least, keeps) = (row.rows.start(), row.keeps);
            let _ = writeln!(
                text,
                "| {least}..{most} | {keeps:?} | `{}` | {} |",
                row.name, row.reason
            );
        }
    }
    text
}

#[test]
fn the_chapter_of_paths_is_the_tables_of_roads() {
    let path = root().join("docs/paths.md");
    let wanted = paths();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).expect("docs can be written");
    }
    let found = fs::read_to_string(&path).expect("the chapter is there");
    assert!(
        found == wanted,
        "docs/paths.md is stale: UPDATE_DOCS=1 cargo test -p rlx-conformance --test docs"
    );
}
