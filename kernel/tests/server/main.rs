//! The server with real sockets and a small engine: order, lanes, aborts, input, bad messages, peers that stall.

mod client;
mod engine;

use std::time::{Duration, Instant};

use bytes::Bytes;
use client::{Client, Server, dealer, parent, receive, send};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

fn types(outputs: &[(String, Value)]) -> Vec<&str> {
    outputs.iter().map(|(msg_type, _)| msg_type.as_str()).collect()
}

fn text(outputs: &[(String, Value)]) -> String {
    outputs.iter().filter_map(|(_, content)| content["text"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cell_has_its_outputs_in_order_before_its_reply() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let id = client.execute("print one\neprint two\ndisplay x\nprint three\nupdate y\nclear\nresult 7").await;
    let reply = client.reply(&id).await;
    assert_eq!(reply, json!({ "status": "ok", "execution_count": 1, "payload": [], "user_expressions": {} }));
    let outputs = client.outputs(&id).await;
    assert_eq!(
        types(&outputs),
        [
            "status",
            "execute_input",
            "stream",
            "stream",
            "display_data",
            "stream",
            "update_display_data",
            "clear_output",
            "execute_result",
            "status"
        ]
    );
    assert_eq!(outputs[2].1, json!({ "name": "stdout", "text": "one" }));
    assert_eq!(outputs[6].1["transient"]["display_id"], "id");
    assert_eq!(outputs[8].1["data"]["text/plain"], "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_lines_and_a_large_result_arrive_whole() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let id = client.execute("lines 2000\nbig 8000000").await;
    let outputs = client.outputs(&id).await;
    assert_eq!(text(&outputs), (0..2000).map(|line| format!("{line}\n")).collect::<String>());
    assert!(outputs.len() < 100, "{} messages for a burst", outputs.len());
    let result = outputs.iter().find(|(msg_type, _)| msg_type == "execute_result").expect("a result");
    assert_eq!(result.1["data"]["text/plain"].as_str().map(str::len), Some(8_000_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_aborts_what_is_queued_unless_asked_not_to() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let mut ids = Vec::new();
    for code in ["fail one", "print never", "print never"] {
        ids.push(client.execute(code).await);
    }
    assert_eq!(client.reply(&ids[0]).await["ename"], "Failed");
    for id in &ids[1..] {
        assert_eq!(client.reply(id).await["status"], "aborted");
        assert_eq!(types(&client.outputs(id).await), ["status", "status"]);
    }
    let failing = client.send("execute_request", json!({ "code": "fail two", "stop_on_error": false })).await;
    let next = client.execute("print now").await;
    assert_eq!(client.reply(&failing).await["status"], "error");
    assert_eq!(client.reply(&next).await["execution_count"], 3);
    assert_eq!(text(&client.outputs(&next).await), "now");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_published_once() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    for (code, ename) in [("fail here", "Failed"), ("bug", "KernelBug")] {
        let id = client.execute(code).await;
        let outputs = client.outputs(&id).await;
        assert_eq!(types(&outputs), ["status", "execute_input", "error", "status"]);
        assert_eq!(outputs[2].1["ename"], ename);
        assert_eq!(client.reply(&id).await["ename"], ename);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_cells_and_cells_outside_history_do_not_count() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let silent = client.send("execute_request", json!({ "code": "print a\nresult 1", "silent": true })).await;
    assert_eq!(types(&client.outputs(&silent).await), ["status", "status"]);
    assert_eq!(client.reply(&silent).await["execution_count"], 0);
    let unkept =
        client.send("execute_request", json!({ "code": "print b", "store_history": false, "user_expressions": null })).await;
    assert_eq!(text(&client.outputs(&unkept).await), "b");
    assert_eq!(client.reply(&unkept).await["execution_count"], 0);
    let kept =
        client.send("execute_request", json!({ "code": "result 5", "user_expressions": { "x": "1", "y": "!", "z": 3 } })).await;
    let reply = client.reply(&kept).await;
    assert_eq!(reply["execution_count"], 1);
    let expressions = &reply["user_expressions"];
    assert_eq!(expressions["x"]["data"]["text/plain"], "1");
    assert_eq!([&expressions["y"]["ename"], &expressions["z"]["ename"]], ["Bad", "MalformedMessage"]);
    let history =
        client.send("history_request", json!({ "hist_access_type": "tail", "output": true, "raw": true, "n": 9 })).await;
    assert_eq!(client.reply(&history).await["history"], json!([[1, 1, ["result 5", "5"]]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_else_is_answered_while_a_cell_runs_and_floods() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let cell = client.execute("flood").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    client.beat().await;
    for (msg_type, content) in [
        ("kernel_info_request", json!({})),
        ("is_complete_request", json!({ "code": "fn f() {" })),
        ("complete_request", json!({ "code": "a", "cursor_pos": 1 })),
        ("inspect_request", json!({ "code": "a", "cursor_pos": 1, "detail_level": 0 })),
        ("comm_info_request", json!({})),
        ("history_request", json!({ "hist_access_type": "search", "pattern": "*", "output": false, "raw": true })),
    ] {
        let id = client.send(msg_type, content).await;
        let reply = client.reply(&id).await;
        assert!(["ok", "incomplete"].contains(&reply["status"].as_str().expect("a status")), "{msg_type}: {reply}");
    }
    assert_eq!(client.ask_control("interrupt_request", json!({})).await, json!({ "status": "ok" }));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(client.reply(&cell).await["ename"], "Interrupted");
    let outputs = client.outputs(&cell).await;
    assert_eq!(types(&outputs)[outputs.len() - 2..], ["error", "status"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn input_comes_from_the_client_that_ran_the_cell() {
    let server = Server::start();
    let mut asked = Client::connect(&server, "asked").await;
    let mut other = Client::connect(&server, "other").await;
    let id = asked.execute("input name? ").await;
    let question = receive(&asked.wire, &mut asked.stdin).await;
    assert_eq!(question.content, json!({ "prompt": "name? ", "password": false }));
    let question = question.parent.header().msg_id().to_owned();
    let (_, theirs) = other.wire.write(&[], "input_reply", &parent(&question), &json!({ "value": "theirs" }));
    send(&mut other.stdin, theirs).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (_, ours) = asked.wire.write(&[], "input_reply", &parent(&question), &json!({ "value": "ours" }));
    send(&mut asked.stdin, ours).await;
    assert_eq!(text(&asked.outputs(&id).await), "ours");
    // The other client sees the cell too, with the parent of the one that ran it.
    assert_eq!(text(&other.outputs(&id).await), "ours");

    let refused = asked.send("execute_request", json!({ "code": "input name?", "allow_stdin": false })).await;
    asked.reply(&id).await;
    assert!(asked.reply(&refused).await["evalue"].as_str().expect("text").contains("allow_stdin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_messages_cost_nothing() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let (_, signed) = client.request("kernel_info_request", &json!({}));
    let mut forged = signed.clone();
    forged[1] = Bytes::from("0".repeat(64));
    let not_json = vec![
        signed[0].clone(),
        signed[1].clone(),
        Bytes::from_static(b"\xff"),
        signed[3].clone(),
        signed[4].clone(),
        signed[5].clone(),
    ];
    for frames in
        [forged, not_json, signed[1..].to_vec(), signed[..3].to_vec(), vec![Bytes::new()], vec![Bytes::from_static(b"<IDS|MSG>")]]
    {
        send(&mut client.shell, frames.clone()).await;
        send(&mut client.control, frames.clone()).await;
        send(&mut client.stdin, frames).await;
    }
    for (msg_type, content, ename) in [
        ("nonsense_request", json!({}), "UnknownMessage"),
        ("execute_request", json!({ "code": 7 }), "MalformedMessage"),
        ("execute_request", json!([]), "MalformedMessage"),
        ("history_request", json!({ "hist_access_type": "all" }), "MalformedMessage"),
        ("is_complete_request", json!(null), "MalformedMessage"),
    ] {
        let id = client.send(msg_type, content).await;
        let reply = client.reply(&id).await;
        assert_eq!([&reply["status"], &reply["ename"]], ["error", ename], "{msg_type}");
        assert_eq!(types(&client.outputs(&id).await).first(), Some(&"status"));
    }
    let id = client.execute("print alive").await;
    assert_eq!(text(&client.outputs(&id).await), "alive");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_comms_are_closed() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let id = client.send("comm_open", json!({ "comm_id": "c", "target_name": "nothing", "data": {} })).await;
    let outputs = client.outputs(&id).await;
    assert_eq!(types(&outputs), ["status", "comm_close", "status"]);
    assert_eq!(outputs[1].1["comm_id"], "c");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_comes_back_under_its_name_gets_its_replies() {
    let server = Server::start();
    let mut client = Client::connect(&server, "page").await;
    for _ in 0..200 {
        // The old socket is closed after the new one is there, as a page that reloads may do.
        let old = std::mem::replace(&mut client.shell, dealer(&server.connection.shell, "page").await);
        drop(old);
        let id = client.send("kernel_info_request", json!({})).await;
        assert_eq!(client.reply(&id).await["implementation"], "footlight");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_reads_nothing_is_let_go() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let mut stalled = silent_subscriber(&server).await;
    let began = Instant::now();
    for _ in 0..20 {
        let id = client.execute("big 4000000").await;
        assert_eq!(client.outputs(&id).await.len(), 4);
    }
    // Once for the stalled peer's patience, and not once a message.
    assert!(began.elapsed() < Duration::from_secs(18), "{:?}", began.elapsed());
    closes(&mut stalled).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_stalls_holds_up_one_cell_and_is_let_go() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let mut stalled = silent_subscriber(&server).await;
    // More than the system's buffers on the way hold, and less than what the kernel itself waits for.
    for _ in 0..4 {
        let id = client.execute("big 8000000").await;
        assert_eq!(client.outputs(&id).await.len(), 4);
    }
    let began = Instant::now();
    for _ in 0..25 {
        let id = client.execute("print quick").await;
        assert_eq!(client.outputs(&id).await.len(), 4);
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    tokio::time::sleep(Duration::from_secs(6)).await;
    let id = client.execute("print later").await;
    assert_eq!(client.outputs(&id).await.len(), 4);
    closes(&mut stalled).await;
}

/// A SUB by hand (ZMTP 3.0, https://rfc.zeromq.org/spec/23/), which subscribes and then never reads.
async fn silent_subscriber(server: &Server) -> tokio::net::TcpStream {
    let address = server.connection.iopub.trim_start_matches("tcp://");
    let mut stalled = tokio::net::TcpStream::connect(address).await.expect("connected");
    let mut greeting = [0; 64];
    (greeting[0], greeting[9], greeting[10]) = (0xff, 0x7f, 3);
    greeting[12..16].copy_from_slice(b"NULL");
    stalled.write_all(&greeting).await.expect("greeted");
    stalled.read_exact(&mut greeting).await.expect("greeted");
    stalled.write_all(b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB").await.expect("ready");
    stalled.write_all(b"\x00\x01\x01").await.expect("subscribed");
    stalled
}

/// Reads to the end of the connection, which must come.
async fn closes(stalled: &mut tokio::net::TcpStream) {
    let drained = timeout(Duration::from_secs(20), async {
        let mut chunk = vec![0; 1 << 20];
        while stalled.read(&mut chunk).await.is_ok_and(|read| read > 0) {}
    });
    drained.await.expect("the kernel closed the connection");
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_is_said_to_all_and_ends_the_kernel() {
    let server = Server::start();
    let mut client = Client::connect(&server, "a").await;
    let mut other = Client::connect(&server, "b").await;
    let reply = client.ask_control("shutdown_request", json!({ "restart": true })).await;
    assert_eq!(reply, json!({ "status": "ok", "restart": true }));
    loop {
        let said = other.published().await;
        if said.parent.header().msg_type() == "shutdown_reply" {
            assert_eq!(said.content["restart"], true);
            break;
        }
    }
    let ended = tokio::task::spawn_blocking(|| server.ended.join());
    timeout(Duration::from_secs(5), ended).await.expect("in time").expect("joined").expect("without a panic");
}
