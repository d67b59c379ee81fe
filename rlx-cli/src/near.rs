//! Names that somebody may have meant.

/// The names that are most like `wanted`, at most five, the nearest first.
pub fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let allowed = (wanted.chars().count() / 3).max(2);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = distance(&wanted, &lower);
            let contains = !wanted.is_empty() && lower.contains(&wanted);
            (contains || distance <= allowed).then_some((distance, name))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(5).map(|(_, name)| name).collect()
}

/// [`near`] as the end of a sentence, `; similar: a, b`, or nothing.
pub fn hint<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match near(wanted, names) {
        names if names.is_empty() => String::new(),
        names => format!("; similar: {}", names.join(", ")),
    }
}

/// Characters to insert, delete or replace (Levenshtein, 1966).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_changes() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("gemv", "gemv"), 0);
    }

    #[test]
    fn near_names_are_those_with_few_changes_or_with_the_text_inside() {
        let names = ["gemv", "gemv_subgroup", "rms_norm"];
        assert_eq!(near("GEMM", names), ["gemv"]);
        assert_eq!(near("norm", names), ["rms_norm"]);
        assert!(near("attention", names).is_empty());
    }
}
