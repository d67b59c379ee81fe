//! Passes from graph to graph. Each takes a legal graph and gives a legal graph.

pub mod regions;
