//! Chat templates: the Jinja text that a file carries.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, context};
use rlx_core::gguf::{GgufFile, MetadataError};

/// A turn of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl Message {
    /// What `role` said.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            content: content.into(),
        }
    }
}

/// How a model wants the turns of a chat written down.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

/// The template's name in messages.
const NAME: &str = "tokenizer.chat_template";

/// Why there is no prompt of a chat.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The key is missing, or no text.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// The template does not compile, or refuses the turns.
    #[error("the chat template: {}", chain(.0))]
    Template(#[from] Error),
}

/// An error with all of its causes.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl ChatTemplate {
    /// The template of a file.
    ///
    /// # Errors
    /// [`ChatError`] where there is none, or it does not compile.
    pub fn of(file: &GgufFile) -> Result<Self, ChatError> {
        let metadata = file.metadata();
        let text = metadata.string(NAME)?;
        let token = |key: &str| -> Result<String, MetadataError> {
            let Some(id) = metadata.optional::<u32>(key)? else {
                return Ok(String::new());
            };
            let mut tokens = metadata.values::<&str>("tokenizer.ggml.tokens")?;
            Ok(tokens.nth(id as usize).unwrap_or_default().to_owned())
        };
        let (bos, eos) = (
            token("tokenizer.ggml.bos_token_id")?,
            token("tokenizer.ggml.eos_token_id")?,
        );
        Self::new(text, bos, eos)
    }

    /// The template `text` of a model whose texts begin with `bos` and end with `eos`.
    ///
    /// # Errors
    /// [`ChatError::Template`] where it does not compile.
    pub fn new(
        text: &str,
        bos: impl Into<String>,
        eos: impl Into<String>,
    ) -> Result<Self, ChatError> {
        let mut environment = Environment::new();
        // Templates are written for Python's Jinja, with these settings.
        let mut syntax = SyntaxConfig::builder();
        environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function(
            "raise_exception",
            |message: String| -> Result<String, Error> {
                Err(Error::new(ErrorKind::InvalidOperation, message))
            },
        );
        environment.add_template_owned(NAME, text.to_owned())?;
        Ok(Self {
            environment,
            bos: bos.into(),
            eos: eos.into(),
        })
    }

    /// The prompt after which the model's turn comes.
    ///
    /// # Errors
    /// [`ChatError::Template`] where the template refuses the turns.
    pub fn prompt(&self, messages: &[Message]) -> Result<String, ChatError> {
        let messages: Vec<_> = messages
            .iter()
            .map(|Message { role, content }| context! { role, content })
            .collect();
        let template = self.environment.get_template(NAME)?;
        Ok(template.render(context! {
            messages,
            add_generation_prompt => true,
            bos_token => &self.bos,
            eos_token => &self.eos,
        })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_written_as_the_template_says() {
        let text = "{% for message in messages %}\n<{{ message['role'] }}>{{ message.content.strip() }}\n{% endfor %}\n{% if add_generation_prompt %}<assistant>{% endif %}";
        let template = ChatTemplate::new(text, "<s>", "</s>").unwrap();
        let turns = [
            Message::new("system", " Be kind. "),
            Message::new("user", "Hi"),
        ];
        let prompt = template.prompt(&turns).unwrap();
        assert_eq!(prompt, "<system>Be kind.\n<user>Hi\n<assistant>");
    }

    #[test]
    fn a_template_says_why_it_refuses() {
        let text = "{{ raise_exception('roles must alternate') }}";
        let template = ChatTemplate::new(text, "", "").unwrap();
        let error = template.prompt(&[]).unwrap_err().to_string();
        assert!(error.contains("roles must alternate"), "{error}");
        let error = ChatTemplate::new("{% for %}", "", "")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("the chat template: "), "{error}");
    }
}
