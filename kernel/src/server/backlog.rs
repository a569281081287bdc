//! What waits for one iopub client, and since when it has taken nothing of it.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;

/// The bytes that wait for a peer.
pub(crate) struct Backlog {
    bytes: AtomicUsize,
    /// When the client last took something, or something began to wait for it.
    since: Mutex<Instant>,
    moved: Notify,
}

impl Backlog {
    /// Nothing waits.
    pub(crate) fn new() -> Self {
        Backlog { bytes: AtomicUsize::new(0), since: Mutex::new(Instant::now()), moved: Notify::new() }
    }

    /// The bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// For how long the client has taken nothing, though something waits for it.
    pub(crate) fn stalled(&self) -> Duration {
        if self.bytes() == 0 {
            return Duration::ZERO;
        }
        self.since.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Returns when the client has taken something.
    pub(crate) async fn moved(&self) {
        self.moved.notified().await;
    }

    /// More waits.
    pub(super) fn add(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) == 0 {
            self.touch();
        }
    }

    /// A message has gone out.
    pub(super) fn remove(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.touch();
    }

    fn touch(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.moved.notify_one();
    }
}

/// A connection to a client, whatever the transport.
pub(crate) trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

/// A connection that tells the backlog of every write that the client takes: over a slow line one large message may take long.
pub(super) struct Watched {
    client: Box<dyn Connection>,
    backlog: Arc<Backlog>,
}

impl Watched {
    /// Watches `client`.
    pub(super) fn new(client: Box<dyn Connection>, backlog: Arc<Backlog>) -> Self {
        Watched { client, backlog }
    }
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.client).poll_read(context, buffer)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.client).poll_write(context, bytes);
        if matches!(written, Poll::Ready(Ok(_))) {
            self.backlog.touch();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.client).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.client).poll_shutdown(context)
    }
}
