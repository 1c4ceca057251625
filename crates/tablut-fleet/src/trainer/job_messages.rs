//! The jobs that bring some games of an order, as messages.

use std::ops::Range;

use crate::job_size::{Fleet, job_size};
use crate::order::Order;
use crate::wire::{Job, OrderSpec, job_subject};

/// Subject, id and bytes of the jobs for the games of `ranges`. `handed_out` numbers jobs, so that one handed out again is not
/// taken for a copy.
pub(super) fn job_messages(
    order: &Order,
    spec: &OrderSpec,
    probe: &str,
    fleet: &Fleet,
    ranges: &[Range<usize>],
    handed_out: &mut u64,
) -> Vec<(String, String, Vec<u8>)> {
    let size = job_size(spec.games, fleet);
    let mut messages = Vec::new();
    for range in ranges {
        for first in range.clone().step_by(size) {
            let count = size.min(range.end - first);
            let (openings, probe) = (order.openings_of(first, count), probe.to_owned());
            let job = Job { order: spec.clone(), first, count, openings, probe, fleet_threads: fleet.threads };
            *handed_out += 1;
            let id = format!("{}.{}.{first}.{count}.{}.{handed_out}", spec.run, spec.id(), std::process::id());
            messages.push((job_subject(spec, first, count), id, job.to_bytes()));
        }
    }
    messages
}
