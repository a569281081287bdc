//! Names near a misspelt one.

/// The edits that still count as a slip of the hand: one in three letters, and two at most.
const FARTHEST: usize = 2;

/// The `names` that `name` may have meant, nearest first; `bare` takes off what does not count.
pub(super) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>, bare: fn(&str) -> &str) -> Vec<&'a str> {
    let wanted = bare(name);
    let mut found: Vec<(usize, &str)> = names.map(|name| (distance(wanted, bare(name)), name)).collect();
    found.retain(|(far, name)| *far <= FARTHEST.min(bare(name).chars().count() / 3));
    found.sort_by_key(|(far, _)| *far);
    found.into_iter().map(|(_, name)| name).collect()
}

/// Levenshtein's distance: the fewest letters to insert, remove or change.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.chars().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, far) in [("", "", 0), ("stage", "stage", 0), ("stagr", "stage", 1), ("", "abc", 3), ("kitten", "sitting", 3)] {
            assert_eq!((distance(a, b), distance(b, a)), (far, far), "{a} {b}");
        }
    }

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let names = || ["time", "timeit", "vars", "dep"].into_iter();
        let near = |name| near(name, names(), |name| name);
        assert_eq!(near("time"), ["time", "timeit"]);
        assert_eq!(near("tiemit"), ["timeit"]);
        assert_eq!(near("var"), ["vars"]);
        assert_eq!(near("deps"), ["dep"]);
        assert!(near("quux").is_empty());
        assert!(near("").is_empty());
    }
}
