/**
 * What a collector signed can be checked from what it exports: pages of any size, of events whose
 * identity was inherited, give the digest of the statement (vocabulary: From a span to an event;
 * evidence: Statements, Evidence digest).
 */
import { joinPages } from "@turnproof/evidence";
import type { EventPage, TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { checkStatement } from "../../../collector/src/judge/statement-check.ts";
import { parseEventFile } from "../../../collector/src/cli/event-file.ts";
import { openDesk, turnEvents } from "./desk.ts";

const root = "4bf92f3577b34da6a3ce929d0e0e4736";

test.each([1, 2, 3, 1_000])("pages of %i events are what was signed", async (limit) => {
  const desk = await openDesk({}, { judge: false });
  const [turn, ...children] = turnEvents({ root, user: "ann" }) as [TurnEvent, ...TurnEvent[]];
  // Children of most dialects hold no identity; a stale copy and a newer one arrive.
  const mute = children.map((event) => ({
    ...event,
    agent_id: undefined,
    thread_id: undefined,
    turn_id: undefined,
    user_id: undefined,
  })) as unknown as TurnEvent[];
  await desk.put(mute, "2026-11-21T10:00:00.000000Z");
  await desk.put([turn], "2026-11-21T10:00:01.000000Z");
  await desk.put([{ ...turn, duration_ms: 9 }, ...mute], "2026-11-21T10:00:02.000000Z");
  const requested = `agent_id=helper&root_trace_id=${root}`;
  const jws = await (await desk.get(`/traces/reconcile.jws?${requested}`)).text();
  const keys = await desk.json<{ keys: [] }>("/.well-known/jwks.json");
  const pages: { page: EventPage; cursor: string | null }[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await desk.json<EventPage>(
      `/traces/events.json?${requested}&limit=${limit}${next}`,
    );
    pages.push({ page, cursor });
    cursor = page.next_cursor;
  } while (cursor !== null);
  const { events } = joinPages(pages);
  expect(events).toHaveLength(3);
  expect(await checkStatement(jws, keys, events)).toMatchObject({
    signature: "valid",
    evidence: "matches",
    verdict: "supported",
    statement: { v: 2, event_count: 3, identity: { user_id: "ann" } },
  });
  // The file that the page of the turn offers is the same evidence.
  const file = await desk.get(`/traces/evidence.jsonl?${requested}`);
  expect(file.headers.get("content-disposition")).toMatch(
    /^attachment; filename="turn-[\w-]+\.jsonl"$/,
  );
  const judged = parseEventFile(await file.text()).events as readonly TurnEvent[];
  expect(await checkStatement(jws, keys, judged)).toMatchObject({
    evidence: "matches",
    verdict: "supported",
  });
  const [first, ...rest] = events as [TurnEvent, ...TurnEvent[]];
  const forged = [{ ...first, status: "partial" as const }, ...rest];
  expect(await checkStatement(jws, keys, forged)).toMatchObject({ evidence: "differs" });
  await desk.collector.close();
});
