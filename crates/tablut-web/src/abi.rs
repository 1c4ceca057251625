//! The module's functions for JavaScript. Arguments and results that are no numbers pass through two buffers: the caller
//! asks for room with `tablut_input`, writes there, calls, and reads what `tablut_output` shows.

#![allow(unsafe_code, reason = "an exported name could clash with another; nothing else here is unsafe")]

use crate::host::BrowserHost;
use serde::Serialize;
use std::cell::RefCell;
use std::time::Duration;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static HOST: RefCell<Option<BrowserHost>> = const { RefCell::new(None) };
}

/// The largest argument. No request or list of nets is larger, and the memory of a module cannot shrink.
const MAX_INPUT: usize = 64 << 20;

/// Returns a buffer of `bytes` bytes for an argument, or a null pointer if it is too large.
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

/// The address of the last call's result, which is JSON.
#[unsafe(no_mangle)]
extern "C" fn tablut_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

#[unsafe(no_mangle)]
extern "C" fn tablut_output_bytes() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Starts the host. The argument is [`HostSettings`](crate::HostSettings) as JSON. The result is as for all functions: 1 for
/// success, and 0 for an error, whose text is the output.
#[unsafe(no_mangle)]
extern "C" fn tablut_start() -> u32 {
    std::panic::set_hook(Box::new(|panic| {
        OUTPUT.with(|output| {
            if let Ok(mut output) = output.try_borrow_mut() {
                *output = format!("a bug: {panic}").into_bytes();
            }
        });
    }));
    finish(text().and_then(|text| {
        let settings = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        HOST.set(Some(BrowserHost::new(&settings)));
        Ok(())
    }))
}

/// Loads the net. The argument is the model file.
#[unsafe(no_mangle)]
extern "C" fn tablut_load_net() -> u32 {
    finish(with_host(|host| host.load_net(&INPUT.take())))
}

/// Reads a net from a file: see [`BrowserHost::read_net`].
#[unsafe(no_mangle)]
extern "C" fn tablut_read_net() -> u32 {
    finish(with_host(|_| BrowserHost::read_net(&INPUT.take())))
}

/// Offers nets that were taught here: see [`BrowserHost::offer_nets`].
#[unsafe(no_mangle)]
extern "C" fn tablut_offer_nets() -> u32 {
    finish(with_host(|host| host.offer_nets(&INPUT.take())))
}

/// Adds puzzles. The argument is the text of a puzzle file.
#[unsafe(no_mangle)]
extern "C" fn tablut_add_puzzles() -> u32 {
    finish(with_host(|host| host.add_puzzles(&text()?)))
}

/// Answers a request. The argument is its text. The output is a list of events and wishes.
#[unsafe(no_mangle)]
extern "C" fn tablut_request() -> u32 {
    finish(with_host(|host| Ok(host.request(&text()?))))
}

/// Does one step of the work at a time, in milliseconds since one moment in the past. The output is a list of events and
/// wishes.
#[unsafe(no_mangle)]
extern "C" fn tablut_step(now: f64) -> u32 {
    finish(with_host(|host| Ok(host.step(time(now)))))
}

/// Says whether the page is hidden.
#[unsafe(no_mangle)]
extern "C" fn tablut_set_hidden(hidden: u32) -> u32 {
    finish(with_host(|host| {
        host.set_hidden(hidden != 0);
        Ok(())
    }))
}

/// Takes what another worker has found: see [`BrowserHost::found`].
#[unsafe(no_mangle)]
extern "C" fn tablut_found() -> u32 {
    finish(with_host(|host| host.found(&text()?)))
}

/// Begins a search for another worker. The argument is the order that it has sent.
#[unsafe(no_mangle)]
extern "C" fn tablut_help() -> u32 {
    finish(with_host(|host| host.help(&text()?)))
}

/// Does one step of that search. The output says whether it goes on.
#[unsafe(no_mangle)]
extern "C" fn tablut_help_step() -> u32 {
    finish(with_host(BrowserHost::help_step))
}

/// The output is what that search has found so far.
#[unsafe(no_mangle)]
extern "C" fn tablut_help_found() -> u32 {
    finish(with_host(|host| host.help_found()))
}

/// The milliseconds until there is something to do at this time: 0 for at once, −1 until something arrives.
#[unsafe(no_mangle)]
extern "C" fn tablut_pause(now: f64) -> f64 {
    let pause = with_host(|host| Ok(host.pause(time(now))));
    pause.ok().flatten().map_or(-1.0, |pause| pause.as_secs_f64() * 1000.0)
}

/// Searches a position as `tablut analyze` does: see [`BrowserHost::report`].
#[unsafe(no_mangle)]
extern "C" fn tablut_report() -> u32 {
    finish(with_host(|host| host.report(&text()?)))
}

/// Evaluates positions: see [`BrowserHost::evaluate`].
#[unsafe(no_mangle)]
extern "C" fn tablut_evaluate() -> u32 {
    finish(with_host(|host| host.evaluate(&text()?)))
}

fn time(milliseconds: f64) -> Duration {
    Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default()
}

fn text() -> Result<String, String> {
    String::from_utf8(INPUT.take()).map_err(|error| error.to_string())
}

fn with_host<T>(then: impl FnOnce(&mut BrowserHost) -> Result<T, String>) -> Result<T, String> {
    HOST.with_borrow_mut(|host| then(host.as_mut().ok_or("the host has not started")?))
}

fn finish(result: Result<impl Serialize, String>) -> u32 {
    let (bytes, code) = match result {
        Ok(value) => (serde_json::to_vec(&value).expect("plain data"), 1),
        Err(error) => (error.into_bytes(), 0),
    };
    OUTPUT.set(bytes);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_that_would_fill_the_memory_gets_no_room() {
        assert!(tablut_input(2 << 30).is_null());
        assert!(!tablut_input(16).is_null());
    }
}
