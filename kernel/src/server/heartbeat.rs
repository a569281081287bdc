//! The heartbeat: what comes in goes back, so that clients see that the kernel lives.

use zeromq::{RouterSocket, SocketRecv, SocketSend};

/// Echoes until the socket closes. A ROUTER rather than a REP: it serves a client while another one has gone without taking its echo.
pub(crate) async fn run(mut socket: RouterSocket) {
    while let Ok(message) = socket.recv().await {
        // A client that is gone needs no echo.
        let _ = socket.send(message).await;
    }
}
