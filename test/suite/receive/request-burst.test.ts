/**
 * Requests that arrive at once are worked on in parts, so that a health check among them is
 * answered before most of them (faults R17, H10).
 */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { expect, test } from "vitest";

import { createLog } from "../../../collector/src/log.ts";
import { listenGrpc } from "../../../collector/src/receive/grpc/grpc-server.ts";
import type { Intake } from "../../../collector/src/receive/otlp/intake.ts";
import { listen } from "../../../collector/src/server.ts";
import { clientOf, healthCheck, traceService, unary } from "./grpc-client.ts";
import { open, statuses } from "./raw-socket.ts";

const get = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

/** Occupies the thread. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("of a hundred requests at once most wait for the health check that came last", async () => {
  const log = createLog("json", () => {});
  let [worked, workedBefore] = [0, 0];
  const app = new Hono()
    .get("/healthz", (c) => {
      workedBefore = worked;
      return c.text("ok");
    })
    .get("/", (c) => {
      work(4);
      worked += 1;
      return c.text("done");
    });
  const server = await listen(app, { host: "127.0.0.1", port: 0, log });
  const sockets = await Promise.all(Array.from({ length: 101 }, () => open(server.port)));
  await sleep(100);
  const answers = sockets.map(async (socket, index) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.write(get(index === 100 ? "/healthz" : "/"));
    await ended;
    return statuses(text);
  });
  expect((await Promise.all(answers)).flat()).toEqual(sockets.map(() => 200));
  expect(worked).toBe(100);
  expect(workedBefore).toBeLessThan(50);
  await server.close();
});

/** A receiver whose every call takes 4 ms of the thread, and whose health notes how many did. */
async function busyReceiver() {
  const counted = { worked: 0, workedBefore: 0 };
  const intake: Intake = {
    take: async () => {
      work(4);
      counted.worked += 1;
      return {};
    },
  };
  const serving = (): boolean => {
    counted.workedBefore = counted.worked;
    return true;
  };
  const log = createLog("json", () => {});
  const options = { host: "127.0.0.1", port: 0, httpPort: 1, log };
  return { counted, grpc: await listenGrpc({ intake, serving }, options) };
}

test("of a hundred calls at once most wait for the health check that came last", async () => {
  const { counted, grpc } = await busyReceiver();
  const headers = { ":method": "POST", ":path": traceService, "content-type": "application/grpc" };
  const health = clientOf(grpc.port);
  await unary(health, healthCheck, new Uint8Array());
  const sessions = Array.from({ length: 10 }, () => connectHttp2(grpc.url));
  await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
  const ended = sessions.flatMap((session) =>
    Array.from({ length: 10 }, async () => {
      const stream = session.request({ ...headers, te: "trailers" });
      stream.resume();
      stream.end();
      await once(stream, "close");
    }),
  );
  await unary(health, healthCheck, new Uint8Array());
  await Promise.all(ended);
  expect(counted.worked).toBe(100);
  expect(counted.workedBefore).toBeLessThan(50);
  for (const session of sessions) session.close();
  health.close();
  await grpc.close();
});

test("a client that sends more calls at once than a connection may open has them all taken", async () => {
  const { counted, grpc } = await busyReceiver();
  const client = clientOf(grpc.port);
  const calls = Array.from({ length: 150 }, () => unary(client, traceService, new Uint8Array(1)));
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(calls.map(() => 0));
  expect(counted.worked).toBe(150);
  client.close();
  await grpc.close();
});
