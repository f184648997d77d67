/**
 * A walk over pages ends with `cursor_rejected` when what it partly read has changed, on every
 * backend and route (requirements: Endpoints 3); its pages carry one mark.
 */
import { joinPages } from "@turnproof/evidence";
import type { EventPage, PageRead, TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openBackends } from "./backends.ts";
import type { BackendCase, BackendCases } from "./backends.ts";
import { recordEvents, turnEvents } from "./desk.ts";

const names = ["ephemeral", "filesystem", "clickhouse", "postgres", "mongodb"] as const;

let opened: BackendCases;
let serial = 0;

beforeAll(async () => {
  opened = await openBackends({}, {}, []);
  for (const one of opened.cases) {
    for (let index = 0; index < 4; index += 1)
      await put(one, turnEvents({ root: `walk-${index}` }));
  }
});
afterAll(() => opened[Symbol.asyncDispose]());

const seconds = (index: number): string => String(index).padStart(2, "0");

/** Stores events as received now, a second after whatever came before. */
async function put(one: BackendCase, events: readonly TurnEvent[]): Promise<void> {
  serial += 1;
  const at = Math.floor(serial / 60);
  const receivedAt = `2026-11-21T1${at}:00:${seconds(serial % 60)}.000000Z`;
  await one.collector.store.append({ batchId: `walk-${serial}`, receivedAt, events });
  await recordEvents(one.collector.store, events);
}

async function request(one: BackendCase, path: string): Promise<Response> {
  return one.collector.app.request(`http://localhost:4318${path}`);
}

interface AnyPage {
  readonly next_cursor: string | null;
  readonly as_of: string;
  readonly window?: { readonly next_cursor: string | null };
}

async function firstCursor(one: BackendCase, path: string): Promise<string> {
  const page = (await (await request(one, path)).json()) as AnyPage;
  const cursor = page.window?.next_cursor ?? page.next_cursor;
  if (cursor === null) throw new Error(`${path}: one page`);
  return cursor;
}

async function goesOn(one: BackendCase, path: string, cursor: string): Promise<string> {
  const response = await request(one, `${path}&cursor=${cursor}`);
  if (response.status === 200) return "read";
  return ((await response.json()) as { code: string }).code;
}

/** One more event of the root: for example a refused delivery. */
const refusal = (root: string): TurnEvent[] => [
  {
    ...(turnEvents({ root })[0] as TurnEvent),
    event_id: `${root}-refusal-${serial}`,
    event_kind: "delivery",
    phase: "event",
    status: "error",
    span_id: `${root}-refusal`,
    attributes: { emitted: true, acknowledged: false },
  },
];

