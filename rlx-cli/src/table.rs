//! Columns of text.

use std::fmt::Write as _;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows under a heading, indented by two spaces.
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of a cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The heading and the rows, a line each.
    pub fn render(&self) -> String {
        let heading: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let rows = || std::iter::once(&heading).chain(&self.rows);
        let width = |column: usize| {
            let widths = rows().map(|row| row.get(column).map_or(0, |cell| cell.chars().count()));
            widths.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in rows() {
            let mut line = String::new();
            for ((cell, (_, align)), &width) in row.iter().zip(&self.columns).zip(&widths) {
                let _ = match align {
                    Align::Left => write!(line, "  {cell:<width$}"),
                    Align::Right => write!(line, "  {cell:>width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["a".into(), "100".into()]);
        table.row(["long name".into(), "1".into()]);
        assert_eq!(
            table.render(),
            "  name         n\n  a          100\n  long name    1\n"
        );
    }
}
