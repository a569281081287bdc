//! Signatures: HMAC-SHA256 over the four JSON frames, as lower-case hex
//! (<https://jupyter-client.readthedocs.io/en/stable/messaging.html#the-wire-protocol>).

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Signs what the kernel sends, and checks and counts what it receives.
#[derive(Debug)]
pub struct Signer {
    /// `None` where the connection file's key is empty, which turns signatures off.
    keyed: Option<Hmac<Sha256>>,
    refused: AtomicU64,
}

impl Signer {
    /// A signer for the connection file's key.
    pub fn new(key: &str) -> Self {
        // HMAC takes keys of any length (RFC 2104): `new_from_slice` can't fail.
        let keyed = (!key.is_empty()).then(|| Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes any key"));
        Signer { keyed, refused: AtomicU64::new(0) }
    }

    /// The signature of `parts`, in hex; empty where signatures are off.
    pub fn sign<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> String {
        let Some(mut mac) = self.keyed.clone() else { return String::new() };
        parts.into_iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether `signature` is that of `parts`, compared in constant time. A wrong one is counted.
    pub fn verify(&self, signature: &[u8], parts: &[Bytes]) -> bool {
        let Some(mut mac) = self.keyed.clone() else { return true };
        parts.iter().for_each(|part| mac.update(part));
        let right = from_hex(signature).is_some_and(|given| mac.verify_slice(&given).is_ok());
        if !right {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        right
    }

    /// How many messages had a wrong signature so far.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks_exact(2).map(|pair| u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_rfc_4231_case_2() {
        let signer = Signer::new("Jefe");
        let signature = signer.sign([b"what do ya want ".as_slice(), b"for nothing?"]);
        assert_eq!(signature, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        assert!(signer.verify(signature.as_bytes(), &[Bytes::from_static(b"what do ya want for nothing?")]));
    }

    #[test]
    fn counts_what_it_refuses() {
        let signer = Signer::new("key");
        for wrong in [b"".as_slice(), b"0", b"zz", b"\xff\xfe", &[b'0'; 64]] {
            assert!(!signer.verify(wrong, &[]));
        }
        assert_eq!(signer.refused(), 5);
        assert!(Signer::new("").verify(b"anything", &[]));
    }
}
