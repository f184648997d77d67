/**
 * @module Judge drafts: what is found of a turn at the drain is what a judge finds later, with the
 * mark and the processes of that time, while nothing is lost and no more of the turn is stored.
 */
import { findInsights, reconcileOutcome } from "@turnproof/evidence";
import type { LossInterval, TurnEvent, TurnRow, WindowMetadata } from "@turnproof/evidence";
import { producerReports } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { codesOf, unendedCodes } from "../../../collector/src/judge/judge-codes.ts";
import { draftJudge, settleDrafted } from "../../../collector/src/judge/judge-drafts.ts";
import { createLateLosses } from "../../../collector/src/judge/judge-losses.ts";
import { createOpenRoots } from "../../../collector/src/judge/judge-open.ts";
import type { JudgeInput } from "../../../collector/src/judge/judge-input.ts";
import type { JournalLosses } from "../../../collector/src/receive/otlp/journal-losses.ts";
import type { Parts } from "../../../collector/src/parts.ts";
import { applyChanges, verdictCases } from "../evidence/verdict-cases.ts";
import type { Json } from "../evidence/verdict-cases.ts";

const second = (event: Json): string => String(event["timestamp"]).slice(0, 19);

function stored(events: readonly Json[]): TurnEvent[] {
  return events.map((event) => {
    return { received_at: `${second(event)}.999999Z`, ...event } as unknown as TurnEvent;
  });
}

/** Every golden window and mutation, and each of them without one of its events. */
function windows(): readonly (readonly TurnEvent[])[] {
  const whole = verdictCases().flatMap(({ window, mutations }) => [
    window.events,
    ...mutations.map(({ change }) => applyChanges(window, change).events),
  ]);
  return whole.flatMap((events) => {
    const all = stored(events);
    return [all, ...all.map((_event, out) => all.filter((_other, at) => at !== out))];
  });
}

const laterMarks = ["2026-11-21T23:00:00Z", "2027-03-01T00:00:00Z"];

/** A whole window that is read later, when its processes were heard of again. */
function readLater(events: readonly TurnEvent[], as_of: string): WindowMetadata {
  const ids = new Set(events.flatMap(({ producer_id: id }) => id ?? []));
  const producers = [...ids].map((producer_id) => {
    return { producer_id, first: "2026-11-20T00:00:00Z", last: as_of };
  });
  return {
    window_complete: true,
    truncated: false,
    normalization_errors: [],
    read_completeness: "complete",
    as_of,
    producers,
    losses: [],
  };
}

test("a draft says what the judge says later, and there is none where time may change it", () => {
  const draft = draftJudge({});
  let drafted = 0;
  let open = 0;
  for (const events of windows()) {
    if (events.length === 0) continue;
    const received = events.map(({ received_at: at }) => String(at)).toSorted();
    const latest = received.at(-1) ?? "";
    const found = draft({ root: "root", events, rows: events.length, epoch: 0 })?.(
      {} as TurnRow,
      events,
    );
    for (const mark of laterMarks) {
      if (mark < latest) continue;
      const verdict = reconcileOutcome(events, { normalizationMetadata: readLater(events, mark) });
      const unended = verdict.findings.some(({ code }) => unendedCodes.has(code));
      if (found === undefined) {
        expect(unended).toBe(true);
        open += 1;
        continue;
      }
      drafted += 1;
      expect({ ...found, judged_at: "", as_of: "" }).toEqual({
        verdict: verdict.status,
        ...codesOf({ verdict, ...findInsights(events, { scope: "turn" }) }),
        judged_at: "",
        as_of: "",
      });
      expect(found.as_of).toBe(latest);
    }
  }
  expect(drafted).toBeGreaterThan(500);
  expect(open).toBeGreaterThan(3);
});

test("a root with an event of unknown receipt is not drafted", () => {
  const [event] = windows()[0] ?? [];
  const { received_at: _at, ...unreceived } = event as TurnEvent;
  const root = { root: "root", rows: 1, epoch: 0 };
  expect(draftJudge({})({ ...root, events: [unreceived] })).toBeUndefined();
});

const asOf = "2026-11-21T08:00:10Z";
const voice = { root_trace_id: "root", producer_id: "till", received_at: asOf } as const;
const extent = { from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:00:09Z" };
const draftOf = { records: [], voices: [voice], asOf, extent };
const stands = { rows: 1, epoch: 0 };

/** Roots that are judged from their events although a draft of them is held. */
async function others(
  lost: Partial<JournalLosses>,
  { mark = "2026-11-21T09:00:00Z", reports = [] }: Partial<JudgeInput> = {},
): Promise<readonly string[]> {
  const parts = {
    now: Date.now,
    recorder: { drafted: () => ({ draft: draftOf, turns: [], version: stands }) },
    ingest: { losses: () => ({ quarantined_roots: [], losses: [], ...lost }) },
    store: { ledger: { putTurns: async () => {} } },
  } as unknown as Parts;
  const memory = { open: createOpenRoots(), losses: createLateLosses() };
  const briefing = { mark, reports, losses: [], lives: [] };
  return [
    ...(await settleDrafted(parts, new Map([["root", stands]]), briefing, memory)).others.keys(),
  ];
}

test("a draft does not stand against a loss, or rows after the mark", async () => {
  const report = (producer_id: string): TurnEvent => ({
    schema_version: 3,
    event_id: `losses-${producer_id}`,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: "2026-11-21T08:30:00Z",
    received_at: "2026-11-21T08:30:00Z",
    producer_id,
    application_id: `${producer_id}-service`,
    attributes: {
      quality_code: producerReports.losses,
      loss_created: 5,
      loss_exported: 3,
      loss_dropped: 2,
    },
  });
  expect(await others({})).toEqual([]);
  expect(await others({}, { reports: [report("desk")] })).toEqual([]);
  expect(await others({}, { reports: [report("till")] })).toEqual(["root"]);
  expect(await others({ quarantined_roots: ["other"] })).toEqual([]);
  expect(await others({ quarantined_roots: ["root"] })).toEqual(["root"]);
  const interval = { from: null, to: asOf, lost: 1, sampled_out: 0, write_failures: 0 };
  expect(await others({ losses: [interval as LossInterval] })).toEqual(["root"]);
  const between = (from: string | null, to: string): Promise<readonly string[]> =>
    others({ losses: [{ ...interval, from, to }] });
  expect(await between(null, "2026-11-21T07:59:59.999Z")).toEqual([]);
  expect(await between("2026-11-21T07:00:00Z", "2026-11-21T08:00:00Z")).toEqual(["root"]);
  expect(await between("2026-11-21T08:00:09Z", "2026-11-21T08:30:00Z")).toEqual(["root"]);
  expect(await between("2026-11-21T08:00:09.001Z", "2026-11-21T08:30:00Z")).toEqual([]);
  expect(await others({}, { mark: "2026-11-21T08:00:09Z" })).toEqual(["root"]);
});
