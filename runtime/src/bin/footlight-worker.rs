//! The worker: the process that owns the variables and runs compiled cells. Started by footlight-kernel.

fn main() {
    footlight::worker::main();
}
