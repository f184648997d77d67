/** The gRPC port of a real process: where it listens, and what happens when it is taken. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { clientOf, traceService, unary } from "../receive/grpc-client.ts";
import { chat } from "../receive/harness.ts";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const body = encodeProtobuf(traceRequest([chat(1)]));
let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill("SIGKILL");
});

/** Starts a collector and returns its log once it has `event`. */
async function start(event: string, args: readonly string[]): Promise<() => string> {
  const started = spawn(process.execPath, [bin, "--port", "0", ...args], {
    env: {
      PATH: process.env["PATH"] ?? "",
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "turnproof-grpc-")),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child = started;
  let log = "";
  started.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  while (!log.includes(`"event":"${event}"`)) await once(started.stderr, "data");
  return () => log;
}

const urlOf = (event: string, log: string): URL =>
  new URL(new RegExp(`"event":"${event}","url":"([^"]+)"`).exec(log)?.[1] ?? "");

test("it serves gRPC on loopback beside HTTP, and ends with it", async () => {
  const log = await start("listening_grpc", []);
  const { hostname, port } = urlOf("listening_grpc", log());
  expect(hostname).toBe("127.0.0.1");
  const client = clientOf(Number(port));
  expect((await unary(client, traceService, body)).code).toBe(0);
  const exit = once(child as ChildProcess, "exit");
  child?.kill("SIGTERM");
  expect((await exit)[0]).toBe(0);
  client.close();
});

test("a port that is taken is a warning, and HTTP is served", async () => {
  const other = createServer();
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const taken = (other.address() as AddressInfo).port;
  const log = await start("grpc_not_served", ["--grpc-port", String(taken)]);
  expect(log()).toContain(`Port ${taken} cannot be listened on: OTLP/gRPC is not served`);
  while (!log().includes('"event":"listening"')) await once(child?.stderr as Readable, "data");
  const url = urlOf("listening", log());
  const headers = { "content-type": "application/x-protobuf" };
  const answer = await fetch(new URL("/v1/traces", url), {
    method: "POST",
    headers,
    body: body as BodyInit,
  });
  expect(answer.status).toBe(200);
  const lost = clientOf(Number(url.port));
  expect((await unary(lost, traceService, body)).message).toBe(
    "This port takes OTLP/HTTP; OTLP/gRPC is not served here.",
  );
  lost.close();
  other.close();
});

test("off serves none", async () => {
  const log = await start("listening", ["--grpc-port", "off"]);
  expect((await fetch(new URL("/healthz", urlOf("listening", log())))).status).toBe(200);
  expect(log()).not.toContain('"event":"listening_grpc"');
});
