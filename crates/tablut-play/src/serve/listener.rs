//! Limits on connections: their number, and the time without traffic.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, Sleep, sleep};

pub const MAX_CONNECTIONS: usize = 256;
/// A connection is closed if its first bytes do not arrive within this time.
const FIRST_BYTES_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection is closed if it transfers no bytes for this time. Web sockets are pinged more often.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);

/// A listener with a maximum number of connections. If a new connection exceeds it, the listener closes another one:
/// the oldest without any traffic, or else the one that has been idle longest. A page reconnects by itself.
pub struct BoundedListener {
    inner: TcpListener,
    permits: Arc<Semaphore>,
    /// All connections in the order of their arrival.
    connections: Vec<ConnectionHandle>,
    began: Instant,
}

struct ConnectionHandle {
    /// Time of the last traffic in milliseconds since the listener began. 0 if there was none.
    last: Arc<AtomicU64>,
    close: oneshot::Sender<()>,
}

impl BoundedListener {
    pub fn new(inner: TcpListener) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { inner, permits, connections: Vec::new(), began: Instant::now() }
    }

    /// A permit for one more connection. Closes another connection if there is none left.
    async fn permit(&mut self) -> OwnedSemaphorePermit {
        self.connections.retain(|connection| !connection.close.is_closed());
        if self.permits.available_permits() == 0 {
            let last = |index: &usize| self.connections[*index].last.load(Ordering::Relaxed);
            if let Some(index) = (0..self.connections.len()).min_by_key(last) {
                // Sending fails if the connection has just ended by itself, which frees its permit as well.
                let _ = self.connections.remove(index).close.send(());
            }
        }
        self.permits.clone().acquire_owned().await.expect("the semaphore is never closed")
    }
}

impl Listener for BoundedListener {
    type Io = PageConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (PageConnection, SocketAddr) {
        loop {
            match self.inner.accept().await {
                Ok((stream, address)) => {
                    // The permit is taken after `accept`, so that a connection is closed only for one that has arrived.
                    let permit = self.permit().await;
                    let _ = stream.set_nodelay(true);
                    let (close, asked_to_close) = oneshot::channel();
                    let (last, timer) = (Arc::new(AtomicU64::new(0)), Box::pin(sleep(FIRST_BYTES_TIMEOUT)));
                    self.connections.push(ConnectionHandle { last: last.clone(), close });
                    return (
                        PageConnection { stream, timer, asked_to_close, last, began: self.began, _permit: permit },
                        address,
                    );
                }
                // There are no file descriptors left, or the peer has gone. The next attempt may succeed.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Whether it is a process of this machine: then both ends have the same address.
    pub is_this_machine: bool,
}

impl Connected<IncomingStream<'_, BoundedListener>> for Peer {
    fn connect_info(incoming: IncomingStream<'_, BoundedListener>) -> Self {
        let here = incoming.io().stream.local_addr();
        let is_this_machine =
            here.is_ok_and(|here| here.ip().to_canonical() == incoming.remote_addr().ip().to_canonical());
        Self { is_this_machine }
    }
}

/// A connection that is closed when it has been idle for too long.
pub struct PageConnection {
    stream: TcpStream,
    timer: Pin<Box<Sleep>>,
    asked_to_close: oneshot::Receiver<()>,
    last: Arc<AtomicU64>,
    began: Instant,
    _permit: OwnedSemaphorePermit,
}

impl PageConnection {
    fn progress(&mut self) {
        let now = Instant::now();
        self.timer.as_mut().reset(now + IDLE_TIMEOUT);
        let millis = now.duration_since(self.began).as_millis() as u64;
        self.last.store(millis.max(1), Ordering::Relaxed);
    }

    /// Ready when the connection has been idle for too long, or the listener closes it.
    fn poll_timeout(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        // The listener drops its end only when it closes the connection.
        let asked = self.asked_to_close.is_terminated() || Pin::new(&mut self.asked_to_close).poll(context).is_ready();
        if asked || self.timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(io::ErrorKind::TimedOut.into());
        }
        Poll::Pending
    }
}

impl AsyncRead for PageConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => self.poll_timeout(context).map(Err),
            ready @ Poll::Ready(_) => {
                if buffer.filled().len() > before {
                    self.progress();
                }
                ready
            }
        }
    }
}

impl AsyncWrite for PageConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.poll_timeout(context).map(Err),
            ready @ Poll::Ready(_) => {
                self.progress();
                ready
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
