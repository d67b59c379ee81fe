//! Every kernel instance has its snapshot, and every snapshot its kernel.

use std::collections::BTreeSet;
use std::path::Path;

use rlx_core::lower::sample_region;
use rlx_kernels::KernelInfo;
use rlx_kernels::kernel::BindingSet;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots"))
}

/// A snapshot's name: `gemv@Q4_K`.
fn name(kernel: &KernelInfo) -> String {
    kernel.label().replace("::", "@")
}

/// Every compiled instance, and each elementwise operator as a region of its own.
fn kernels() -> Vec<KernelInfo> {
    let regions = kernel_specs::elementwise::OPS
        .iter()
        .map(|op| sample_region(op).expect("an operator alone is a kernel"));
    kernel_specs::kernels().cloned().chain(regions).collect()
}

#[test]
fn wgsl_of_every_instance_is_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for kernel in kernels() {
        let text = format!("{}\n{}", kernel.facts(), kernel.wgsl(BindingSet::NONE));
        insta::assert_snapshot!(name(&kernel), text);
    }
}

#[test]
fn no_snapshot_is_stale() {
    let wanted: BTreeSet<String> = kernels()
        .iter()
        .map(|kernel| format!("{}.snap", name(kernel)))
        .collect();
    let found: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("the folder of snapshots is there")
        .map(|entry| {
            entry
                .expect("it can be read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "snap")
        })
        .collect();
    let stale: Vec<_> = found.difference(&wanted).collect();
    assert!(
        stale.is_empty(),
        "snapshots of kernels that are no more: {stale:?}"
    );
}

#[test]
fn labels_of_kernels_are_unique() {
    let all = kernels();
    let labels: BTreeSet<String> = all.iter().map(KernelInfo::label).collect();
    assert_eq!(labels.len(), all.len());
}
