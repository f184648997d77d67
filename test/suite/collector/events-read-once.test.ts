/**
 * A page of events reads each root once: the unit of its cursor, and that of the next one, are
 * taken from what the page has read (requirements: Endpoints 3).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Page {
  readonly items: readonly { readonly event_id: string; readonly root_trace_id: string }[];
  readonly next_cursor: string | null;
}

let directory = "";
let desk: Desk;
let reads = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-read-once-"));
  const { evidence: held } = await filesystem({ directory });
  const store: EvidenceStore = {
    ...held,
    root(...requested) {
      reads += 1;
      return held.root(...requested);
    },
  };
  desk = await openDesk({}, { store, judge: false });
  for (const root of ["root-1", "root-2", "root-3"]) {
    await desk.put(turnEvents({ root }), `2026-11-21T10:0${root.at(-1)}:00.000000Z`);
  }
});
afterAll(async () => {
  await desk.collector.close();
  await rm(directory, { recursive: true, force: true });
});

/** All ids of a walk. */
async function walked(path: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const at: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await desk.json<Page>(at);
    for (const { event_id: id, root_trace_id: root } of page.items) ids.push(`${root}/${id}`);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

test.each(["/traces/events.json?", "/traces/events.json?root_trace_id=root-2&"])(
  "a walk of %s reads no root beside its pages",
  async (path) => {
    const whole = await walked(`${path}limit=1000`);
    expect(whole.length).toBeGreaterThan(2);
    reads = 0;
    const small = await walked(`${path}limit=1`);
    expect([reads, small.toSorted()]).toEqual([0, whole.toSorted()]);
  },
);

test("a root that grew since its cursor was issued rejects it all the same", async () => {
  const path = "/traces/events.json?root_trace_id=root-1&limit=1";
  const { next_cursor: cursor } = await desk.json<Page>(path);
  const next = `${path}&cursor=${encodeURIComponent(cursor ?? "")}`;
  expect((await desk.get(next)).status).toBe(200);
  const more = turnEvents({ root: "root-1" }).map((event) => ({
    ...event,
    event_id: `more-${event.event_id}`,
  }));
  await desk.put(more, "2026-11-21T10:05:00.000000Z");
  const refused = await desk.get(next);
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "cursor_rejected" }]);
});
