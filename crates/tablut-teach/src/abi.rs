//! The module's functions for JavaScript. A [`TeachMessage`] comes in and a message goes out through two buffers: the caller asks
//! for room with `tablut_input`, writes there, calls, and reads what `tablut_output` shows.

#![allow(unsafe_code, reason = "an exported name could clash with another; nothing else here is unsafe")]

use crate::learner::Learner;
use crate::message::TeachMessage;
use crate::player::TeachPlayer;
use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LEARNER: RefCell<Learner> = RefCell::default();
    static PLAYER: RefCell<TeachPlayer> = RefCell::default();
}

/// The largest message. The games of the replay window are the most.
const MAX_INPUT: usize = 1 << 30;

/// Returns a buffer of `bytes` bytes for a message, or a null pointer if it is too large.
#[unsafe(no_mangle)]
extern "C" fn tablut_input(bytes: usize) -> *mut u8 {
    if bytes > MAX_INPUT {
        return std::ptr::null_mut();
    }
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; bytes];
        input.as_mut_ptr()
    })
}

/// The address of the last call's result.
#[unsafe(no_mangle)]
extern "C" fn tablut_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn tablut_output_bytes() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Prepares the module: a bug leaves its words in the output.
#[unsafe(no_mangle)]
extern "C" fn tablut_start() {
    std::panic::set_hook(Box::new(|panic| {
        OUTPUT.with(|output| {
            if let Ok(mut output) = output.try_borrow_mut() {
                *output = format!("a bug: {panic}").into_bytes();
            }
        });
    }));
}

/// Answers a message to the learner. The result is 1 for success, and 0 for an error, whose text is the output.
#[unsafe(no_mangle)]
extern "C" fn tablut_learner() -> u32 {
    finish(|message| LEARNER.with_borrow_mut(|learner| learner.answer(message)))
}

/// Answers a message to the player.
#[unsafe(no_mangle)]
extern "C" fn tablut_player() -> u32 {
    finish(|message| PLAYER.with_borrow_mut(|player| player.answer(message)))
}

fn finish(answer: impl FnOnce(&TeachMessage) -> Result<TeachMessage, String>) -> u32 {
    let (bytes, code) = match TeachMessage::from_bytes(&INPUT.take()).and_then(|message| answer(&message)) {
        Ok(message) => (message.to_bytes(), 1),
        Err(error) => (error.into_bytes(), 0),
    };
    OUTPUT.set(bytes);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_would_fill_the_memory_gets_no_room() {
        assert!(tablut_input(2 << 30).is_null());
        assert!(!tablut_input(16).is_null());
    }
}
