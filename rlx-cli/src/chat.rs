//! `rlx chat`: turns with a model, by the template that its file carries.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::atomic::Ordering;

use clap::Args;
use rlx_models::{ChatTemplate, Message, TextStream};

use crate::engine::{Chosen, Engine, Loaded};
use crate::error::CliError;
use crate::output;
use crate::run::on_interrupt;

/// Talks with a model from a GGUF file: a turn a line of the standard input, to its end.
#[derive(Args, Debug)]
pub struct Chat {
    #[command(flatten)]
    engine: Engine,
    /// What the model is told before all turns
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Tokens of an answer at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 512)]
    tokens: usize,
    #[command(flatten)]
    chosen: Chosen,
}

impl Chat {
    pub fn run(&self) -> Result<(), CliError> {
        let stopped = on_interrupt()?;
        let Loaded {
            mut session,
            tokenizer,
            ..
        } = self.engine.load()?;
        let template = ChatTemplate::of(session.model().file())?;
        let system = self.system.iter().map(|text| Message::new("system", text));
        let mut turns: Vec<Message> = system.collect();
        let is_terminal = io::stdin().is_terminal();
        let mut line = String::new();
        loop {
            if is_terminal {
                output::print("> ")?;
            }
            line.clear();
            let read = io::stdin().lock().read_line(&mut line);
            if read.map_err(CliError::Stdin)? == 0 || stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            turns.push(Message::new("user", text));
            let prompt = tokenizer.encode(&template.prompt(&turns)?)?;
            // What the turns have in common with those before has been taken already.
            let taken = session.tokens().iter().zip(&prompt);
            let same = taken.take_while(|(a, b)| a == b).count();
            let same = same.min(prompt.len().saturating_sub(1));
            session.truncate(same);
            session.feed(&prompt[same..])?;
            let (mut stream, mut answer) = (TextStream::new(), String::new());
            let most = self.tokens.min(session.room() as usize + 1);
            let tokens = session.generate(self.chosen.sampling()).take(most);
            for token in tokens {
                let token = token?;
                if tokenizer.is_end(token) || stopped.swap(false, Ordering::Relaxed) {
                    break;
                }
                let text = stream.push(tokenizer.bytes(token));
                output::print(&text)?;
                answer.push_str(&text);
            }
            answer.push_str(&stream.finish());
            output::print("\n")?;
            // Without anybody to read it the next turn says so.
            let _ = io::stdout().flush();
            turns.push(Message::new("assistant", answer));
        }
    }
}
