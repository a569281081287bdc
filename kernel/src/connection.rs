//! The connection file: where a kernel listens, and the key it shares with its clients
//! (<https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files>).

use std::path::{Path, PathBuf};

use jupyter_protocol::ConnectionInfo;

/// Where each of the five sockets is bound, and the key of the signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Requests that wait their turn.
    pub shell: String,
    /// Outputs.
    pub iopub: String,
    /// Questions to the user.
    pub stdin: String,
    /// Requests that don't wait.
    pub control: String,
    /// Echo, to see that the kernel lives.
    pub heartbeat: String,
    /// The key; empty for unsigned messages.
    pub key: String,
}

/// Why a connection file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// It can't be read.
    #[error(
        "can't read the connection file {path}: {error}. Jupyter writes this file and passes its name; to try the kernel by hand, run `jupyter console --kernel footlight`"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is not a connection file.
    #[error("{path} is not a connection file: {error}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        error: serde_json::Error,
    },
    /// It asks for another kind of signature.
    #[error(
        "{path} asks for signatures of kind {scheme:?}, and Footlight has hmac-sha256 only: remove Session.signature_scheme from Jupyter's settings"
    )]
    Scheme {
        /// The file.
        path: PathBuf,
        /// What it asks for.
        scheme: String,
    },
}

impl Connection {
    /// Reads a connection file.
    pub fn read(path: &Path) -> Result<Self, ConnectionError> {
        let text = std::fs::read(path).map_err(|error| ConnectionError::Unreadable { path: path.into(), error })?;
        let info: ConnectionInfo =
            serde_json::from_slice(&text).map_err(|error| ConnectionError::Malformed { path: path.into(), error })?;
        if !info.key.is_empty() && info.signature_scheme != "hmac-sha256" {
            return Err(ConnectionError::Scheme { path: path.into(), scheme: info.signature_scheme });
        }
        Ok(Connection {
            shell: info.shell_url(),
            iopub: info.iopub_url(),
            stdin: info.stdin_url(),
            control: info.control_url(),
            heartbeat: info.hb_url(),
            key: info.key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Connection, ConnectionError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("kernel.json");
        std::fs::write(&path, text).expect("written");
        Connection::read(&path)
    }

    const FILE: &str = r#"{"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5,"ip":"127.0.0.1","key":"k",
        "transport":"TRANSPORT","signature_scheme":"SCHEME","kernel_name":"footlight"}"#;

    #[test]
    fn reads_both_transports() {
        let tcp = read(&FILE.replace("TRANSPORT", "tcp").replace("SCHEME", "hmac-sha256")).expect("whole");
        assert_eq!((tcp.shell.as_str(), tcp.heartbeat.as_str()), ("tcp://127.0.0.1:1", "tcp://127.0.0.1:5"));
        let ipc = read(&FILE.replace("TRANSPORT", "ipc").replace("SCHEME", "hmac-sha256").replace("127.0.0.1", "/tmp/k"));
        assert_eq!(ipc.expect("whole").iopub, "ipc:///tmp/k-2");
    }

    #[test]
    fn says_what_is_wrong() {
        let scheme = read(&FILE.replace("TRANSPORT", "tcp").replace("SCHEME", "hmac-md5")).expect_err("another scheme");
        assert!(scheme.to_string().contains("hmac-md5"));
        assert!(read("{").expect_err("cut off").to_string().contains("not a connection file"));
        let missing = Connection::read(Path::new("/no/such")).expect_err("missing").to_string();
        assert!(missing.contains("/no/such") && missing.contains("jupyter console"));
    }
}
