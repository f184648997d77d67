/** @module Texts of the health page: unknown is never a number, and the sum lists its terms. */
import type { ProducerLoss } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { Conservation } from "../../receive/conservation.ts";
import { processAdvice } from "./advice.ts";
import { conservationSum, knownText, lossOf, nothingReceived, ranked } from "./health-figures.ts";

const producer: ProducerLoss = {
  producer_id: "pod-1",
  application_ids: ["till"],
  events: 9,
  state: "unknown",
  lost: null,
  sequence_gaps: 0,
  sampled_out: null,
  write_failures: null,
  reported: null,
};

test("a loss is known to be none, known to be so many, or unknown", () => {
  expect(lossOf({ ...producer, state: "nothing_lost", lost: 0 }).word).toBe("known 0");
  const elsewhere = lossOf({ ...producer, state: "nothing_lost", lost: 0, sequence_gaps: 3 });
  expect(elsewhere).toMatchObject({ word: "known 0", why: expect.stringMatching(/outside/) });
  expect(lossOf({ ...producer, state: "lost", lost: 1_234 }).word).toBe("known 1,234");
  expect(lossOf(producer).word).toBe("unknown");
  expect(lossOf({ ...producer, producer_id: null }).why).toMatch(/does not number its events/);
  expect(lossOf(producer).why).toMatch(/never reported/);
  expect(lossOf({ ...producer, sequence_gaps: 5 }).why).toMatch(/^5 numbers are missing, and it/);
  expect(lossOf(producer, true).why).toMatch(/You may read a part/);
  const reported = { reasons: { queue_full: 6 } };
  const gone = { ...producer, reported, state: "lost", lost: 8, sequence_gaps: 8 } as const;
  expect(lossOf(gone).why).toBe("queue full 6, 2 numbers never arrived");
  expect(lossOf({ ...gone, lost: 6 }).why).toBe("queue full 6");
});

test("each process has what to do about its loss, or nothing", () => {
  const reported = { reasons: { queue_full: 6 } };
  const gone = { ...producer, reported, state: "lost", lost: 6 } as const;
  expect(processAdvice({ ...producer, reported, state: "nothing_lost", lost: 0 })).toBe("Nothing.");
  expect(processAdvice(gone)).toMatch(/larger queue or a spool/);
  expect(processAdvice({ ...gone, reported: { reasons: {} } })).toMatch(/gives no reason/);
  expect(processAdvice({ ...gone, lost: 80, sequence_gaps: 80 })).toMatch(/never arrived/);
  expect(processAdvice({ ...producer, producer_id: null })).toMatch(/span processor/);
  expect(processAdvice(producer)).toMatch(/killed/);
  expect(processAdvice({ ...producer, reported })).toMatch(/Widen the range/);
  expect(processAdvice({ ...producer, write_failures: 2 })).toMatch(/failed to write 2 times/);
  expect(processAdvice(gone, { part: true })).toMatch(/operator of all tenants/);
});

test("an unknown total is a word, and a partial one a lower bound", () => {
  expect(knownText({ value: null, state: "unknown" })).toBe("unknown");
  expect(knownText({ value: 0, state: "known" })).toBe("known 0");
  expect(knownText({ value: 7, state: "partial" })).toBe("≥ 7");
});

test("nothing was received where a whole read has neither an event nor a report", () => {
  const empty = { normalized_events: 0, producers: [], failures_by_code: {}, query_failures: 0 };
  expect(nothingReceived(empty)).toBe(true);
  expect(nothingReceived({ ...empty, normalized_events: 1 })).toBe(false);
  expect(nothingReceived({ ...empty, producers: [producer] })).toBe(false);
  expect(nothingReceived({ ...empty, query_failures: 1 })).toBe(false);
  expect(nothingReceived({ ...empty, failures_by_code: { store_unavailable: 1 } })).toBe(false);
});

test("the sum comes out even exactly when the snapshot says so", () => {
  const tally = { recovered: 2, pending: 3, stored: 7, quarantined: 1, lost: 1 };
  const counted = new Conservation(() => tally);
  counted.enter(10).accepted({});
  counted.enter(4).refused("overloaded");
  const snapshot = counted.snapshot();
  const { leftTotal, rightTotal, right } = conservationSum(snapshot);
  expect(leftTotal).toBe(16);
  expect(rightTotal).toBe(leftTotal);
  expect(snapshot.balanced).toBe(true);
  expect(right.find(({ name }) => name === "refused")?.value).toBe(4);
  const off = conservationSum({ ...snapshot, stored: 6 });
  expect(off.rightTotal).not.toBe(off.leftTotal);
});

test("counts stand by size, equal ones by name", () => {
  expect(ranked({ b: 1, a: 1, c: 5, d: undefined })).toEqual([
    ["c", 5],
    ["a", 1],
    ["b", 1],
  ]);
});
