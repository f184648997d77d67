/**
 * @module How many reads a download of events takes: those of many turns together, a root with many
 * rows alone and once, whatever the number of its turns.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";

const turnsOfLarge = 20;

/** A root of several turns with 6,000 rows together. */
function largeRoot(): readonly TurnEvent[] {
  return Array.from({ length: turnsOfLarge }, (_, turn) =>
    Array.from({ length: 100 }, (__, n) =>
      turnEvents({ root: "large", agent: "large" }).map((event) => ({
        ...event,
        turn_id: `large-turn-${turn}`,
        event_id: `large-${turn}-${n}-${event.event_id}`,
        span_id: `large-${turn}-${n}-${event.span_id ?? ""}`,
      })),
    ),
  ).flat(2);
}

test("events of many turns are read together, those of a large root once", async () => {
  const sound = ephemeral();
  const reads: (readonly string[])[] = [];
  const roots: typeof sound.roots = async (scope, ids, options) => {
    reads.push(ids);
    return sound.roots(scope, ids, options);
  };
  const desk = await openDesk({}, { store: { ...sound, roots }, judge: false });
  const small = Array.from({ length: 120 }, (_, n) =>
    turnEvents({ root: `root-${n}`, at: new Date(Date.UTC(2026, 10, 20, 0, 0, n)).toISOString() }),
  );
  await desk.put(small.flat());
  await desk.put(largeRoot());
  reads.length = 0;
  const file = await (await desk.get("/traces/spans.jsonl?sort=ended_at&order=ascending")).text();
  const written = file
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { event_id: string; turn_id: string });
  expect(new Set(written.map(({ event_id: id }) => id)).size).toBe(120 * 3 + turnsOfLarge * 300);
  expect(written).toHaveLength(120 * 3 + turnsOfLarge * 300);
  const turns = written
    .map(({ turn_id: turn }) => turn)
    .filter((turn, at, all) => turn !== all[at - 1]);
  expect(turns.slice(0, 120)).toEqual(small.map((_, n) => `root-${n}-turn`));
  expect(turns).toHaveLength(120 + turnsOfLarge);
  expect(reads.map((ids) => new Set(ids).size)).toEqual([120, 1]);
  await desk.collector.close();
});
