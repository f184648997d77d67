/**
 * @module Drafts and losses: whatever was lost and when, turns that are settled from drafts are
 * what a judge without drafts finds of them.
 */
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { producerReports } from "@turnproof/semconv";
import type { TurnRecord } from "@turnproof/store";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const secondMs = 1_000;
const producers = ["pod-1", "pod-2", "pod-3"];

/** Seconds after the start of a stand. */
const second = fc.integer({ min: 0, max: 120 });
const producer = fc.constantFrom(...producers);

const turn = fc.record({ began: second, producer, without: fc.option(fc.nat({ max: 5 })) });
/** Roots of one turn or two. */
const roots = fc.array(fc.array(turn, { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 4,
});
const journalLoss = fc.record({ from: fc.option(second), lasted: second });
const report = fc.record({ at: second, producer, lost: fc.integer({ min: 0, max: 3 }) });

interface Turn {
  readonly began: number;
  readonly producer: string;
  readonly without: number | null;
}

function eventsOf(root: string, turns: readonly Turn[]): TurnEvent[] {
  return turns.flatMap(({ began, producer: producer_id, without }, at) =>
    turnAt(root, start + began * secondMs, { producer_id, turn_id: `turn-${at}` })
      .filter((_event, index) => index !== without)
      .map((event) => ({ ...event, event_id: `${event.event_id}-${at}` })),
  );
}

/** A report of totals, which only grow. */
function reportsOf(stated: readonly { at: number; producer: string; lost: number }[]): TurnEvent[] {
  const totals = new Map<string, number>();
  return stated
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, producer: producer_id, lost }, index) => {
      const loss_dropped = (totals.get(producer_id) ?? 0) + lost;
      totals.set(producer_id, loss_dropped);
      return {
        schema_version: 3,
        event_id: `report-${index}`,
        root_trace_id: `report-${index}`,
        event_kind: "data_quality",
        phase: "event",
        status: "success",
        timestamp: isoOf(start + at * secondMs),
        producer_id,
        application_id: `${producer_id}-service`,
        attributes: {
          quality_code: producerReports.losses,
          loss_created: 1_000,
          loss_exported: 1_000 - loss_dropped,
          loss_dropped,
        },
      };
    });
}

/** What a judge finds, with drafts or without, and of how many roots it read the events. */
async function found(
  { turns, lost, stated }: Window,
  drafted: boolean,
): Promise<{
  readonly verdicts: readonly Pick<TurnRecord, "key" | "version" | "row" | "as_of">[];
  readonly read: number;
}> {
  const stand = new Stand(await directories.make(), { recorded: true, drafted });
  let read = 0;
  const { recorder } = stand;
  if (recorder !== undefined) {
    const whole = recorder.whole.bind(recorder);
    recorder.whole = (...of) => {
      read += 1;
      return whole(...of);
    };
  }
  // Received after all of it happened: a clock that is ahead keeps a turn from success.
  stand.now += 300 * secondMs;
  const reports = reportsOf(stated);
  if (reports.length > 0) await stand.put(reports);
  stand.losses = { quarantined_roots: [], losses: lost };
  const judge = stand.judge();
  // A loss that is new to the judge makes it read again what it has settled until now.
  for (let look = 0; look < 2; look += 1) {
    await judge.look();
    stand.now += 300 * secondMs;
  }
  for (const [at, own] of turns.entries()) await stand.put(eventsOf(`root-${at}`, own));
  stand.now += 300 * secondMs;
  read = 0;
  await judge.look();
  await judge.close();
  const records = await stand.records();
  const verdicts = records
    .map(({ key, version, row, as_of }) => ({ key, version, row, as_of }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return { verdicts, read };
}

interface Window {
  readonly turns: readonly (readonly Turn[])[];
  readonly lost: readonly LossInterval[];
  readonly stated: Parameters<typeof reportsOf>[0];
}

test("whatever is lost, what is settled from drafts is what a judge without them finds", async () => {
  let kept = 0;
  let voided = 0;
  let successes = 0;
  await fc.assert(
    fc.asyncProperty(
      roots,
      fc.array(journalLoss, { maxLength: 2 }),
      fc.array(report, { maxLength: 4 }),
      async (turns, intervals, stated) => {
        const lost = intervals.map(({ from, lasted }) => ({
          from: from === null ? null : isoOf(start + from * secondMs),
          to: isoOf(start + ((from ?? 0) + lasted) * secondMs),
          lost: 1,
          sampled_out: 0,
          write_failures: 0,
        }));
        const window = { turns, lost, stated };
        const drafts = await found(window, true);
        const others = await found(window, false);
        expect(drafts.verdicts).toEqual(others.verdicts);
        if (lost.length + stated.length === 0) return;
        kept += others.read - drafts.read;
        voided += drafts.read;
        for (const { row } of drafts.verdicts) if (row.verdict === "success") successes += 1;
      },
    ),
    { numRuns: 60 },
  );
  expect(kept).toBeGreaterThan(10);
  expect(voided).toBeGreaterThan(10);
  expect(successes).toBeGreaterThan(10);
});
