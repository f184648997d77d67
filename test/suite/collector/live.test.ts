/** The live tail: filters, scope, ids to go on from, and no event twice. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts });
});
afterAll(() => desk.collector.close());

interface Tail {
  readonly ids: string[];
  readonly roots: string[];
  stop(): Promise<void>;
}

async function tail(name: string, query = "", headers: Record<string, string> = {}): Promise<Tail> {
  const response = await desk.get(`/traces/live${query}`, {
    authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
    ...headers,
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const ids: string[] = [];
  const roots: string[] = [];
  let buffer = "";
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
      if (done) return;
      buffer += value;
      const messages = buffer.split("\n\n");
      buffer = messages.pop() ?? "";
      for (const message of messages.filter((text) => text.includes("event: event"))) {
        ids.push(/^id: (.*)$/m.exec(message)?.[1] ?? "");
        const data = /^data: (.*)$/m.exec(message)?.[1] ?? "{}";
        roots.push((JSON.parse(data) as { root_trace_id: string }).root_trace_id);
      }
    }
  })().catch(() => {});
  return {
    ids,
    roots,
    stop: async () => {
      await reader?.cancel();
      await reading;
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000 && !holds(); waited += 50) await sleep(50);
  expect(holds()).toBe(true);
}

test("new events arrive once, inside filters and scope, and a resumed tail goes on", async () => {
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString().replace("Z", "000Z");
  const [all, alice, tools] = await Promise.all([
    tail("otto"),
    tail("alice"),
    tail("otto", "?event_kind=tool_call"),
  ]);
  await desk.put(turnEvents({ root: "live-alice", user: "alice" }), at(0));
  await desk.put(turnEvents({ root: "live-bob", user: "bob" }), at(5));
  await until(() => all.ids.length === 6 && alice.ids.length === 3 && tools.ids.length === 2);
  await sleep(1_500);
  expect(new Set(all.ids).size).toBe(6);
  expect(all.ids).toHaveLength(6);
  expect(new Set(alice.roots)).toEqual(new Set(["live-alice"]));
  const last = all.ids.at(-1) ?? "";
  await all.stop();
  await desk.put(turnEvents({ root: "live-later", user: "alice" }), at(10));
  const resumed = await tail("otto", "", { "last-event-id": last });
  await until(() => resumed.roots.filter((root) => root === "live-later").length === 3);
  await Promise.all([alice.stop(), tools.stop(), resumed.stop()]);
});

test("a tail goes on from the list beside it: nothing between the two is missed", async () => {
  const otto = { authorization: "Bearer otto-q7KxZt4Wm9Rc2Yd8" };
  const list = await desk.json<{ as_of: string }>("/traces/turns.json?limit=1", otto);
  expect(Math.abs(Date.parse(list.as_of) - Date.now())).toBeLessThan(60_000);
  const at = (ms: number): string =>
    new Date(Date.parse(list.as_of) + ms).toISOString().replace("Z", "000Z");
  // Received long before the list was read, just before it, and between it and the tail.
  await desk.put(turnEvents({ root: "since-old", user: "bob" }), at(-60_000));
  await desk.put(turnEvents({ root: "since-flying", user: "bob" }), at(-500));
  await desk.put(turnEvents({ root: "since-between", user: "bob" }), at(1));
  await sleep(50);
  const [since, now] = [await tail("otto", `?since=${list.as_of}`), await tail("otto")];
  const count = (of: Tail, root: string): number => of.roots.filter((one) => one === root).length;
  await until(() => count(since, "since-between") === 3 && count(since, "since-flying") === 3);
  expect(count(since, "since-old")).toBe(0);
  expect(count(now, "since-between")).toBe(0);
  await Promise.all([since.stop(), now.stop()]);
  expect((await desk.get("/traces/live?since=never", otto)).status).toBe(400);
});

test("a tail refuses what a page refuses", async () => {
  const headers = { authorization: "Bearer alice-q7KxZt4Wm9Rc2Yd8" };
  expect((await desk.get("/traces/live?user_id=bob", headers)).status).toBe(403);
  expect((await desk.get("/traces/live?limit=5", headers)).status).toBe(400);
  expect((await desk.get("/traces/live")).status).toBe(401);
});

test("a tail beats once it was silent for 15 seconds, and not before", async () => {
  let now = Date.parse("2026-11-21T12:00:00.000Z");
  const own = await openDesk({}, { now: () => now, judge: false });
  const response = await own.get("/traces/live");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const reading = (async () => {
    for await (const piece of chunks(reader)) text += piece;
  })();
  await expect.poll(() => text, { timeout: 30_000 }).toContain("event: hello");
  now += 14_999;
  await own.put(turnEvents({ root: "root-live" }), new Date(now).toISOString());
  await expect.poll(() => text.match(/event: event/g), { timeout: 30_000 }).toHaveLength(3);
  expect(text).not.toContain("heartbeat");
  // The tail looks at its clock when it looks for events, some time after they were written.
  const later = (): string => {
    now += 15_000;
    return text;
  };
  await expect.poll(later, { timeout: 30_000 }).toContain("event: heartbeat\ndata: {}\n\n");
  await reader.cancel();
  await reading;
  await own.collector.close();
});

async function* chunks(reader: ReadableStreamDefaultReader<string>): AsyncGenerator<string> {
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}
