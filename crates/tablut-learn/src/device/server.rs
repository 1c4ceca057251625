//! The server thread, which evaluates batches on a device for all threads. It joins the waiting batches, and submits
//! the next batch before the last one is done, so that the device does not wait for threads that search.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use burn::tensor::{Device, ExecutionError, FloatDType, TensorData, Transaction};
use rayon::ThreadPoolBuildError;
use tablut_net::{Inference, InputBatch, NetError, OutputBatch, Weights};

use super::batching::{MOVES_STEP, divided, joined, padded};
use super::fault::Work;
use super::guard::{Health, caught};
use crate::burn_backend::moves::PaddedIndices;
use crate::burn_backend::{Multiply, ProductNet};

/// The maximum number of positions of joined batches. Larger batches would need much memory without being faster.
const MOST_ROWS: usize = 1024;
/// The maximum number of batches on the device: the one that it computes, and the next one.
const FLIGHTS: usize = 2;

/// A batch of one thread.
struct Job {
    net: Arc<ProductNet>,
    input: InputBatch,
    reply: SyncSender<Result<OutputBatch, NetError>>,
}

enum Message {
    /// Put these weights, with their hash, on the device.
    Open(Box<Weights>, String, SyncSender<Result<Arc<ProductNet>, NetError>>),
    Evaluate(Job),
    /// A batch may be done.
    Wake,
    /// The last [`Link`] was dropped.
    Stop,
}

/// A connection to the server thread, which ends when the last connection is dropped.
pub(super) struct Link {
    sender: Sender<Message>,
    /// The number of threads with a net.
    clients: Arc<AtomicUsize>,
    pub store: Arc<Store>,
    health: Arc<Health>,
}

impl Drop for Link {
    fn drop(&mut self) {
        // The thread may have ended.
        let _ = self.sender.send(Message::Stop);
    }
}

impl Link {
    /// Starts the thread. Nets that only play have the type `float` on the device.
    pub fn start(
        device: Device,
        multiply: Multiply,
        float: FloatDType,
        health: Arc<Health>,
    ) -> Result<Arc<Self>, ThreadPoolBuildError> {
        let (sender, receiver) = channel();
        let (clients, store) = (Arc::new(AtomicUsize::new(0)), Arc::new(Store::default()));
        let waker = Waker::from(Arc::new(Alarm(sender.clone())));
        let shared = (health.clone(), clients.clone(), store.clone());
        let serve = move || {
            let (waiting, flights) = (VecDeque::new(), VecDeque::new());
            let (health, clients, store) = shared;
            let server = Server { device, multiply, float, health, clients, store, waker, waiting, flights };
            server.serve(&receiver);
        };
        // The thread needs its own pool. burn's operations on the CPU use the pool of their thread, and all threads of
        // the common pool may be waiting for this one.
        let name = |_| "device".to_owned();
        rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(name).build()?.spawn(serve);
        Ok(Arc::new(Self { sender, clients, store, health }))
    }

    /// The net with these weights on the device.
    pub fn open(&self, weights: &Weights) -> Result<Arc<ProductNet>, NetError> {
        let hash = weights.hash();
        if let Some(net) = self.store.find(&hash) {
            return Ok(net);
        }
        let (reply, answer) = sync_channel(1);
        self.sender.send(Message::Open(Box::new(weights.clone()), hash, reply)).map_err(|_| self.gone())?;
        answer.recv().map_err(|_| self.gone())?
    }

    /// The error if the thread does not answer.
    fn gone(&self) -> NetError {
        let reason = self.health.check().err();
        NetError::Inference(reason.unwrap_or_else(|| format!("device {}: its thread has ended", self.health.name())))
    }
}

/// Wakes the server thread when the device has finished a batch.
struct Alarm(Sender<Message>);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(Message::Wake);
    }
}

/// A net on the device, for one thread.
pub(super) struct DeviceInference {
    link: Arc<Link>,
    net: Arc<ProductNet>,
}

