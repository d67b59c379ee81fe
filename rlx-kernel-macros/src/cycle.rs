//! Items that need one another: their chains would wait for each other, and rustc would say of each
//! that its macro is not found.
//!
//! Expansions see one item each, so what an item names is kept until the crate is compiled. That is
//! for this message alone: where a file has several items of a name, or an item comes by another path,
//! nothing is said here.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What the items of a file name, by their own names; none where several have one name.
type File = HashMap<String, Option<Vec<String>>>;

static FILES: Mutex<Option<HashMap<String, File>>> = Mutex::new(None);

/// Keeps that `name` in `file` needs `paths`. Gives the names from `name` back to itself, if this
/// closes a circle.
pub fn closed_by(file: &str, name: &str, paths: &[syn::Path]) -> Option<Vec<String>> {
    let names: Vec<_> = paths.iter().filter_map(named).collect();
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let file = files
        .get_or_insert_default()
        .entry(file.to_string())
        .or_default();
    file.entry(name.to_string())
        .and_modify(|known| *known = None)
        .or_insert(Some(names));
    let mut way = vec![name.to_string()];
    leads_back(file, name, name, &mut way).then_some(way)
}

/// The name at the end of a path that stays in this crate for sure.
pub fn named(path: &syn::Path) -> Option<String> {
    let first = path.segments.first()?;
    let is_own = |word: &str| first.ident == word;
    let stays = path.segments.len() == 1 || ["super", "self", "crate"].into_iter().any(is_own);
    let last = path.segments.last()?;
    stays.then(|| crate::paths::name(&last.ident))
}

fn leads_back(file: &File, from: &str, to: &str, way: &mut Vec<String>) -> bool {
    let Some(Some(names)) = file.get(from) else {
        return false;
    };
    for name in names {
        if name == to {
            return true;
        }
        if way.contains(name) {
            continue;
        }
        way.push(name.clone());
        if leads_back(file, name, to, way) {
            return true;
        }
        way.pop();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::closed_by;

    fn paths(names: &[&str]) -> Vec<syn::Path> {
        let parsed = names.iter().filter_map(|name| syn::parse_str(name).ok());
        parsed.collect()
    }

    #[test]
    fn the_item_that_closes_a_circle_is_told_the_way() {
        assert_eq!(closed_by("a.rs", "f", &paths(&["g", "x::f"])), None);
        assert_eq!(closed_by("a.rs", "g", &paths(&["k", "h"])), None);
        let way = closed_by("a.rs", "h", &paths(&["f"]));
        assert_eq!(way, Some(vec!["h".into(), "f".into(), "g".into()]));
    }

    #[test]
    fn names_of_several_items_close_nothing() {
        assert_eq!(closed_by("b.rs", "f", &paths(&["g"])), None);
        assert_eq!(closed_by("b.rs", "f", &paths(&[])), None);
        assert_eq!(closed_by("b.rs", "g", &paths(&["f"])), None);
    }
}
