/** Conservation: every received item is in exactly one place, and a loss is detected. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { Conservation } from "./conservation.ts";
import type { JournalTally } from "./conservation.ts";

/** A journal whose counts a test sets. */
function book(): { -readonly [place in keyof Omit<JournalTally, "lostIsLowerBound">]: number } {
  return { recovered: 0, pending: 0, stored: 0, quarantined: 0, lost: 0 };
}

test("every item is in one place, after every step of any history", () => {
  const step = fc.record({
    items: fc.nat(50),
    rejected: fc.nat(50),
    fate: fc.constantFrom("accepted", "refused", "waits" as const),
    drains: fc.nat(80),
    quarantines: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.nat(100), fc.array(step, { maxLength: 30 }), (recovered, steps) => {
      const journal = { ...book(), recovered, pending: recovered };
      const conservation = new Conservation(() => journal);
      const check = (): void => expect(conservation.snapshot().balanced).toBe(true);
      for (const { items, rejected, fate, drains, quarantines } of steps) {
        const left = Math.min(items, rejected);
        const passage = conservation.enter(items);
        check();
        if (fate === "accepted") {
          // The journal counts an append a moment before the request is answered.
          journal.pending += items - left;
          check();
          passage.accepted(left === 0 ? {} : { span_id_invalid: left });
        } else if (fate === "refused") passage.refused("journal_full");
        check();
        const stored = Math.min(drains, journal.pending);
        journal.pending -= stored;
        const aside = Math.min(quarantines, stored);
        journal.stored += stored - aside;
        journal.quarantined += aside;
        check();
      }
    }),
  );
});

test("a loss shows", () => {
  const journal = book();
  const conservation = new Conservation(() => journal);
  conservation.enter(10).accepted({});
  journal.pending = 9;
  expect(conservation.snapshot().balanced).toBe(false);
  journal.pending = 11;
  expect(conservation.snapshot().balanced).toBe(false);
  journal.pending = 10;
  expect(conservation.snapshot().balanced).toBe(true);
});

test("reasons are counted by code", () => {
  const conservation = new Conservation(() => ({ ...book(), pending: 3 }));
  conservation.request();
  conservation.enter(4).accepted({ span_id_invalid: 1 });
  conservation.enter(5).refused("journal_full");
  conservation.requestRefused("otlp_malformed");
  conservation.dropped({ attribute_unknown: 7 });
  expect(conservation.snapshot()).toMatchObject({
    received: 9,
    pending: 3,
    in_flight: 0,
    refused: 5,
    rejected: 1,
    requests: 1,
    rejected_reasons: { span_id_invalid: 1 },
    refused_reasons: { journal_full: 5 },
    requests_refused: { journal_full: 1, otlp_malformed: 1 },
    dropped_attributes: { attribute_unknown: 7 },
    balanced: true,
  });
});
