//! `%help`: what a magic does, from the table.

use futures::FutureExt;

use super::{Act, Magic, TABLE, bare, lsmagic, near};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%help"],
    syntax: &["%help", "%help %%stage"],
    doc: "tells how to write magics, or what one of them does",
    help: "The name may be given without its % or %%.",
    example: "%help %%stage",
    accepts: |_| true,
    act: Act::Answer(|call, desk| {
        async move {
            let asked = call.line.rest.as_str();
            let text = match (asked, find(asked)) {
                ("", _) => overview(),
                (_, Some(magic)) => page(magic),
                (_, None) => {
                    let names = near(asked, TABLE.iter().flat_map(|magic| magic.called.iter().copied()), bare);
                    let near = if names.is_empty() { String::new() } else { format!("; near it are {}", names.join(", ")) };
                    return Err(call.failure("UnknownMagic", format!("there is no magic {asked}{near}; %lsmagic lists them")));
                }
            };
            desk.show(text, None).await;
            Ok(())
        }
        .boxed()
    }),
};

/// The magic of a name, sigil or not.
fn find(name: &str) -> Option<&'static Magic> {
    let by_bare = || TABLE.iter().copied().find(|magic| magic.called.iter().any(|called| bare(called) == name));
    Magic::find(name).or_else(by_bare).or_else(|| if name.starts_with('!') { Magic::find("!") } else { None })
}

fn overview() -> String {
    format!(
        "Magics are lines on top of a cell, above its first line of Rust. They say how the cell runs, or answer by themselves.\n\n{}\n\n\
         %help followed by one of them tells more.",
        lsmagic::list()
    )
}

fn page(magic: &Magic) -> String {
    let indented = |text: &str| text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n");
    let Magic { doc, help, example, syntax, .. } = magic;
    let forms = indented(&syntax.join("\n"));
    format!("{}: {doc}\n\n{forms}\n\n{help}\n\nFor example:\n\n{}", magic.called.join(", "), indented(example))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_and_without_their_sigils() {
        for (asked, called) in [("%%stage", "%%stage"), ("stage", "%%stage"), ("dep", ":dep"), ("!ls", "!"), ("%%time", "%time")]
        {
            assert_eq!(find(asked).map(Magic::name), Some(called), "{asked}");
        }
        assert!(find("stagr").is_none());
    }

    #[test]
    fn every_page_shows_its_example() {
        for magic in TABLE {
            assert!(page(magic).ends_with(magic.example.lines().last().unwrap_or_default()));
        }
    }
}
