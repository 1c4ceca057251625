//! Connections in bounds: so many at once, and none that keeps silent.

use axum::serve::Listener;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at once.
pub const MAX_CONNECTIONS: usize = 256;
/// How long a connection may say nothing at its beginning.
const FIRST_WORD: Duration = Duration::from_secs(10);
/// How long it may neither send nor take anything later; sockets are pinged more often.
const SILENCE: Duration = Duration::from_secs(45);

/// A listener that lets so many connections in. When all places are taken, the one that has kept silent longest since it came has to go.
pub struct BoundedListener {
    inner: TcpListener,
    places: Arc<Semaphore>,
    silent: VecDeque<oneshot::Sender<()>>,
}

impl BoundedListener {
    /// Takes connections of `inner`.
    pub fn new(inner: TcpListener) -> Self {
        Self { inner, places: Arc::new(Semaphore::new(MAX_CONNECTIONS)), silent: VecDeque::new() }
    }

    /// A place for one more connection.
    async fn place(&mut self) -> OwnedSemaphorePermit {
        self.silent.retain(|connection| !connection.is_closed());
        if self.places.available_permits() == 0 {
            while let Some(oldest) = self.silent.pop_front() {
                if oldest.send(()).is_ok() {
                    break;
                }
            }
        }
        self.places.clone().acquire_owned().await.expect("the semaphore is never closed")
    }
}

impl Listener for BoundedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let place = self.place().await;
            match self.inner.accept().await {
                Ok((stream, address)) => {
                    let _ = stream.set_nodelay(true);
                    let (leave, told_to_leave) = oneshot::channel();
                    self.silent.push_back(leave);
                    let timer = Box::pin(sleep(FIRST_WORD));
                    return (Connection { stream, timer, told_to_leave: Some(told_to_leave), _place: place }, address);
                }
                // Out of file descriptors, or the peer has gone: others may be luckier a little later.
                Err(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

/// A connection that is closed when it keeps silent.
pub struct Connection {
    stream: TcpStream,
    timer: Pin<Box<Sleep>>,
    /// There until it has said something.
    told_to_leave: Option<oneshot::Receiver<()>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Something went through.
    fn progress(&mut self) {
        self.timer.as_mut().reset(Instant::now() + SILENCE);
    }

    /// Whether the connection has kept silent for too long.
    fn silence(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let told = self.told_to_leave.as_mut().is_some_and(|told| Pin::new(told).poll(context).is_ready());
        if told || self.timer.as_mut().poll(context).is_ready() {
            return Poll::Ready(io::ErrorKind::TimedOut.into());
        }
        Poll::Pending
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => self.silence(context).map(Err),
            ready @ Poll::Ready(_) => {
                if buffer.filled().len() > before {
                    self.told_to_leave = None;
                    self.progress();
                }
                ready
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.silence(context).map(Err),
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
