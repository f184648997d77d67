/**
 * The incident finder: every identifier of the requirements, with time filters and pages, inside
 * the caller's scope (requirements: Endpoints).
 */
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  root: { token: "root-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
  nobody: { token: "nobody-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: null },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

interface Found {
  readonly places: readonly { readonly place: string; readonly reach: string; message: string }[];
  readonly pending_frames: number;
  readonly requested: boolean;
  readonly items: readonly {
    readonly root_trace_id: string;
    readonly matched_by: readonly string[];
    readonly event_count: number;
  }[];
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
}

let desk: Desk;

/** A turn with every kind of id. */
function stated(user: string | null, at: string): TurnEvent[] {
  const name = user ?? "null";
  const [turn, model, tool] = turnEvents({
    root: `root-${name}`,
    user,
    thread: `thread-${name}`,
    at,
  });
  if (turn === undefined || model === undefined || tool === undefined) throw new Error("no turn");
  const source = { resource_type: "page", ref: `source-${name}`, version: "1" };
  const letter = { resource_type: "letter", ref: `artifact-${name}`, version: "1" };
  const seen = { resource: { resource_type: "note", ref: `candidate-${name}` }, selected: false };
  const action: TurnEvent = {
    ...tool,
    event_id: `root-${name}-action:result`,
    span_id: `root-${name}-action`,
    event_kind: "application_action",
    status: "error",
    task_id: `task-${name}`,
    input_refs: [source],
    output_refs: [letter],
    selection_ledger: [{ ...seen, candidate_rank: 1 }],
    attributes: { job_ref: `job-${name}`, error_code: `error-${name}` },
  };
  return [
    turn,
    { ...model, attributes: { ...model.attributes, request_id: `request-${name}` } },
    { ...tool, attributes: { ...tool.attributes, tool_call_id: `call-${name}` } },
    action,
  ];
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts });
  await desk.put(stated("alice", "2026-11-21T09:00:00.000Z"));
  await desk.put(stated("bob", "2026-11-21T10:00:00.000Z"), "2026-11-21T10:00:01.000000Z");
  await desk.put(stated(null, "2026-11-21T11:00:00.000Z"), "2026-11-21T10:00:02.000000Z");
});
afterAll(() => desk.collector.close());

const find = (query: string, name = "root"): Promise<Found> =>
  desk.json<Found>(`/traces/find.json?${query}`, as(name));
const rootsOf = ({ items }: Found): readonly string[] => items.map((row) => row.root_trace_id);

/** What people look for, and the field in which it stands. */
const kinds = [
  ["user", "alice", "user_id", 4],
  ["thread", "thread-alice", "thread_id", 4],
  ["root", "root-alice", "root_trace_id", 4],
  ["run", "root-alice-run", "run_id", 4],
  ["turn", "root-alice-turn", "turn_id", 4],
  ["task", "task-alice", "task_id", 1],
  ["job", "job-alice", "job_ref", 1],
  ["source", "source-alice", "input_refs", 1],
  ["artifact", "artifact-alice", "output_refs", 1],
  ["candidate", "candidate-alice", "selection_ledger", 1],
  ["error", "error-alice", "error_code", 1],
  ["tool call", "call-alice", "tool_call_id", 1],
  ["request", "request-alice", "request_id", 1],
] as const;

