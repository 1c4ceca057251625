//! Connections in bounds: so many at once, and none that keeps silent.

use axum::serve::Listener;
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

/// Connections at once.
pub const MAX_CONNECTIONS: usize = 256;
/// How long a connection may say nothing at its beginning.
const FIRST_WORD: Duration = Duration::from_secs(10);
/// How long it may neither send nor take anything later; sockets are pinged more often.
const SILENCE: Duration = Duration::from_secs(45);

/// A listener that lets so many connections in. When all places are taken, one has to go: of those that have said nothing yet the
/// oldest, else the one through which nothing has gone for longest. A page that has to go comes back by itself.
pub struct BoundedListener {
    inner: TcpListener,
    places: Arc<Semaphore>,
    /// All connections in the order in which they came.
    guests: Vec<Guest>,
    began: Instant,
}

/// A connection as its listener knows it.
struct Guest {
    /// When something last went through it, in milliseconds since the listener began; 0 where nothing has.
    last: Arc<AtomicU64>,
    leave: oneshot::Sender<()>,
}

impl BoundedListener {
    /// Takes connections of `inner`.
    pub fn new(inner: TcpListener) -> Self {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { inner, places, guests: Vec::new(), began: Instant::now() }
    }

    /// A place for one more connection.
    async fn place(&mut self) -> OwnedSemaphorePermit {
        self.guests.retain(|guest| !guest.leave.is_closed());
        if self.places.available_permits() == 0 {
            let last = |index: &usize| self.guests[*index].last.load(Ordering::Relaxed);
            if let Some(index) = (0..self.guests.len()).min_by_key(last) {
                // Where it has gone by itself in this moment its place is free as well.
                let _ = self.guests.remove(index).leave.send(());
            }
        }
        self.places.clone().acquire_owned().await.expect("the semaphore is never closed")
    }
}

impl Listener for BoundedListener {
    type Io = PageConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (PageConnection, SocketAddr) {
        loop {
            match self.inner.accept().await {
                Ok((stream, address)) => {
                    // Only for one that is there: whoever has just come may not have had the time to speak.
                    let place = self.place().await;
                    let _ = stream.set_nodelay(true);
                    let (leave, told_to_leave) = oneshot::channel();
                    let (last, timer) = (Arc::new(AtomicU64::new(0)), Box::pin(sleep(FIRST_WORD)));
                    self.guests.push(Guest { last: last.clone(), leave });
                    return (
                        PageConnection { stream, timer, told_to_leave, last, began: self.began, _place: place },
                        address,
                    );
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
pub struct PageConnection {
    stream: TcpStream,
    timer: Pin<Box<Sleep>>,
    told_to_leave: oneshot::Receiver<()>,
    /// See [`Guest::last`].
    last: Arc<AtomicU64>,
    began: Instant,
    _place: OwnedSemaphorePermit,
}

impl PageConnection {
    /// Something went through.
    fn progress(&mut self) {
        let now = Instant::now();
        self.timer.as_mut().reset(now + SILENCE);
        let millis = now.duration_since(self.began).as_millis() as u64;
        self.last.store(millis.max(1), Ordering::Relaxed);
    }

    /// Whether the connection has kept silent for too long.
    fn silence(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        // The listener drops its end only when it tells the connection to leave.
        let told = self.told_to_leave.is_terminated() || Pin::new(&mut self.told_to_leave).poll(context).is_ready();
        if told || self.timer.as_mut().poll(context).is_ready() {
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
            Poll::Pending => self.silence(context).map(Err),
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
