/**
 * Large answers that are in memory as a whole are bounded until they are read, for each principal
 * and for all (faults H10).
 */
import { once } from "node:events";
import type { Socket } from "node:net";

import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Principal } from "../../../collector/src/access/principal.ts";
import type { AppEnv } from "../../../collector/src/http/environment.ts";
import type { Endpoints } from "../../../collector/src/http/endpoint.ts";
import { createErrorHandler } from "../../../collector/src/http/errors.ts";
import { bufferedResponses } from "../../../collector/src/http/buffered-responses.ts";
import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

const endpoint = { needs: "trace.read", id: "large", summary: "", returns: "" } as const;
const endpoints: Endpoints = { "GET /large": { ...endpoint, whole: true }, "GET /small": endpoint };
/** More than the system takes for a reader that reads nothing. */
const large = new Uint8Array(24 * 2 ** 20);
const log = createLog("json", () => {});

/** Answers that are being made wait for this. */
let made: Promise<void>;
let server: Listening;
const sockets: Socket[] = [];
/** What ends the answers of the principals. */
let ended: AbortController;

beforeEach(async () => {
  made = Promise.resolve();
  ended = new AbortController();
  const streams = { hold: () => ({ signal: ended.signal, release: () => {} }) };
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("requestId", "one");
    c.set("route", `GET ${c.req.path}`);
    c.set("principal", { name: c.req.header("x-name") } as Principal);
    await next();
  });
  app.use(bufferedResponses(endpoints, streams, { perPrincipalMax: 2, allMax: 3 }));
  app.get("/large", async (c) => {
    await made;
    return c.body(large);
  });
  app.get("/small", (c) => c.text("small"));
  app.onError(createErrorHandler(log, null));
  server = await listen(app, { host: "127.0.0.1", port: 0, log });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close(100);
});

const get = (target: string, name: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Name: ${name}\r\nConnection: close\r\n\r\n`;

/** A request of the large answer, of which a first byte is read and then nothing. */
async function unread(name: string): Promise<Socket> {
  const socket = await open(server.port);
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(get("/large", name));
  await once(socket, "readable");
  socket.read(1);
  return socket;
}

const statusOf = async (target: string, name: string): Promise<readonly number[]> =>
  statuses((await exchange(server.port, get(target, name), 10_000)).slice(0, 400));

/**
 * Waits until the large answer is served again; on a busy machine a place is free some time later.
 */
const served = (name: string): Promise<void> =>
  vi.waitFor(async () => expect(await statusOf("/large", name)).toEqual([200]), {
    timeout: 30_000,
    interval: 100,
  });

test("a principal has a few until they are read; others and small answers are served", async () => {
  const held = [await unread("ada"), await unread("ada")];
  const refused = await exchange(server.port, get("/large", "ada"), 10_000);
  expect(statuses(refused)).toEqual([503]);
  expect(refused).toMatch(/^retry-after: \d+\r$/im);
  expect(refused).toContain('"overloaded"');
  expect(await statusOf("/small", "ada")).toEqual([200]);
  expect(await statusOf("/large", "bea")).toEqual([200]);
  held[0]?.resume();
  await served("ada");
  held[1]?.destroy();
  await served("ada");
});

test("all principals together have a few more", async () => {
  for (const name of ["ada", "bea", "cleo"]) await unread(name);
  expect(await statusOf("/large", "dan")).toEqual([503]);
  sockets[1]?.destroy();
  await served("dan");
});

test("one whose reader left counts until it is made", async () => {
  const release = Promise.withResolvers<void>();
  made = release.promise;
  for (let index = 0; index < 2; index += 1) {
    const socket = await open(server.port);
    socket.write(get("/large", "ada"));
    await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0));
    // It has arrived where the next one of another principal is answered.
    expect(await statusOf("/small", "bea")).toEqual([200]);
    socket.destroy();
    await once(socket, "close");
  }
  expect(await statusOf("/large", "ada")).toEqual([503]);
  release.resolve();
  await served("ada");
});

test("one that is being read ends with its session, and not when the collector closes", async () => {
  const socket = await unread("ada");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  ended.abort("session_ended");
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(large.byteLength);
  ended = new AbortController();
  const other = await unread("ada");
  ended.abort();
  const whole = new Promise<void>((resolve) => other.once("close", () => resolve()));
  other.resume();
  await whole;
  expect(other.bytesRead).toBeGreaterThan(large.byteLength);
});
