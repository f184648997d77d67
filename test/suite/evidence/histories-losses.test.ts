/**
 * Random losses around honest turns (evidence: Loss accounting). Whether a turn was open while
 * something was lost, and whether the producer may have sent events in it, follows from how the
 * window was made.
 */
import { lossIntervals, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { honestWindow } from "./oracle/honest-windows.ts";
import { randomOf } from "./oracle/random.ts";
import type { Random } from "./oracle/random.ts";
import { whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const runs = Array.from({ length: 600 }, (_, seed) => seed);
const counters = [
  ["loss_dropped", "known_loss"],
  ["sampled_out", "sampled_out"],
  ["write_failures", "write_failures"],
] as const;

/** The honest window without its own reports, which would contradict those that are added. */
const eventsOf = (seed: number): Json[] =>
  honestWindow(seed).events.filter((event) => event["event_kind"] !== "data_quality");
const times = (event: Json): number[] =>
  [event["started_at"], event["timestamp"]].flatMap((time) =>
    typeof time === "string" ? [Date.parse(time)] : [],
  );

/** When a turn's first and last evidence was stamped, and which producers sent to it. */
interface Extent {
  readonly from: number;
  readonly to: number;
  readonly producers: ReadonlySet<unknown>;
}

function extentsOf(events: readonly Json[]): Extent[] {
  const turns = [...new Set(events.map((event) => event["turn_id"]))];
  return turns.flatMap((turn) => {
    const own = events.filter(
      (event) => event["turn_id"] === turn && event["ingest_trusted"] !== false,
    );
    if (own.length === 0) return [];
    const at = own.flatMap(times);
    const producers = new Set(own.map((event) => event["producer_id"]));
    return [{ from: Math.min(...at), to: Math.max(...at), producers }];
  });
}

/** What one process reports of itself: totals, and nothing of any turn. */
function report(ms: number, by: { producer: string; service: string }, totals: Json): Json {
  return {
    schema_version: 3,
    event_id: `report-${by.producer}-${ms}`,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: isoTime(ms),
    received_at: isoTime(ms + 300),
    application_id: by.service,
    producer_id: by.producer,
    root_trace_id: "5d2f1c0b7a6e4d5c8b3a291807f6e5d4",
    attributes: { loss_created: 900, loss_dropped: 0, ...totals },
  };
}

/** A loss between two reports, one of them missing now and then, and what it must come to. */
function lossOf(events: readonly Json[], random: Random) {
  const extents = extentsOf(events);
  const open = random.pick(extents);
  const before = random.pick([-90_000, -30_000, -1, 0, 1, 30]);
  const begin = random.chance(0.5) ? open.from + before : open.to - before;
  const end = begin + random.pick([1, 40, 5_000, 40_000, 200_000]);
  const speaker = random.pick([...open.producers].filter((name) => name !== undefined)) as
    | string
    | undefined;
  const by = random.pick([
    ...(speaker === undefined ? [] : [{ producer: speaker, service: "app" }]),
    { producer: "sibling-9", service: "app" },
    { producer: "stranger-9", service: "elsewhere" },
  ]);
  const [counter, reason] = random.pick(counters);
  const earlier = random.below(3);
  const isFirst = random.chance(0.15);
  const totals = { [counter]: earlier + 1 + random.below(5) };
  const clean = { [counter]: isFirst ? 0 : earlier };
  // A total that stood before the turns began was lost before them.
  const first = Math.min(...extents.map(({ from }) => from)) - 600_000;
  const reports = [
    ...(isFirst ? [] : [report(first - 1000, by, {}), report(first, by, clean)]),
    ...(isFirst ? [] : [report(begin, by, clean)]),
    report(end, by, totals),
    ...(random.chance(0.5) ? [report(end + 60_000, by, totals)] : []),
  ];
  const from = isFirst ? -Infinity : begin;
  const met = extents.some(
    (turn) =>
      turn.from <= end &&
      turn.to >= from &&
      (by.service === "app" || turn.producers.has(by.producer)),
  );
  return { reports, expected: met ? `partial ${reason}` : "success" };
}

function judged(events: readonly Json[], metadata: WindowMetadata = whole): string {
  const { status, window } = reconcileOutcome(events, { normalizationMetadata: metadata });
  return [status, ...window.reasons].join(" ");
}

test("a loss blocks the turns that were open and that its producer may have spoken in", () => {
  const seen: Record<string, number> = {};
  for (const seed of runs) {
    const random = randomOf(seed + 21_000);
    const events = eventsOf(seed);
    const { reports, expected } = lossOf(events, random);
    seen[expected] = (seen[expected] ?? 0) + 1;
    const reported = (list: readonly Json[], metadata?: WindowMetadata): string =>
      `${seed} ${judged(list, metadata)}`;
    const answer = `${seed} ${expected}`;
    expect(reported([...events, ...reports])).toBe(answer);
    expect(reported([...reports.toReversed(), ...events, ...reports])).toBe(answer);
    // A reader that read the reports elsewhere returns the same.
    const losses = lossIntervals(reports as unknown as TurnEvent[]);
    expect(reported(events, { ...whole, losses })).toBe(answer);
    // An untrusted producer reports nothing.
    const strange = reports.map((one) => ({ ...one, ingest_trusted: false }));
    expect(reported([...events, ...strange])).toBe(`${seed} success`);
  }
  for (const [, reason] of counters) expect(seen[`partial ${reason}`]).toBeGreaterThan(50);
  expect(seen["success"]).toBeGreaterThan(100);
});

test("the oldest of thousands of reports counts as the newest does", () => {
  for (const seed of runs.slice(0, 20)) {
    const events = eventsOf(seed);
    const [turn] = extentsOf(events) as [Extent];
    const by = { producer: "sibling-9", service: "app" };
    const later = Array.from({ length: 3_000 }, (_, at) =>
      report(turn.to + 1_000 + at * 30_000, by, { loss_dropped: 1 }),
    );
    const old = [report(turn.from - 10, by, {}), report(turn.to, by, { loss_dropped: 1 })];
    expect(judged([...events, ...old, ...later])).toBe("partial known_loss");
    const never = later.map((one, at) => report(Date.parse(String(one["timestamp"])) + at, by, {}));
    expect(judged([...events, ...never])).toBe("success");
  }
});

test("a quarantine that names the root blocks it, and no other", () => {
  for (const seed of runs.slice(0, 60)) {
    const events = eventsOf(seed);
    const root = String(events[0]?.["root_trace_id"]);
    const named = (quarantined_roots: string[]): string =>
      judged(events, { ...whole, quarantined_roots });
    expect(named([root])).toBe("partial known_loss");
    expect(named(["0".repeat(32), root])).toBe("partial known_loss");
    expect(named(["0".repeat(32), `${root}0`])).toBe("success");
  }
});
