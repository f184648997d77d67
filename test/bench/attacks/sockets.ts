/** @module Attack sockets: slow senders, and connections that send many requests at once. */
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { traceService } from "../../suite/receive/grpc-client.ts";

const head =
  "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n" +
  "Content-Length: 100000\r\n\r\n";

/** A sender: `drip` sends a byte, `end` leaves. */
interface Sender {
  drip(): void;
  end(): void;
}

/** A sender of HTTP; it connects again when it is disconnected. */
function httpSender(port: number): Sender {
  let isOver = false;
  let socket = open();
  function open(): ReturnType<typeof connect> {
    const opened = connect({ port, host: "127.0.0.1" }, () => opened.write(head));
    opened.on("error", () => {});
    opened.resume();
    opened.once("close", () => {
      if (!isOver) setTimeout(() => (socket = open()), 200).unref();
    });
    return opened;
  }
  return {
    drip: () => void (socket.writable && socket.write("x")),
    end: () => {
      isOver = true;
      socket.destroy();
    },
  };
}

/** A sender of gRPC; it connects again when it is disconnected. */
function grpcSender(port: number): Sender {
  let isOver = false;
  let opened = open();
  function open() {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", () => {});
    const call = session.request({
      ":method": "POST",
      ":path": traceService,
      "content-type": "application/grpc",
      te: "trailers",
    });
    call.on("error", () => {});
    call.resume();
    session.once("close", () => {
      if (!isOver) setTimeout(() => (opened = open()), 200).unref();
    });
    return { session, call };
  }
  return {
    drip: () => void (opened.call.writable && opened.call.write(Buffer.from([0]))),
    end: () => {
      isOver = true;
      opened.session.destroy();
    },
  };
}

/** So many senders, for so long. */
export async function slowSenders(
  kind: "http" | "grpc",
  port: number,
  count: number,
  ms: number,
): Promise<string> {
  const open = kind === "http" ? httpSender : grpcSender;
  const senders = Array.from({ length: count }, () => open(port));
  const until = performance.now() + ms;
  while (performance.now() < until) {
    await sleep(1_000);
    for (const sender of senders) sender.drip();
  }
  for (const sender of senders) sender.end();
  return `${count} sockets`;
}

/** So many connections at once, each with ten requests of a page at once, every three seconds. */
export async function bursts(port: number, count: number, ms: number): Promise<string> {
  const requests = "GET /traces HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n".repeat(
    10,
  );
  const until = performance.now() + ms;
  let rounds = 0;
  for (; performance.now() < until; rounds += 1) {
    const opened = Array.from({ length: count }, () => {
      const socket = connect({ port, host: "127.0.0.1" }, () => void socket.write(requests));
      socket.on("error", () => {});
      return socket;
    });
    // The answers are not read.
    await sleep(3_000);
    for (const socket of opened) socket.destroy();
  }
  return `${rounds} bursts of ${count} connections`;
}

/** So many gRPC connections at once, each with a hundred exports at once, every three seconds. */
export async function callBursts(port: number, count: number, ms: number): Promise<string> {
  const empty = Buffer.alloc(5);
  const headers = { ":method": "POST", ":path": traceService, "content-type": "application/grpc" };
  const until = performance.now() + ms;
  let rounds = 0;
  for (; performance.now() < until; rounds += 1) {
    const sessions = Array.from({ length: count }, () => {
      const session = connectHttp2(`http://127.0.0.1:${port}`);
      session.on("error", () => {});
      for (let call = 0; call < 100; call += 1) {
        const stream = session.request({ ...headers, te: "trailers" });
        stream.on("error", () => {});
        stream.resume();
        stream.end(empty);
      }
      return session;
    });
    await sleep(3_000);
    for (const session of sessions) session.destroy();
  }
  return `${rounds} bursts of ${count} connections`;
}
