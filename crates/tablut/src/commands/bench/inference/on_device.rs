//! Positions a second through a device, with several threads that each evaluate batches of their own.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::Serialize;
use tablut_net::{Architecture, Inference, InputBatch, NetDevice, NetError, OutputBatch, Weights};

/// What one combination took.
#[derive(Debug, Serialize)]
pub struct DeviceTiming {
    shape: Architecture,
    /// Positions in a batch of one thread; the device joins the batches of all threads.
    batch: usize,
    threads: usize,
    device: String,
    /// Batches timed, of all threads.
    n_batches: usize,
    /// From the time of all batches together.
    evals_per_sec: f64,
    /// Floating-point operations that direct convolution would need a second, in units of 10⁹.
    direct_gflops: f64,
}

/// Evaluates `input` on all threads for `secs` seconds, after a batch of each that warms up.
pub fn time(
    device: &dyn NetDevice,
    weights: &Weights,
    input: &InputBatch,
    threads: usize,
    secs: f64,
) -> Result<DeviceTiming, NetError> {
    let mut nets = (0..threads).map(|_| device.open(weights)).collect::<Result<Vec<_>, _>>()?;
    for net in &mut nets {
        net.infer(input, &mut OutputBatch::default())?;
    }
    let (n_batches, start) = (AtomicUsize::new(0), Instant::now());
    let work = |mut net: Box<dyn Inference>| -> Result<(), NetError> {
        let mut output = OutputBatch::default();
        loop {
            net.infer(input, &mut output)?;
            n_batches.fetch_add(1, Ordering::Relaxed);
            if start.elapsed().as_secs_f64() >= secs {
                return Ok(());
            }
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = nets.into_iter().map(|net| scope.spawn(move || work(net))).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().try_for_each(join)
    })?;
    let n_batches = n_batches.load(Ordering::Relaxed);
    let evals_per_sec = (n_batches * input.n) as f64 / start.elapsed().as_secs_f64();
    Ok(DeviceTiming {
        shape: weights.architecture().clone(),
        batch: input.n,
        threads,
        device: device.name().to_owned(),
        n_batches,
        evals_per_sec,
        direct_gflops: evals_per_sec * weights.architecture().operations() as f64 / 1e9,
    })
}

impl fmt::Display for DeviceTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread " } else { "threads" };
        write!(
            f,
            "{:<8} batch {:>4}  {} {threads}  {:>9.0} positions/s  {:>7.1} GFLOP/s of direct convolution  {}",
            self.shape.to_string(),
            self.batch,
            self.threads,
            self.evals_per_sec,
            self.direct_gflops,
            self.device
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;
    use tablut_learn::ComputeDevice;
    use tablut_net::Processor;

    #[test]
    fn every_thread_evaluates_at_least_one_batch() {
        let Processor::Device(device) = ComputeDevice::reference().unwrap().processor() else { panic!("a device") };
        let weights = Weights::initial(&"b1c16".parse().unwrap(), 1);
        let timing = time(&*device, &weights, &positions::random(3, 1).unwrap(), 2, 0.0).unwrap();
        assert!(timing.n_batches >= 2 && timing.evals_per_sec > 0.0, "{timing:?}");
        assert_eq!((timing.batch, timing.threads), (3, 2));
    }
}
