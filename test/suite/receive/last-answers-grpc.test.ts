/** As over HTTP, each client of OTLP/gRPC that is refused reads why (faults H10). */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test, vi } from "vitest";

import { traceService } from "./grpc-client.ts";
import { openGrpcHarness } from "./grpc-harness.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

test("gRPC on the HTTP port gives its place back", async () => {
  const bounds = { connectionsMax: 4, connectionsPerAddressMax: 4, sparesMax: 8 };
  const { server, ...harness } = await openGrpcHarness({ listen: bounds });
  try {
    for (let round = 0; round < 12; round += 1) {
      const session = connectHttp2(server.url);
      session.on("error", () => {});
      const stream = session.request({ ":method": "POST", ":path": traceService });
      stream.on("error", () => {});
      stream.resume();
      await once(session, "close");
    }
    const unknown = "GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    expect(statuses(await exchange(server.port, unknown))).toEqual([404]);
  } finally {
    await harness.close();
  }
});

/** A call whose message never ends: its status, and what stands in it. */
async function callSlowly(url: string, sessions: ClientHttp2Session[]): Promise<string> {
  const session = connectHttp2(url);
  sessions.push(session);
  session.on("error", () => {});
  const usual = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
  const stream = session.request({ ...usual, ":path": traceService });
  stream.on("error", () => {});
  stream.write(Buffer.from([0, 0, 0, 200, 0]));
  const timer = setInterval(() => stream.writable && stream.write("x"), 200);
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  clearInterval(timer);
  const details = Buffer.from(headers["grpc-status-details-bin"] ?? "", "base64");
  return `${headers["grpc-status"]} ${details.includes("google.rpc.RetryInfo")}`;
}

test("over gRPC each of a thousand slow calls has a status, overload with RetryInfo", async () => {
  const bounds = { connectionsMax: 200, connectionsPerAddressMax: 150 };
  const harness = await openGrpcHarness({ grpc: bounds });
  const sessions: ClientHttp2Session[] = [];
  try {
    const read = await Promise.all(
      Array.from({ length: 1_000 }, () => callSlowly(harness.grpc.url, sessions)),
    );
    // DEADLINE_EXCEEDED and UNAVAILABLE, both of which OTLP retries.
    expect([...new Set(read)].toSorted()).toEqual(["14 true", "4 false"]);
  } finally {
    for (const session of sessions) session.destroy();
    await harness.close();
  }
}, 90_000);

test("over gRPC who gives way without a call reads GOAWAY", async () => {
  const bounds = { connectionsMax: 4, connectionsPerAddressMax: 4, sparesMax: 8 };
  const harness = await openGrpcHarness({ grpc: bounds });
  const sessions = Array.from({ length: 8 }, () => connectHttp2(harness.grpc.url));
  const left: number[] = [];
  for (const session of sessions) {
    session.on("error", () => {});
    session.on("goaway", (code) => left.push(code));
  }
  const later: Socket[] = [];
  try {
    await sleep(700);
    const silent = await open(harness.grpc.port);
    let text = "";
    silent.on("data", (chunk: Buffer) => (text += chunk.toString("hex")));
    await sleep(700);
    for (let count = 0; count < 30; count += 1) later.push(await open(harness.grpc.port));
    for (const socket of later) socket.on("error", () => {});
    await vi.waitFor(() => expect(text).toMatch(/^0{6}04.*0{5}807/));
    expect(left.length).toBeGreaterThan(0);
    expect(left.filter((code) => code !== 0)).toEqual([]);
  } finally {
    for (const session of sessions) session.destroy();
    for (const socket of later) socket.destroy();
    await harness.close();
  }
});
