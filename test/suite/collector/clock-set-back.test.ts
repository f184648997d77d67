/**
 * A collector that was started while its machine's clock was a day ahead, and whose clock is set
 * right: on every backend what arrives then is newest, and nothing of either day is left out or
 * listed twice (faults R29).
 */
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import { openBackends } from "./backends.ts";
import type { BackendCase, BackendCases } from "./backends.ts";

const dayMs = 86_400_000;
const right = Date.parse("2026-11-21T12:00:00.000Z");
const clock = { now: right + dayMs };

let opened: BackendCases;
beforeAll(async () => {
  opened = await openBackends({}, { now: () => clock.now }, []);
}, 240_000);
afterAll(() => opened[Symbol.asyncDispose]());

const url = (path: string): string => `http://127.0.0.1:4318${path}`;

/** A turn of an app on the same machine: its spans have the same clock. */
async function send({ collector }: BackendCase, n: number): Promise<void> {
  const at = (ms: number): string => `${clock.now + ms}000000`;
  const span = {
    traceId: n.toString(16).padStart(32, "0"),
    spanId: n.toString(16).padStart(16, "0"),
    name: "invoke_agent helper",
    startTimeUnixNano: at(-500),
    endTimeUnixNano: at(-100),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": `thread-${n}`,
    },
  };
  const response = await collector.app.request(url("/v1/traces"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(traceRequest([span])),
  });
  expect(response.status).toBe(200);
}

interface Listed {
  readonly items: readonly {
    readonly thread_id?: string;
    /** Of a bundle. */
    readonly payload?: { readonly identity: { readonly thread_id: string } };
  }[];
  readonly next_cursor: string | null;
}

/** The threads of the turns, or of another list, page by page. */
async function walk(
  { collector }: BackendCase,
  limit: number,
  query = "",
  list = "/traces/turns.json",
): Promise<string[]> {
  const threads: string[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `${list}?limit=${limit}${query}${more}`;
    const response = await collector.app.request(url(path));
    expect([path, response.status]).toEqual([path, 200]);
    const page = (await response.json()) as Listed;
    expect(page.items.length > 0 || page.next_cursor === null).toBe(true);
    threads.push(...page.items.map(threadOf));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return threads;
}

function threadOf({ thread_id: thread, payload }: Listed["items"][number]): string {
  return thread ?? payload?.identity.thread_id ?? "";
}

/** Lists of events, and the grouped lists of threads and agents. */
const otherLists: readonly (readonly [list: string, query: string])[] = [
  ["/traces/events.json", ""],
  ["/traces/events.json", "&view=bundles"],
  ["/traces/events.json", "&agent_id=helper"],
  ["/threads.json", ""],
];

/** Last event of the agent, epoch milliseconds. */
async function lastSeen({ collector }: BackendCase): Promise<number> {
  const response = await collector.app.request(url("/agents.json"));
  const { items } = (await response.json()) as {
    readonly items: readonly { readonly last_at: string }[];
  };
  return Date.parse(items[0]?.last_at ?? "");
}

describe("after the clock is set right", () => {
  test("on each backend what arrives is newest, and every page is whole", async () => {
    for (const backend of opened.cases) {
      clock.now = right + dayMs;
      for (const n of [1, 2, 3]) {
        await send(backend, n);
        clock.now += 1_000;
      }
      const known = async (count: number): Promise<void> => {
        const stored = async (): Promise<void> =>
          expect([backend.name, (await walk(backend, 50)).length]).toEqual([backend.name, count]);
        await vi.waitFor(stored, { timeout: 60_000, interval: 100 });
      };
      await known(3);
      // The newest of three whose time is now.
      expect(await walk(backend, 50)).toEqual(["thread-3", "thread-2", "thread-1"]);
      clock.now = right;
      for (const n of [4, 5]) {
        await send(backend, n);
        clock.now += 1_000;
      }
      await known(5);
      const newest = ["thread-5", "thread-4", "thread-3", "thread-2", "thread-1"];
      for (const limit of [1, 2, 3, 4, 5, 50]) {
        expect([backend.name, limit, await walk(backend, limit)]).toEqual([
          backend.name,
          limit,
          newest,
        ]);
      }
      expect(await walk(backend, 2, "&thread_id=thread-4")).toEqual(["thread-4"]);
      for (const [list, query] of otherLists) {
        for (const limit of [1, 2, 3, 4, 5, 50]) {
          const of = [backend.name, list, query, limit];
          expect([...of, await walk(backend, limit, query, list)]).toEqual([...of, newest]);
        }
      }
      expect(await lastSeen(backend)).toBe(right + 900);
      // Once their time has come they are in their place.
      clock.now = right + 2 * dayMs;
      const later = ["thread-3", "thread-2", "thread-1", "thread-5", "thread-4"];
      for (const [list, query] of [["/traces/turns.json", ""] as const, ...otherLists]) {
        expect([list, query, await walk(backend, 2, query, list)]).toEqual([list, query, later]);
      }
    }
  }, 240_000);

  test("a live tail goes on, and one that is resumed too", async () => {
    const [reference] = opened.cases;
    if (reference === undefined) throw new Error("no backend");
    clock.now = right + 3 * dayMs;
    await using first = await tail(
      reference,
      `?since=${new Date(clock.now - 1_000).toISOString()}`,
    );
    await send(reference, 11);
    await first.has("thread-11");
    clock.now = right + 2 * dayMs + 60_000;
    await send(reference, 12);
    const id = await first.has("thread-12");
    expect(first.threads).toEqual(["thread-11", "thread-12"]);
    const ahead = `${new Date(right + 3 * dayMs).toISOString()}~${id.split("~")[1]}`;
    await using resumed = await tail(reference, "", { "last-event-id": ahead });
    await send(reference, 13);
    await resumed.has("thread-13");
  });
});

/** A live tail, by the threads of what it sends. */
async function tail(
  { collector }: BackendCase,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly threads: string[]; has(thread: string): Promise<string> }> {
  const response = await collector.app.request(url(`/traces/live${query}`), { headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const ids: string[] = [];
  const threads: string[] = [];
  let text = "";
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
      if (done) return;
      text += value;
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages.filter((one) => one.includes("event: event"))) {
        ids.push(/^id: (.*)$/m.exec(message)?.[1] ?? "");
        const event = JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? "{}") as TurnEvent;
        threads.push(event.thread_id ?? "");
      }
    }
  })().catch(() => {});
  return {
    threads,
    has: (thread) =>
      vi.waitFor(
        () => {
          expect(threads).toContain(thread);
          return ids[threads.indexOf(thread)] ?? "";
        },
        { timeout: 20_000, interval: 50 },
      ),
    async [Symbol.asyncDispose]() {
      await reader?.cancel();
      await reading;
    },
  };
}