impl DeviceInference {
    pub fn new(link: Arc<Link>, net: Arc<ProductNet>) -> Self {
        link.clients.fetch_add(1, Ordering::Relaxed);
        Self { link, net }
    }
}

impl Drop for DeviceInference {
    fn drop(&mut self) {
        self.link.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Inference for DeviceInference {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        input.validate_moves()?;
        if input.n == 0 {
            output.clear();
            return Ok(());
        }
        let (reply, answer) = sync_channel(1);
        let job = Job { net: self.net.clone(), input: input.clone(), reply };
        self.link.sender.send(Message::Evaluate(job)).map_err(|_| self.link.gone())?;
        *output = answer.recv().map_err(|_| self.link.gone())??;
        Ok(())
    }
}

/// A pending read of values from the device.
type Reading = Pin<Box<dyn Future<Output = Result<Vec<TensorData>, ExecutionError>>>>;

/// A batch on the device.
struct Flight {
    jobs: Vec<Job>,
    /// Moves per position.
    width: usize,
    reading: Reading,
}

struct Server {
    device: Device,
    multiply: Multiply,
    float: FloatDType,
    health: Arc<Health>,
    clients: Arc<AtomicUsize>,
    store: Arc<Store>,
    waker: Waker,
    waiting: VecDeque<Job>,
    flights: VecDeque<Flight>,
}

impl Server {
    fn serve(mut self, receiver: &Receiver<Message>) {
        while let Ok(first) = receiver.recv() {
            for message in std::iter::once(first).chain(receiver.try_iter()) {
                match message {
                    Message::Open(weights, hash, reply) => {
                        // The thread that asked may have ended.
                        let _ = reply.send(self.open(&weights, hash));
                    }
                    Message::Evaluate(job) => self.waiting.push_back(job),
                    Message::Wake => {}
                    Message::Stop => return,
                }
            }
            while self.land() || self.launch() {}
        }
    }

    /// Puts a net on the device, unless an earlier request has already done so.
    fn open(&self, weights: &Weights, hash: String) -> Result<Arc<ProductNet>, NetError> {
        if let Some(net) = self.store.find(&hash) {
            return Ok(net);
        }
        weights.architecture().residual()?;
        let put = || Ok(Arc::new(ProductNet::new(weights, &self.device, self.multiply, self.float)));
        let net = self.health.run(Work::Move, put).map_err(NetError::Inference)?;
        self.store.add(hash, &net);
        Ok(net)
    }

    /// Answers the oldest batch if the device has finished it. Returns whether it has.
    fn land(&mut self) -> bool {
        let Some(flight) = self.flights.front_mut() else { return false };
        let (reading, waker) = (&mut flight.reading, &self.waker);
        let polled = self.health.run(Work::Move, || match reading.as_mut().poll(&mut Context::from_waker(waker)) {
            Poll::Pending => Ok(None),
            Poll::Ready(Ok(data)) => Ok(Some(numbers(data)?)),
            Poll::Ready(Err(error)) => Err(error.to_string()),
        });
        let Some(outputs) = polled.transpose() else { return false };
        let Some(Flight { jobs, width, reading }) = self.flights.pop_front() else { return false };
        // Values on a broken device may panic once more when they are freed.
        let _ = caught(|| drop(reading));
        match outputs {
            Ok(values) => {
                let outputs = divided(&values, width, jobs.iter().map(|job| &job.input));
                for (job, output) in jobs.iter().zip(outputs) {
                    // The thread that asked may have ended.
                    let _ = job.reply.send(Ok(output));
                }
            }
            Err(reason) => refuse(&jobs, &reason),
        }
        true
    }

