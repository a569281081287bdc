//! `interrupt_request`: stops the running cell. The kernelspec's `interrupt_mode` is `message`, so it comes in place of a signal.

use serde::Deserialize;

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The request, which says nothing.
#[derive(Deserialize)]
pub(crate) struct Request {}

impl Message for Request {
    const TYPE: &'static str = "interrupt_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = ();

    async fn handle(self, context: Context) -> Result<(), Failure> {
        context.kernel.session.interrupt();
        Ok(())
    }
}
