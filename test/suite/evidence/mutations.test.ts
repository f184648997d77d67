/**
 * The verdict under change: one wrong fact breaks a success, another order of facts changes none.
 */
import { buildPage, joinPages, normalizeEvents, reconcileOutcome } from "@turnproof/evidence";
import type { EventPage, Verdict } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { buildWindow, complete, shapes } from "./generated-windows.ts";
import { mutants } from "./mutations.ts";
import type { Json } from "./verdict-cases.ts";

/** Windows per property; each is judged under some hundred changes. */
const numRuns = Number(process.env["EVIDENCE_RUNS"] ?? 60);
const timeout = 20_000 + numRuns * 500;

function judge(events: readonly unknown[], metadata = complete): Verdict {
  return reconcileOutcome(events, { normalizationMetadata: metadata });
}

test("every generated window is a success", () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const verdict = judge(buildWindow(shape).map(({ event }) => event));
      expect({ status: verdict.status, findings: verdict.findings }).toEqual({
        status: "success",
        findings: [],
      });
    }),
    { numRuns },
  );
});

test("each single change gives something other than success", { timeout }, () => {
  let judged = 0;
  fc.assert(
    fc.property(shapes, (shape) => {
      for (const { name, events, metadata } of mutants(buildWindow(shape))) {
        judged += 1;
        if (judge(events, metadata).status === "success") throw new Error(`success: ${name}`);
      }
    }),
    { numRuns },
  );
  expect(judged).toBeGreaterThan(numRuns * 40);
});

test("order, repetition and pages change no verdict", { timeout }, () => {
  const mixed = fc.tuple(shapes, fc.nat(), fc.infiniteStream(fc.nat({ max: 1 << 20 })));
  fc.assert(
    fc.property(mixed, fc.integer({ min: 1, max: 7 }), ([shape, pick, numbers], pageSize) => {
      const parts = buildWindow(shape);
      const variants = [{ events: parts.map(({ event }) => event) }, ...mutants(parts)];
      const variant = variants[pick % variants.length] as { readonly events: readonly Json[] };
      const { events } = variant;
      const first = judge(events);
      const copies = events.flatMap((event) => [event, structuredClone(event)]);
      const keyed = copies.map((event) => ({ event, key: numbers.next().value as number }));
      const shuffled = keyed.toSorted((a, b) => a.key - b.key).map(({ event }) => event);
      expect(judge(shuffled)).toEqual(first);
      if (normalizeEvents(events).errors.length > 0) return;
      const joined = joinPages(pagesOf(shuffled, pageSize));
      const again = judge(joined.events, joined.normalization_metadata);
      expect({ ...again, as_of: first.as_of }).toEqual(first);
    }),
    { numRuns },
  );
});

/** Reads the events page by page, as a client follows cursors. */
function pagesOf(
  values: readonly unknown[],
  size: number,
): { readonly cursor: string | null; readonly page: EventPage }[] {
  const { events } = normalizeEvents(values);
  const pages = [];
  for (let from = 0; from < events.length; from += size) {
    const slice = events.slice(from, from + size);
    const next = from + size < events.length ? `cursor-${from + size}` : null;
    const read = { sourceRows: slice.length, bundleCount: 1, duplicatesRemoved: 0, errors: [] };
    const page = buildPage(
      { events: slice, ...read, bounded: false },
      { limit: size, continued: from > 0, nextCursor: next, asOf: "2999-01-01T00:00:00Z" },
    );
    pages.push({ cursor: from === 0 ? null : `cursor-${from}`, page });
  }
  return pages;
}
