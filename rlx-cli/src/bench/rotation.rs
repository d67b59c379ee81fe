//! A work on the device, with other weights in every round.

use rlx_backends::wgpu::{BufferHandle, Chain, Context, DeviceError};
use rlx_conformance::random;
use rlx_kernels::Dispatch;

use super::weights::Weights;
use super::work::{Content, Work};

/// Rounds that are made ready at most.
const MAX_ROUNDS: usize = 1024;

/// The seed of activations and row numbers.
const SEED: u64 = 0x5eed;

/// Rounds of a work, each over other weights.
pub struct Rotation {
    chain: Chain,
    /// By number: one for all rounds, or one a round over and over.
    buffers: Vec<Vec<BufferHandle>>,
    /// Different matrices.
    pub matrices: usize,
    rounds: usize,
    /// Dispatches a round.
    dispatches: usize,
    /// Of these, the first that a pass takes.
    from: usize,
    /// The round that comes next.
    next: usize,
}

impl Rotation {
    /// Makes `work` ready: as many rounds as it takes to read `rotate` bytes of `weights`, or all of them.
    pub fn new(
        context: &Context,
        work: &Work,
        weights: &Weights,
        rotate: u64,
    ) -> Result<Self, DeviceError> {
        let rounds = rotate.div_ceil(work.amount.weights.max(1));
        let rounds = (rounds as usize).clamp(1, MAX_ROUNDS);
        let mut matrices = 1;
        let mut buffers = Vec::with_capacity(work.buffers.len());
        for content in &work.buffers {
            buffers.push(match *content {
                Content::Weights { bytes } => {
                    let all = weights.matrices(bytes)?;
                    matrices = all.len();
                    all
                }
                Content::Activations { count } => {
                    let activations = random::activations(SEED, count as usize);
                    vec![context.upload(&activations)?.handle().clone()]
                }
                Content::Ids { groups, each, rows } => ids(context, rounds, [groups, each, rows])?,
                Content::Written { bytes } => {
                    vec![context.alloc::<u32>(bytes.div_ceil(4))?.handle().clone()]
                }
            });
        }
        let rounds = rounds.max(matrices.min(MAX_ROUNDS));
        let rows =
            (0..rounds).flat_map(|round| work.dispatches.iter().map(move |one| (round, one)));
        let dispatches = rows.map(|(round, dispatch)| Dispatch {
            kernel: dispatch.kernel.clone(),
            overrides: dispatch.overrides.clone(),
            bindings: bindings(dispatch.bindings.iter().copied(), &buffers, round),
            params: dispatch.params.clone(),
            grid: dispatch.grid,
        });
        let dispatches: Vec<_> = dispatches.collect();
        Ok(Self {
            chain: context.chain(&dispatches)?,
            buffers,
            matrices,
            rounds,
            dispatches: work.dispatches.len(),
            from: 0,
            next: 0,
        })
    }

    /// The dispatches of the rounds.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The buffers of the round that ran last, by number.
    pub fn last(&self) -> Vec<BufferHandle> {
        let last = (self.next + self.rounds - 1) % self.rounds;
        bindings(0..self.buffers.len(), &self.buffers, last)
    }

    /// From here on passes leave out what goes before the last dispatch of a round, such as activations being
    /// rounded: what an earlier pass has made of them stays there.
    pub fn leave_out_preparation(&mut self) {
        self.from = self.dispatches.saturating_sub(1);
    }

    /// `count` passes of `length` rounds each, which go on where the last ones ended.
    pub fn passes(&mut self, count: usize, length: usize) -> Vec<Vec<usize>> {
        let mut pass = || {
            let rounds = self.next..self.next + length;
            self.next = rounds.end % self.rounds;
            let rounds = rounds.map(|round| round % self.rounds * self.dispatches);
            rounds
                .flat_map(|first| first + self.from..first + self.dispatches)
                .collect()
        };
        (0..count).map(|_| pass()).collect()
    }
}

/// The buffers of these numbers in a round; the device refuses a dispatch for which one is missing.
fn bindings(
    numbers: impl Iterator<Item = usize>,
    buffers: &[Vec<BufferHandle>],
    round: usize,
) -> Vec<BufferHandle> {
    let handle = |number: usize| {
        let all = buffers.get(number)?;
        all.get(round.checked_rem(all.len())?).cloned()
    };
    numbers.filter_map(handle).collect()
}

/// Numbers for each round: see [`Content::Ids`].
fn ids(
    context: &Context,
    rounds: usize,
    [groups, each, rows]: [u32; 3],
) -> Result<Vec<BufferHandle>, DeviceError> {
    let alignment = context.capabilities().limits.storage_alignment;
    let bytes = u64::from(groups) * u64::from(each) * 4;
    let step = bytes.next_multiple_of(alignment);
    let mut numbers = Vec::new();
    for round in 0..rounds {
        let seed = SEED + round as u64;
        numbers.extend(random::choices(seed, groups as usize, each as usize, rows));
        numbers.resize((round + 1) * (step / 4) as usize, 0);
    }
    let all = context.upload(&numbers)?.handle().clone();
    (0..rounds as u64)
        .map(|round| all.window(round * step, bytes))
        .collect()
}
