/**
 * @module Compression over HTTP: who can read it gets it, what another site began never does, and
 * the body is the same either way.
 */
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";

import { compress } from "../../../collector/src/http/compress.ts";
import type { AppEnv } from "../../../collector/src/http/environment.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(async () => {
  // The list holds when it was read, so the clock stands still.
  const now = Date.parse("2026-11-21T12:00:00Z");
  desk = await openDesk({}, { now: () => now });
  await desk.put(["a", "b", "c"].flatMap((root) => turnEvents({ root, user: "usr_amara" })));
});

afterAll(() => desk.collector.close());

const list = "/traces/turns.json";

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

test.each([
  { accepts: "gzip, deflate, br, zstd", coding: "br", unpack: brotliDecompressSync },
  { accepts: "GZIP;q=0.5", coding: "gzip", unpack: gunzipSync },
  { accepts: "br;q=0, gzip", coding: "gzip", unpack: gunzipSync },
])("$accepts gets $coding, and the same body", async ({ accepts, coding, unpack }) => {
  const plain = await bytesOf(await desk.get(list));
  const packed = await desk.get(list, { "accept-encoding": accepts });
  expect(packed.headers.get("content-encoding")).toBe(coding);
  expect(packed.headers.get("vary")).toBe("Accept-Encoding");
  expect(packed.headers.get("cache-control")).toBe("no-store");
  const bytes = await bytesOf(packed);
  expect(bytes.length).toBeLessThan(plain.length / 2);
  // Two requests have two marks of the same length.
  const markless = (body: Buffer): string => body.toString().replace(/"as_of":"[^"]*"/, "");
  expect(markless(unpack(bytes))).toBe(markless(plain));
});

test("a page is compressed as its twin is", async () => {
  const page = await desk.get("/traces", { accept: "text/html", "accept-encoding": "br" });
  expect(page.headers.get("content-encoding")).toBe("br");
  expect(brotliDecompressSync(await bytesOf(page)).toString()).toContain("<!doctype html>");
});

test.each([
  { name: "nobody asked", headers: {} },
  { name: "both refused", headers: { "accept-encoding": "br;q=0, gzip;q=0.0" } },
  {
    name: "another site began it",
    headers: { "accept-encoding": "br", "sec-fetch-site": "cross-site" },
  },
  {
    name: "a sibling host began it",
    headers: { "accept-encoding": "br", "sec-fetch-site": "same-site" },
  },
  {
    name: "a cookie, and no word of who began it",
    headers: { "accept-encoding": "br", cookie: "session=x" },
  },
])("as it is: $name", async ({ headers }) => {
  const response = await desk.get(list, headers);
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(((await response.json()) as { items: unknown[] }).items).toHaveLength(3);
});

test("what our own page asks for with its cookie is compressed", async () => {
  const headers = { "accept-encoding": "br", "sec-fetch-site": "same-origin", cookie: "s=x" };
  const response = await desk.get(list, headers);
  expect(response.headers.get("content-encoding")).toBe("br");
  await response.arrayBuffer();
});

test("a tail of events is never held back", async () => {
  const response = await desk.get("/traces/live", { "accept-encoding": "br" });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("content-encoding")).toBeNull();
  await response.body?.cancel();
});

test("a body of a packet stays as it is", async () => {
  const response = await desk.get("/traces/turns.json?agent_id=nobody", {
    "accept-encoding": "br",
  });
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(response.headers.get("vary")).toBe("Accept-Encoding");
  expect(((await response.json()) as { items: unknown[] }).items).toEqual([]);
});

test("an answer of a reading thread names what it varies by once", async () => {
  // The thread and the process that hands its answer on both compress.
  const thread = new Hono<AppEnv>().use(compress()).get("/", (c) => c.json({ turns: 0 }));
  const app = new Hono<AppEnv>().use(compress()).get("/", (c) => thread.fetch(c.req.raw));
  const answer = await app.request("/", { headers: { "accept-encoding": "br" } });
  expect(answer.headers.get("vary")).toBe("Accept-Encoding");
});