describe.each(names)("%s", (name) => {
  const all = (): readonly BackendCase[] => opened.cases.filter((one) => one.name.startsWith(name));

  test("is among the backends", () => {
    expect(all().length).toBeGreaterThan(0);
  });

  test.each([
    ["a root", "/traces/events.json?root_trace_id=walk-1&limit=2"],
    ["a turn", "/traces/events.json?turn_id=walk-1-turn&limit=2"],
    ["records", "/traces/events.json?view=bundles&limit=1"],
  ])("%s", async (what, path) => {
    for (const one of all()) {
      const quiet = await firstCursor(one, path);
      await put(one, turnEvents({ root: `${name}-elsewhere-${serial}` }));
      expect([one.name, what, await goesOn(one, path, quiet)]).toEqual([one.name, what, "read"]);
      const cursor = await firstCursor(one, path);
      const root = await standingRoot(one, path);
      await put(one, refusal(root));
      const code = await goesOn(one, path, cursor);
      expect([one.name, what, code]).toEqual([one.name, what, "cursor_rejected"]);
    }
  });

  test.each([
    ["events", "/traces/events.json?limit=2"],
    ["a search", "/traces/find.json?id=thread-1&limit=2"],
  ])("%s, where one was recorded again, and where one came beside it", async (_what, path) => {
    for (const one of all()) {
      const [kept, changed] = [`${name}-kept-${++serial}`, `${name}-changed-${++serial}`];
      await put(one, turnEvents({ root: kept }));
      await put(one, turnEvents({ root: changed }));
      const cursor = await firstCursor(one, path);
      await put(one, refusal(kept));
      await put(one, refusal(changed));
      expect([one.name, await goesOn(one, path, cursor)]).toEqual([one.name, "read"]);
      for (const event of turnEvents({ root: changed })) {
        await put(one, [{ ...event, status: "error", duration_ms: 7 }]);
      }
      expect([one.name, await goesOn(one, path, cursor)]).toEqual([one.name, "cursor_rejected"]);
    }
  });

  test("a list of turns goes on: each keeps its place, whatever comes to it later", async () => {
    for (const one of all()) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${cursor}`;
        const page = (await (await request(one, `/traces/turns.json?limit=1${after}`)).json()) as {
          items: { root_trace_id: string }[];
          next_cursor: string | null;
        };
        seen.push(...page.items.map((row) => row.root_trace_id));
        cursor = page.next_cursor;
        if (seen.length === 1) await put(one, refusal("walk-0"));
        if (seen.length === 2) await put(one, refusal(seen[0] ?? ""));
      } while (cursor !== null);
      expect([one.name, seen.length]).toEqual([one.name, new Set(seen).size]);
      const walked = ["walk-0", "walk-1", "walk-2", "walk-3"];
      expect([one.name, seen.filter((root) => walked.includes(root)).toSorted()]).toEqual([
        one.name,
        walked,
      ]);
    }
  });

  test("threads are met once each, though their turns stand on several pages", async () => {
    for (const one of all()) {
      const mark = `${name}-thread-${++serial}`;
      const events = [0, 1, 2, 3, 4, 5].flatMap((n) =>
        turnEvents({ root: `${mark}-${n}`, agent: mark, thread: `${mark}-${n % 3}` }),
      );
      await put(one, events.slice(0, 9));
      await put(one, events.slice(9));
      const seen: (string | null)[] = [];
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${cursor}`;
        const path = `/threads.json?agent_id=${mark}&limit=2${after}`;
        const page = (await (await request(one, path)).json()) as {
          items: { thread_id: string | null; turns: number }[];
          next_cursor: string | null;
          turns_counted: number;
        };
        expect(page.turns_counted).toBe(6);
        for (const item of page.items) expect([one.name, item.turns]).toEqual([one.name, 2]);
        seen.push(...page.items.map((item) => item.thread_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(new Set(seen)).toEqual(new Set([`${mark}-0`, `${mark}-1`, `${mark}-2`]));
      expect(seen).toHaveLength(3);
    }
  });

  test("agents are met once each, the one that spoke last first", async () => {
    for (const one of all()) {
      const seen: (string | null)[] = [];
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${cursor}`;
        const page = (await (await request(one, `/agents.json?limit=1${after}`)).json()) as {
          items: { agent_id: string | null }[];
          next_cursor: string | null;
        };
        expect(page.items).toHaveLength(1);
        seen.push(...page.items.map((item) => item.agent_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toContain("helper");
      expect([one.name, seen.length]).toEqual([one.name, new Set(seen).size]);
    }
  });

  test("pages of one walk carry one mark, and joined they are whole", async () => {
    for (const one of all()) {
      const reads: PageRead[] = [];
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? "" : `&cursor=${cursor}`;
        const path = `/traces/events.json?root_trace_id=walk-2&limit=1${after}`;
        const page = (await (await request(one, path)).json()) as EventPage;
        reads.push({ cursor, page });
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(new Set(reads.map(({ page }) => page.as_of)).size).toBe(1);
      const { normalization_metadata: metadata, events } = joinPages(reads);
      expect([one.name, metadata.window_complete, events.length]).toEqual([
        one.name,
        true,
        reads.length,
      ]);
    }
  });
});

/** The root in which the first page of the path ends. */
async function standingRoot(one: BackendCase, path: string): Promise<string> {
  const named = /(walk-\d)/.exec(path);
  if (named !== null) return named[1] ?? "";
  const bundles = path.includes("view=bundles");
  const newest = bundles ? path : "/traces/turns.json?limit=1";
  const { items } = (await (await request(one, newest)).json()) as {
    items: { root_trace_id?: string; payload?: { identity: { root_trace_id: string } } }[];
  };
  return items[0]?.root_trace_id ?? items[0]?.payload?.identity.root_trace_id ?? "";
}
