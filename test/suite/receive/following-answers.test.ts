/**
 * An answer whose body fails after its headers were sent looks whole to no reader, and its error
 * reaches neither the reader nor the log (faults W9).
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AppEnv } from "../../../collector/src/http/environment.ts";
import { followingAnswers } from "../../../collector/src/http/following-answers.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
import { open } from "./raw-socket.ts";

const secret = "content-of-a-turn";
const piece = new Uint8Array(64 * 1024).fill(97);
const pieces = 40;
const written: string[] = [];

let server: Listening;
/** Pieces after which the body fails, and the reason. */
let failure: { readonly after: number; readonly reason: unknown } | undefined;

beforeEach(async () => {
  failure = undefined;
  written.length = 0;
  const log = createLog("json", (line) => void written.push(line));
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("requestId", "one");
    c.set("route", "GET /file");
    await next();
  });
  app.use(followingAnswers(log));
  app.get("/file", (c) => {
    c.set("bodyFollows", true);
    let sent = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        await sleep(1);
        if (sent === failure?.after) controller.error(failure.reason);
        else if (sent++ === pieces) controller.close();
        else controller.enqueue(piece);
      },
    });
    return c.body(body);
  });
  server = await listen(app, { host: "127.0.0.1", port: 0, log });
});
afterEach(() => server.close(100));

interface Answered {
  readonly text: string;
  readonly error: string | undefined;
}

/** Requests the file and reads what comes until the connection is closed. */
async function answered(version: string, readsFrom = 0): Promise<Answered> {
  const socket: Socket = await open(server.port);
  socket.removeAllListeners("error");
  let text = "";
  let error: string | undefined;
  socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code));
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write(`GET /file HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  if (readsFrom > 0) {
    socket.pause();
    setTimeout(() => socket.resume(), readsFrom);
  }
  await once(socket, "close").catch(() => {});
  return { text, error };
}

const printed = vi.spyOn(console, "error");

test("a whole one ends with the last chunk", async () => {
  const { text, error } = await answered("1.1");
  expect(error).toBeUndefined();
  expect(text.endsWith("\r\n0\r\n\r\n")).toBe(true);
  expect(written).toEqual([]);
});

test.each([
  ["an error", new Error(secret), 0],
  ["an error of which a slow reader has read nothing", new Error(secret), 300],
  ["the end of its session", "session_ended", 0],
])("one that fails by %s is broken off", async (_name, reason, readsFrom) => {
  failure = { after: 20, reason };
  const { text, error } = await answered("1.1", readsFrom);
  expect(text.endsWith("\r\n0\r\n\r\n")).toBe(false);
  expect(text).not.toContain("Error");
  expect(error).toBe("ECONNRESET");
  expect(printed).not.toHaveBeenCalled();
  expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      event: "answer_broken_off",
      code: reason === "session_ended" ? reason : "internal_error",
      route: "GET /file",
      request_id: "one",
    }),
  ]);
  expect(written.join("")).not.toContain(secret);
});

test("a reader of HTTP/1.0, to which the end of the connection is the end, sees the reset", async () => {
  failure = { after: 20, reason: new Error(secret) };
  const { error } = await answered("1.0");
  expect(error).toBe("ECONNRESET");
});
