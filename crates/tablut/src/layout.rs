//! Text for a terminal of 80 columns: tables, and wrapped lists and paragraphs.

use std::fmt::Write as _;

pub const WIDTH: usize = 80;

const GAP: usize = 2;

/// A table whose first row is the header. The first column is aligned to the left, the others to the right. If a row is
/// wider than a terminal, the first cell of every row has its own line above the rest.
pub fn table(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| chars(cell)).max();
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
    let is_wide = widths.iter().map(|width| width + GAP).sum::<usize>() > WIDTH + GAP;
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        let Some((first, others)) = row.split_first() else { continue };
        let mut line = String::new();
        if !is_wide {
            let _ = write!(line, "{first:<0$}", widths[0]);
        } else if place > 0 {
            let _ = writeln!(text, "{first}");
        }
        for (cell, width) in others.iter().zip(&widths[1..]) {
            let _ = write!(line, "{:GAP$}{cell:>width$}", "");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A list with commas, wrapped between its parts to the width of a terminal. Lines after the first are indented.
pub fn list<S: AsRef<str>>(begin: &str, parts: impl IntoIterator<Item = S>, indent: usize) -> String {
    let (mut text, mut column) = (begin.to_owned(), chars(begin));
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let part = part.as_ref().to_owned() + if parts.peek().is_some() { "," } else { "" };
        if column > indent && column + 1 + chars(&part) > WIDTH {
            let _ = write!(text, "\n{:indent$}", "");
            column = indent;
        } else if column > 0 && !text.ends_with(' ') {
            text.push(' ');
            column += 1;
        }
        text += &part;
        column += chars(&part);
    }
    text
}

/// Text wrapped between words to the width of a terminal. Continuation lines keep the indent of their line, also after
/// the dash of a list item.
pub fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let body = line.trim_start();
        let hanging = chars(line) - chars(body) + if body.starts_with("- ") { 2 } else { 0 };
        let begin: String = line.chars().take(hanging).collect();
        wrapped += &begin;
        let mut column = hanging;
        for (place, word) in line[begin.len()..].split_whitespace().enumerate() {
            if place > 0 && column + 1 + chars(word) > WIDTH {
                let _ = write!(wrapped, "\n{:hanging$}", "");
                column = hanging;
            } else if place > 0 {
                wrapped.push(' ');
                column += 1;
            }
            wrapped += word;
            column += chars(word);
        }
        wrapped.push('\n');
    }
    wrapped
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: [&str; 2]) -> Vec<Vec<String>> {
        let row =
            |name: &str, cells: [&str; 2]| [&[name][..], &cells].concat().into_iter().map(str::to_owned).collect();
        vec![row("", ["games", "score"]), row(names[0], ["2", "50.0"]), row(names[1], ["10", "100.0"])]
    }

    #[test]
    fn names_that_are_too_long_get_a_line_of_their_own() {
        assert_eq!(table(&rows(["a", "bb"])), "    games  score\na       2   50.0\nbb     10  100.0\n");
        let long = "n".repeat(70);
        assert_eq!(table(&rows(["a", &long])), format!("  games  score\na\n      2   50.0\n{long}\n     10  100.0\n"));
    }

    #[test]
    fn lists_are_wrapped_between_their_parts() {
        let part = "p".repeat(30);
        let text = list("begin:", [&part, &part, &part], 4);
        assert_eq!(text, format!("begin: {part}, {part},\n    {part}"));
        assert_eq!(list("", ["a", "b"], 0), "a, b");
        assert_eq!(list("sets  ", ["a", "b"], 6), "sets  a, b");
    }

    #[test]
    fn long_lines_are_wrapped_between_words_and_keep_their_indent() {
        let word = "w".repeat(30);
        let text = wrapped(&format!("Title\n  - {word} {word} {word}\n\n  {word} {word} {word}"));
        assert_eq!(text, format!("Title\n  - {word} {word}\n    {word}\n\n  {word} {word}\n  {word}\n"));
    }
}
