//! How long each step of an expansion takes: printed with the feature `timings`, which
//! `cargo xtask bench macros` turns on.

use proc_macro2::TokenStream;

/// Does `step` on `item`.
#[cfg(not(feature = "timings"))]
pub fn measured(
    _: &str,
    item: &TokenStream,
    step: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    step(item)
}

/// Counts one instance of the kernel that is being compiled.
#[cfg(not(feature = "timings"))]
pub fn instance() {}

#[cfg(feature = "timings")]
thread_local! {
    static INSTANCES: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Counts one instance of the kernel that is being compiled.
#[cfg(feature = "timings")]
pub fn instance() {
    INSTANCES.set(INSTANCES.get() + 1);
}

/// Nanoseconds that this thread has computed for.
#[cfg(feature = "timings")]
fn computed() -> i128 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}

/// Does `step` on `item`, and prints its name, the item's, the nanoseconds that the thread computed
/// for, and how many instances it compiled.
#[cfg(feature = "timings")]
pub fn measured(
    name: &str,
    item: &TokenStream,
    step: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    INSTANCES.set(0);
    let start = computed();
    let output = step(item);
    let nanoseconds = computed() - start;
    let item = function(item).unwrap_or_default();
    let instances = INSTANCES.get().max(1);
    println!("rlx-timing {name} {item} {nanoseconds} {instances}");
    output
}

/// The name after the first `fn`, at any depth.
#[cfg(feature = "timings")]
fn function(tokens: &TokenStream) -> Option<String> {
    let mut tokens = tokens.clone().into_iter();
    while let Some(token) = tokens.next() {
        match token {
            proc_macro2::TokenTree::Ident(word) if word == "fn" => {
                return tokens.next().map(|name| name.to_string());
            }
            proc_macro2::TokenTree::Group(group) => {
                if let Some(name) = function(&group.stream()) {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}
