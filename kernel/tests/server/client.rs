//! A Jupyter client, small and strict: it shares the wire format's definition with the kernel and nothing else.

use std::time::Duration;

use bytes::Bytes;
use footlight_kernel::connection::Connection;
use footlight_kernel::notebook::history::History;
use footlight_kernel::server;
use footlight_kernel::session::Session;
use footlight_kernel::wire::{Envelope, Header, Parent, Wire};
use serde_json::{Value, json};
use tokio::time::timeout;
use zeromq::util::PeerIdentity;
use zeromq::{DealerSocket, ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, SubSocket, ZmqMessage};

use crate::engine::Commands;

/// How long a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// A kernel under test, in this process.
pub(crate) struct Server {
    pub(crate) connection: Connection,
    pub(crate) ended: std::thread::JoinHandle<()>,
}

impl Server {
    /// Starts a kernel on free ports.
    pub(crate) fn start() -> Self {
        // The listeners are held together, so that the five ports differ.
        let listeners: Vec<_> = (0..5).map(|_| std::net::TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
        let mut urls = listeners.iter().map(|listener| format!("tcp://{}", listener.local_addr().expect("bound")));
        let mut url = || urls.next().expect("five of them");
        let connection = Connection {
            shell: url(),
            iopub: url(),
            stdin: url(),
            control: url(),
            heartbeat: url(),
            key: "a test's key".to_owned(),
        };
        drop(listeners);
        let served = connection.clone();
        let cells = tokio::runtime::Handle::current();
        let ended = std::thread::spawn(move || {
            server::serve(&served, Session::new(Commands::default()), History::begin(None), cells).expect("served");
        });
        Server { connection, ended }
    }
}

/// A client with all its sockets; `name` is its identity, by which the kernel finds its stdin.
pub(crate) struct Client {
    pub(crate) wire: Wire,
    pub(crate) shell: DealerSocket,
    pub(crate) control: DealerSocket,
    pub(crate) stdin: DealerSocket,
    iopub: SubSocket,
    heartbeat: ReqSocket,
}

impl Client {
    /// Connects, and waits until iopub has welcomed the subscription.
    pub(crate) async fn connect(server: &Server, name: &str) -> Self {
        let Connection { shell, iopub, stdin, control, heartbeat, key } = &server.connection;
        let mut client = Client {
            wire: Wire::new(key),
            shell: dealer(shell, name).await,
            control: dealer(control, name).await,
            stdin: dealer(stdin, name).await,
            iopub: SubSocket::new(),
            heartbeat: ReqSocket::new(),
        };
        client.iopub.connect(iopub).await.expect("connected");
        client.iopub.subscribe("").await.expect("subscribed");
        client.heartbeat.connect(heartbeat).await.expect("connected");
        let welcome = client.published().await;
        assert_eq!(welcome.parent.header().msg_type(), "iopub_welcome");
        client
    }

    /// Frames of a request.
    pub(crate) fn request(&self, msg_type: &str, content: &Value) -> (String, Vec<Bytes>) {
        self.wire.write(&[], msg_type, &Parent::default(), content)
    }

    /// Sends a request on shell and returns its id.
    pub(crate) async fn send(&mut self, msg_type: &str, content: Value) -> String {
        let (id, frames) = self.request(msg_type, &content);
        send(&mut self.shell, frames).await;
        id
    }

    /// Sends a cell and returns the request's id.
    pub(crate) async fn execute(&mut self, code: &str) -> String {
        self.send("execute_request", json!({ "code": code, "allow_stdin": true })).await
    }

    /// The content of the next reply on shell, which must answer `id`.
    pub(crate) async fn reply(&mut self, id: &str) -> Value {
        let reply = receive(&self.wire, &mut self.shell).await;
        assert_eq!(reply.answers["msg_id"], id, "{:?} answers another request", reply.content);
        reply.content
    }

    /// Asks on control and returns the reply's content.
    pub(crate) async fn ask_control(&mut self, msg_type: &str, content: Value) -> Value {
        let (id, frames) = self.request(msg_type, &content);
        send(&mut self.control, frames).await;
        let reply = receive(&self.wire, &mut self.control).await;
        assert_eq!(reply.answers["msg_id"], *id);
        reply.content
    }

    /// The next message on iopub.
    pub(crate) async fn published(&mut self) -> Envelope {
        let message = timeout(PATIENCE, self.iopub.recv()).await.expect("in time").expect("received");
        self.wire.read(message.into_vec()).expect("whole")
    }

    /// What is published for request `id`, until it is idle: type and content. Other requests' messages are left out.
    pub(crate) async fn outputs(&mut self, id: &str) -> Vec<(String, Value)> {
        let mut outputs = Vec::new();
        loop {
            let Envelope { parent, answers, content } = self.published().await;
            if answers.get("msg_id").is_some_and(|answered| answered == id) {
                let idle = content["execution_state"] == "idle";
                outputs.push((parent.header().msg_type().to_owned(), content));
                if idle {
                    return outputs;
                }
            }
        }
    }

    /// Sends a heartbeat and takes its echo.
    pub(crate) async fn beat(&mut self) {
        self.heartbeat.send("ping".into()).await.expect("sent");
        let echo = timeout(PATIENCE, self.heartbeat.recv()).await.expect("in time").expect("received");
        assert_eq!(echo.into_vec(), [Bytes::from_static(b"ping")]);
    }
}

/// A DEALER of this identity. The kernel may still be on its way up.
pub(crate) async fn dealer(url: &str, name: &str) -> DealerSocket {
    let mut options = SocketOptions::default();
    options.peer_identity(PeerIdentity::try_from(name.as_bytes()).expect("short"));
    let mut socket = DealerSocket::with_options(options);
    timeout(PATIENCE, socket.connect(url)).await.expect("in time").expect("connected");
    socket
}

pub(crate) async fn send(socket: &mut DealerSocket, frames: Vec<Bytes>) {
    socket.send(ZmqMessage::try_from(frames).expect("frames")).await.expect("sent");
}

pub(crate) async fn receive(wire: &Wire, socket: &mut DealerSocket) -> Envelope {
    let message = timeout(PATIENCE, socket.recv()).await.expect("in time").expect("received");
    wire.read(message.into_vec()).expect("whole")
}

/// A parent with this message id, for replies to the kernel's questions.
pub(crate) fn parent(id: &str) -> Parent {
    let fields = json!({ "msg_id": id, "msg_type": "input_request" });
    Parent::new(Vec::new(), Header::check(fields.as_object().expect("an object").clone()).expect("whole"))
}
