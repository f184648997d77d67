/** Losses: what was lost blocks the turns that were open while it was lost, and no others. */
import { lossIntervals, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { at, success, turn, whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const clock = (seconds: number): string =>
  new Date(Date.parse("2026-11-21T08:00:00Z") + seconds * 1_000).toISOString();
const events = success().map((event) => ({ ...event, producer_id: "p1" }));
const report = (seconds: number, totals: Json, extra: Json = {}): Json =>
  at(
    0,
    "data_quality",
    { loss_created: 9, loss_dropped: 0, ...totals },
    {
      event_id: `report-${seconds}`,
      timestamp: clock(seconds),
      producer_id: "p1",
      root_trace_id: "5d2f1c0b7a6e4d5c8b3a291807f6e5d4",
      ...extra,
    },
  );
const judged = (
  reports: readonly Json[],
  metadata: Partial<WindowMetadata> = {},
): [string, readonly string[]] => {
  const verdict = reconcileOutcome([...events, ...reports], {
    normalizationMetadata: { ...whole, ...metadata },
  });
  return [verdict.status, verdict.window.reasons];
};

test.each<[string, Json[]]>([
  ["clean reports", [report(0, {}), report(50, {})]],
  [
    "a loss that was over before the turn began",
    [report(-20, {}), report(-10, { loss_dropped: 2 })],
  ],
  [
    "a loss that is still named by later reports",
    [
      report(-20, {}),
      report(-10, { loss_dropped: 2 }),
      report(20, { loss_dropped: 2 }),
      report(50, { loss_dropped: 2 }),
    ],
  ],
  ["a loss after the turn", [report(41, {}), report(60, { loss_dropped: 2 })]],
  [
    "a loss of a producer and service that the turn never had",
    [report(20, { loss_dropped: 2 }, { producer_id: "p9", application_id: "other" })],
  ],
])("%s blocks nothing", (_caption, reports) => {
  expect(judged(reports)).toEqual(["success", []]);
});

test.each<[string, Json[], string]>([
  [
    "a loss between two reports around it",
    [report(0, {}), report(50, { loss_dropped: 1 })],
    "known_loss",
  ],
  ["a loss that began before it", [report(-20, {}), report(20, { loss_dropped: 1 })], "known_loss"],
  ["a loss that ended after it", [report(20, {}), report(90, { loss_dropped: 1 })], "known_loss"],
  ["a first report with a loss", [report(90, { loss_dropped: 1 })], "known_loss"],
  [
    "a second loss",
    [report(-20, { loss_dropped: 1 }), report(50, { loss_dropped: 2 })],
    "known_loss",
  ],
  ["evidence that was sampled out", [report(50, { sampled_out: 1 })], "sampled_out"],
  ["a failed write", [report(50, { write_failures: 1 })], "write_failures"],
  [
    "another process of a service of the turn",
    [report(50, { loss_dropped: 1 }, { producer_id: "p9" })],
    "known_loss",
  ],
])("%s blocks the turn", (_caption, reports, reason) => {
  expect(judged(reports)).toEqual(["partial", [reason]]);
});

describe("what the reader knows", () => {
  const losses = lossIntervals([
    report(0, {}),
    report(50, { loss_dropped: 3 }),
  ] as unknown as TurnEvent[]);
  test("is an interval of one rise", () => {
    expect(losses).toEqual([
      {
        producer_id: "p1",
        service: turn["application_id"],
        from: clock(0),
        to: clock(50),
        lost: 3,
        sampled_out: 0,
        write_failures: 0,
      },
    ]);
  });
  test("blocks alike", () => {
    expect(judged([], { losses })).toEqual(["partial", ["known_loss"]]);
    expect(
      judged([], { losses: losses.map((one) => ({ ...one, from: clock(60), to: clock(70) })) })[0],
    ).toBe("success");
    expect(judged([], { known_loss: 1 })[0]).toBe("partial");
  });
});