    /// Submits a batch to the device, if one is due. Returns whether it has.
    fn launch(&mut self) -> bool {
        let in_flight: usize = self.flights.iter().map(|flight| flight.jobs.len()).sum();
        // While the device computes a batch, the next one is submitted only when all threads wait, so that it is as
        // large as possible.
        let all_wait = self.waiting.len() + in_flight >= self.clients.load(Ordering::Relaxed);
        let is_due = self.flights.is_empty() || (self.flights.len() < FLIGHTS && all_wait);
        if self.waiting.is_empty() || !is_due {
            return false;
        }
        let jobs = self.next_jobs();
        let (device, waker) = (&self.device, &self.waker);
        match self.health.run(Work::Evaluate, || begin(&jobs, device, waker)) {
            Ok((width, reading)) => self.flights.push_back(Flight { jobs, width, reading }),
            Err(reason) => refuse(&jobs, &reason),
        }
        true
    }

    /// Removes the oldest waiting batch, and all others of the same net that fit into one batch with it.
    fn next_jobs(&mut self) -> Vec<Job> {
        let mut jobs: Vec<Job> = Vec::new();
        let mut rows = 0;
        for _ in 0..self.waiting.len() {
            let Some(job) = self.waiting.pop_front() else { break };
            let fits =
                jobs.first().is_none_or(|first| Arc::ptr_eq(&first.net, &job.net) && rows + job.input.n <= MOST_ROWS);
            if fits {
                rows += job.input.n;
                jobs.push(job);
            } else {
                self.waiting.push_back(job);
            }
        }
        jobs
    }
}

/// Starts to evaluate the batches together and to read the result. Returns the number of moves per position and the
/// pending read.
fn begin(jobs: &[Job], device: &Device, waker: &Waker) -> Result<(usize, Reading), String> {
    let input = joined(jobs.iter().map(|job| &job.input));
    let moves: Vec<_> = (0..input.n).map(|row| &input.moves[input.move_range(row)]).collect();
    let longest = moves.iter().map(|moves| moves.len()).max().unwrap_or(0);
    let indices = PaddedIndices::new(&moves, padded(input.n), longest.next_multiple_of(MOVES_STEP));
    let net = jobs.first().ok_or("no batch to evaluate")?.net.clone();
    let values = net.evaluate(input.plane_values(), input.features, &indices, device); // [rows, width + OTHERS]
    let mut reading: Reading = Box::pin(Transaction::default().register(values).execute_async());
    // The first poll queues the copy of the values before the next batch is submitted.
    match reading.as_mut().poll(&mut Context::from_waker(waker)) {
        Poll::Pending => Ok((indices.width, reading)),
        Poll::Ready(done) => Ok((indices.width, Box::pin(std::future::ready(done)))),
    }
}

fn numbers(data: Vec<TensorData>) -> Result<Vec<f32>, String> {
    let data = data.into_iter().next().ok_or("it returned no values")?;
    data.try_into_vec::<f32>().map_err(|error| format!("{error:?}"))
}

fn refuse(jobs: &[Job], reason: &str) {
    for job in jobs {
        let _ = job.reply.send(Err(NetError::Inference(reason.to_owned())));
    }
}

/// The nets on the device by the hash of their weights. Equal weights are stored once, and only while they are in use.
#[derive(Default)]
pub(super) struct Store {
    nets: Mutex<HashMap<String, Weak<ProductNet>>>,
}

impl Store {
    /// The net with this hash, if it is in use.
    fn find(&self, hash: &str) -> Option<Arc<ProductNet>> {
        self.lock().get(hash).and_then(Weak::upgrade)
    }

    /// Adds a net, and removes nets that are no longer in use.
    fn add(&self, hash: String, net: &Arc<ProductNet>) {
        let mut nets = self.lock();
        nets.retain(|_, net| net.strong_count() > 0);
        nets.insert(hash, Arc::downgrade(net));
    }

    /// The number of nets in use.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.lock().values().filter(|net| net.strong_count() > 0).count()
    }

    /// The map. It is valid even if another thread has panicked.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Weak<ProductNet>>> {
        self.nets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