describe.each(kinds)("a %s id", (_kind, id, field, count) => {
  test("is found, narrowed, and nobody else's", async () => {
    const found = await find(`id=${id}`);
    expect(rootsOf(found)).toEqual(["root-alice"]);
    expect(found.items[0]).toMatchObject({ event_count: count });
    expect(found.items[0]?.matched_by).toContain(field);
    expect(found).toMatchObject({ requested: true, pending_frames: 0, next_cursor: null });
    const own = await find(`id=${id}&user_id=alice`);
    expect(rootsOf(own)).toEqual(["root-alice"]);
    expect(own.window_complete).toBe(true);
    expect(rootsOf(await find(`id=${id}&user_id=bob`))).toEqual([]);
    expect(rootsOf(await find(`id=${id}&scope=anonymous`))).toEqual([]);
    expect(rootsOf(await find(`id=${id}`, "alice"))).toEqual(["root-alice"]);
    expect(rootsOf(await find(`id=${id.replace("alice", "bob")}`, "alice"))).toEqual([]);
    expect(rootsOf(await find(`id=${id}`, "nobody"))).toEqual([]);
  });

  test("is found between times, the first inclusive, the last exclusive", async () => {
    const at = "2026-11-21T09:00:00.000Z";
    const between = async (query: string): Promise<number> =>
      (await find(`id=${id}&${query}`)).items.length;
    expect(await between(`start_time=${at}`)).toBe(1);
    expect(await between(`end_time=${at}`)).toBe(0);
    expect(await between(`start_time=2026-11-21T08:59:59Z&end_time=2026-11-21T09:00:01Z`)).toBe(1);
    expect(await between("start_time=2026-11-21T09:00:00.001Z")).toBe(0);
  });

  test("is found page by page", async () => {
    let pages = 0;
    let events = 0;
    let cursor = "";
    do {
      const page = await find(`id=${id}&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      events += page.items.reduce((sum, item) => sum + item.event_count, 0);
      pages += 1;
      cursor = page.next_cursor ?? "";
    } while (cursor !== "" && pages < 20);
    expect(events).toBe(count);
  });
});

test.each([
  ["user_id=alice", ["root-alice"]],
  ["thread_id=thread-bob", ["root-bob"]],
  ["root_trace_id=root-null", ["root-null"]],
  ["run_id=root-bob-run", ["root-bob"]],
  ["turn_id=root-bob-turn", ["root-bob"]],
  ["task_id=task-bob", ["root-bob"]],
  ["resource_ref=artifact-bob", ["root-bob"]],
  ["user_id=alice&thread_id=thread-bob", []],
  ["user_id=alice&status=error", ["root-alice"]],
  ["user_id=alice&event_kind=delivery", []],
  ["id=helper&agent_id=helper", []],
])("%s finds %j", async (query, roots) => {
  expect(rootsOf(await find(query))).toEqual(roots);
});

test("a foreign tenant is refused, and no id asks nothing", async () => {
  const foreign = await desk.get("/traces/find.json?user_id=bob", as("alice"));
  expect(foreign.status).toBe(403);
  expect(await find("agent_id=helper")).toMatchObject({ requested: false, items: [] });
});

test("every event is found by the id and the span that the pages show", async () => {
  const { items } = await desk.json<{ items: TurnEvent[] }>("/traces/events.json", as("alice"));
  expect(items).toHaveLength(4);
  for (const { event_id, span_id = "" } of items) {
    for (const [id, field] of [
      [event_id, "event_id"],
      [span_id, "span_id"],
    ] as const) {
      const found = await find(`id=${encodeURIComponent(id)}`, "alice");
      expect([id, found.items]).toEqual([
        id,
        [expect.objectContaining({ root_trace_id: "root-alice", event_count: 1 })],
      ]);
      expect(found.items[0]?.matched_by).toEqual([field]);
      expect(rootsOf(await find(`id=${encodeURIComponent(id)}`, "nobody"))).toEqual([]);
      const page = await desk.get(`/traces/find?id=${encodeURIComponent(id)}`, {
        ...as("alice"),
        accept: "text/html",
      });
      const kind = field === "span_id" ? "a span" : "an event";
      expect(await page.text()).toContain(`this is ${kind}`);
    }
  }
});

test("a cursor of another id or tenant is rejected", async () => {
  const { next_cursor } = await find("id=thread-alice&limit=1");
  expect(next_cursor).not.toBeNull();
  for (const query of [
    "id=thread-bob",
    "id=thread-alice&user_id=alice",
    "thread_id=thread-alice",
  ]) {
    const path = `/traces/find.json?${query}&limit=1&cursor=${next_cursor}`;
    const response = await desk.get(path, as("root"));
    expect([query, response.status, await response.json()]).toEqual([
      query,
      400,
      expect.objectContaining({ code: "cursor_rejected" }),
    ]);
  }
});

test("counts of a page that is not the whole answer are named as those of the page", async () => {
  const shown = async (query: string): Promise<string> => {
    const response = await desk.get(`/traces/find?${query}`, {
      ...as("root"),
      accept: "text/html",
    });
    return (await response.text()).replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ");
  };
  const { next_cursor } = await find("id=thread-alice&limit=1");
  for (const query of [
    "id=thread-alice&limit=1",
    `id=thread-alice&limit=1&cursor=${next_cursor}`,
  ]) {
    const page = await shown(query);
    expect(page).toContain("1 root, 1 event on this page");
    expect(page).toContain("Turns on this page Events on this page");
  }
  const whole = await shown("id=thread-alice");
  expect(whole).toMatch(/1 root, \d+ events /u);
  expect(whole).not.toContain("events on this page");
});

test("names are counted over all time, and state it beside a range", async () => {
  const page = async (query: string): Promise<string> =>
    (
      await desk.get(`/traces/find?id=alice${query}`, { ...as("root"), accept: "text/html" })
    ).text();
  expect(await page("")).not.toContain("Turns of all time");
  expect(await page("&start_time=2026-11-01T00:00:00Z")).toContain("Turns of all time");
});
