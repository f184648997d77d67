/**
 * Requests that arrive at once are worked on in parts, so that a health check among them is
 * answered before most of them (faults R17, H10).
 */
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { expect, test } from "vitest";

import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
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
