//! A model at work: tokens in, tokens out.

use std::fmt;
use std::sync::Arc;

use rlx_backends::{Backend, BackendError, CompileReport, Executable, Tensor, TensorData};
use rlx_core::{Graph, Weights};

use crate::decoder::names;
use crate::error::ModelError;
use crate::model::Model;
use crate::sampler::{Sampler, Sampling};

/// Rows of the graphs that a session runs. Up to eight rows take the kernels of one.
const ROWS: [u32; 3] = [1, 8, 64];

/// Why a session cannot go on. What it has taken before is kept.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The model has no graph.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The backend refuses or fails.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// There is no place left in the context.
    #[error(
        "the context has {capacity} positions, of which {used} are taken: {tokens} more do not fit"
    )]
    ContextFull {
        /// Positions.
        capacity: u32,
        /// Taken ones.
        used: u32,
        /// Tokens that were given.
        tokens: usize,
    },
    /// A token is none of the model's.
    #[error("token {token} is none of the {vocabulary} of the model")]
    Token {
        /// The token.
        token: u32,
        /// Tokens of the model.
        vocabulary: u64,
    },
    /// There was nothing to go on from.
    #[error("a generation needs at least one token to go on from")]
    Empty,
    /// A graph gave no logits: a defect of a backend.
    #[error("the model's graph gave no logits")]
    NoLogits,
}

/// A graph for some rows, ready to run.
struct Step {
    rows: u32,
    executable: Box<dyn Executable>,
}

/// A model on a backend, with the keys and values of the tokens that it has taken.
pub struct Session {
    model: Arc<Model>,
    /// Those with the fewest rows first.
    steps: Vec<Step>,
    tokens: Vec<u32>,
    logits: Vec<f32>,
}

impl Session {
    /// Compiles the model's graphs; the weights go to the device once.
    ///
    /// # Errors
    /// [`SessionError`] where the model has no graph, or the backend refuses it.
    pub fn new(backend: &dyn Backend, model: Arc<Model>) -> Result<Self, SessionError> {
        let rows: Vec<u32> = ROWS
            .into_iter()
            .filter(|rows| *rows <= model.context().max(1))
            .collect();
        let graphs = rows
            .iter()
            .map(|rows| model.graph(*rows, 1))
            .collect::<Result<Vec<Graph>, _>>()?;
        let weights: Arc<dyn Weights + Send> = Arc::clone(&model) as _;
        let graphs: Vec<&Graph> = graphs.iter().collect();
        let executables = backend.compile_together(&graphs, &weights)?;
        let steps = rows.into_iter().zip(executables);
        Ok(Self {
            model,
            steps: steps
                .map(|(rows, executable)| Step { rows, executable })
                .collect(),
            tokens: Vec::new(),
            logits: Vec::new(),
        })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The tokens that have been taken.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The logits after the last token; none before the first.
    pub fn logits(&self) -> &[f32] {
        &self.logits
    }

    /// Positions that are left.
    pub fn room(&self) -> u32 {
        self.model.context() - self.tokens.len() as u32
    }

    /// What compiling came to, with the rows of each graph.
    pub fn reports(&self) -> impl Iterator<Item = (u32, &CompileReport)> {
        self.steps
            .iter()
            .map(|step| (step.rows, step.executable.report()))
    }

    /// Forgets the tokens from number `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.tokens.len() {
            self.tokens.truncate(len);
            self.logits.clear();
        }
    }

    /// Takes `tokens`, after those before, and gives the logits after the last.
    ///
    /// # Errors
    /// [`SessionError`] where they are no tokens, do not fit, or the device fails; then none of the chunk that
    /// failed is taken.
    pub fn feed(&mut self, tokens: &[u32]) -> Result<&[f32], SessionError> {
        let (used, capacity) = (self.tokens.len() as u32, self.model.context());
        if tokens.len() > (capacity - used) as usize {
            return Err(SessionError::ContextFull {
                capacity,
                used,
                tokens: tokens.len(),
            });
        }
        self.model.check(tokens)?;
        let mut rest = tokens;
        while !rest.is_empty() {
            let step = self.step_for(rest.len());
            let (chunk, later) = rest.split_at(rest.len().min(self.steps[step].rows as usize));
            self.run(step, chunk)?;
            rest = later;
        }
        Ok(&self.logits)
    }

    /// The graph for the next chunk of `left` tokens: the largest that is at least half full, else the smallest.
    fn step_for(&self, left: usize) -> usize {
        let full = |step: &Step| step.rows == 1 || step.rows as usize <= 2 * left.saturating_sub(1);
        self.steps.iter().rposition(full).unwrap_or(0)
    }

    fn run(&mut self, step: usize, chunk: &[u32]) -> Result<(), SessionError> {
        let Step { rows, executable } = &mut self.steps[step];
        let (count, first) = (chunk.len(), self.tokens.len() as u32);
        let last = vec![count as u32 - 1];
        let outputs = executable.run(&inputs(*rows, first, chunk, last))?;
        let logits = outputs.into_iter().next().map(|(_, tensor)| tensor.data);
        let Some(TensorData::F32(logits)) = logits else {
            return Err(SessionError::NoLogits);
        };
        self.logits = logits;
        self.tokens.extend(chunk);
        Ok(())
    }

    /// Goes on from the tokens taken so far, a token at a time, for as long as the caller asks for more.
    pub fn generate(&mut self, sampling: Sampling) -> Generation<'_> {
        Generation {
            session: self,
            sampler: Sampler::new(sampling),
            last: None,
        }
    }
}

/// What a graph for `rows` tokens takes to run `chunk` from position `first` on, with the logits of the rows
/// `wanted`.
pub(crate) fn inputs(
    rows: u32,
    first: u32,
    chunk: &[u32],
    wanted: Vec<u32>,
) -> [(&'static str, Tensor); 3] {
    let padded = |mut values: Vec<u32>, with: u32| {
        values.resize(rows as usize, with);
        Tensor::u32([u64::from(rows)], values)
    };
    let positions = first..first + chunk.len() as u32;
    [
        (names::TOKENS, padded(chunk.to_vec(), 0)),
        // Idle rows are past every context.
        (names::POSITIONS, padded(positions.collect(), u32::MAX)),
        (names::ROWS, Tensor::u32([wanted.len() as u64], wanted)),
    ]
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("model", &self.model)
            .field("tokens", &self.tokens.len())
            .finish_non_exhaustive()
    }
}

/// Tokens one after the other. Each is chosen of the logits after the one before; it is taken into the context
/// only when the next is asked for.
pub struct Generation<'s> {
    session: &'s mut Session,
    sampler: Sampler,
    last: Option<u32>,
}

/// Where a generation comes to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A token that ends a text or a turn.
    End,
    /// As many tokens as were asked for.
    Length,
    /// A text that was to end it.
    Text,
}

impl Generation<'_> {
    /// The logits that the last token was chosen of.
    pub fn logits(&self) -> &[f32] {
        self.session.logits()
    }

    fn step(&mut self) -> Result<u32, SessionError> {
        if let Some(token) = self.last {
            self.session.feed(&[token])?;
        }
        if self.session.logits.is_empty() {
            return Err(SessionError::Empty);
        }
        let token = self
            .sampler
            .choose(&self.session.logits, &self.session.tokens);
        self.last = Some(token);
        Ok(token)
    }
}

impl Iterator for Generation<'_> {
    type Item = Result<u32, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.step())
    }
}
