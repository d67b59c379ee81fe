//! Errors of a device, caught wherever they surface: in error scopes, in callbacks, in panics.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{ErrorFilter, PollType, SubmissionIndex};

use super::context::Context;
use super::error::DeviceError;

/// What a device's callbacks have reported.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    lost: Option<String>,
    uncaptured: Option<String>,
}

impl Faults {
    /// Takes over the callbacks of `device`, which would panic otherwise.
    pub fn watch(device: &wgpu::Device) -> Arc<Self> {
        let faults = Arc::new(Self::default());
        let lost = Arc::clone(&faults);
        device.set_device_lost_callback(move |reason, message| {
            let text = if message.is_empty() {
                format!("{reason:?}")
            } else {
                message
            };
            lost.update(|state| state.lost.get_or_insert(text));
        });
        let uncaptured = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = error.to_string();
            uncaptured.update(|state| state.uncaptured.get_or_insert(text));
        }));
        faults
    }

    fn update(&self, report: impl FnOnce(&mut State) -> &mut String) {
        report(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Reports a lost device every time, another error once.
    pub fn check(&self) -> Result<(), DeviceError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = &state.lost {
            return Err(DeviceError::Lost {
                reason: reason.clone(),
            });
        }
        state
            .uncaptured
            .take()
            .map_or(Ok(()), |message| Err(DeviceError::Deferred { message }))
    }
}

impl Context {
    /// Calls `make`; any error, on whatever road it comes, is returned with what was being made.
    pub(super) fn guard<T>(
        &self,
        making: impl fmt::Display,
        make: impl FnOnce() -> T,
    ) -> Result<T, DeviceError> {
        self.faults().check()?;
        let filters = [
            ErrorFilter::OutOfMemory,
            ErrorFilter::Internal,
            ErrorFilter::Validation,
        ];
        let [memory, internal, validation] =
            filters.map(|filter| self.device().push_error_scope(filter));
        // naga's SPIR-V writer and wgpu-hal have panics of their own.
        let made = catch_unwind(AssertUnwindSafe(make));
        let errors = [validation, internal, memory].map(|scope| pollster::block_on(scope.pop()));
        self.faults().check()?;
        if let Some(error) = errors.into_iter().flatten().next() {
            return Err(typed(error, making.to_string()));
        }
        made.map_err(|panic| DeviceError::Internal {
            making: making.to_string(),
            message: panic_text(&*panic),
        })
    }

    /// Waits until `submission`, or all that was submitted, is done.
    pub(super) fn wait_for(&self, submission: Option<SubmissionIndex>) -> Result<(), DeviceError> {
        let wait = PollType::Wait {
            submission_index: submission,
            timeout: None,
        };
        // `Device::poll` panics where the device is lost while it waits.
        let polled = catch_unwind(AssertUnwindSafe(|| self.device().poll(wait)));
        self.faults().check()?;
        let message = match polled {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic_text(&*panic),
        };
        Err(DeviceError::Internal {
            making: "waiting for the device".into(),
            message,
        })
    }
}

fn typed(error: wgpu::Error, making: String) -> DeviceError {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory { making },
        wgpu::Error::Validation { description, .. } => DeviceError::Validation {
            making,
            message: description,
        },
        wgpu::Error::Internal { description, .. } => DeviceError::Internal {
            making,
            message: description,
        },
    }
}

/// The text of a caught panic.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use wgpu::{BufferDescriptor, BufferUsages};

    use crate::wgpu::{Context, ContextOptions, DeviceError};

    fn context() -> Context {
        Context::new(&ContextOptions::default()).expect("the tests need an adapter")
    }

    #[test]
    fn a_lost_device_is_an_error_of_everything_that_follows() {
        let context = context();
        let buffer = context.upload(&[1.0_f32]).unwrap();
        context.device().destroy();
        let lost = |error| matches!(error, DeviceError::Lost { .. });
        // wgpu tells of a device that was destroyed on purpose when it is next polled.
        assert!(lost(context.wait().unwrap_err()));
        assert!(lost(context.download(&buffer).unwrap_err()));
        assert!(lost(context.upload(&[1.0_f32]).unwrap_err()));
        assert!(lost(context.wait().unwrap_err()));
    }

    #[test]
    fn an_error_outside_of_every_scope_is_reported_once_by_what_follows() {
        let context = context();
        let usage = BufferUsages::MAP_READ | BufferUsages::MAP_WRITE | BufferUsages::STORAGE;
        let nonsense = BufferDescriptor {
            label: None,
            size: 16,
            usage,
            mapped_at_creation: false,
        };
        drop(context.device().create_buffer(&nonsense));
        assert!(matches!(context.wait(), Err(DeviceError::Deferred { .. })));
        assert_eq!(context.wait(), Ok(()));
    }

    #[test]
    fn a_panic_inside_of_a_guard_is_an_error_that_names_what_was_being_made() {
        let context = context();
        let error = context
            .guard("a thing", || panic!("no more {}", "bricks"))
            .unwrap_err();
        assert_eq!(error.to_string(), "a thing: no more bricks");
        assert_eq!(context.guard("another", || 1), Ok(1));
    }
}
