/** Span table: every node is on exactly one page, in order, and unknown values come last. */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { spanColumns, spanPage, spansPerPage } from "./span-table.ts";
import type { SpanRow } from "./span-table.ts";

function waterfallOf(durations: readonly (number | null)[]) {
  const startMs = Date.parse("2026-11-21T10:00:00Z");
  const events = durations.map((ms, at): TurnEvent => ({
    schema_version: 3,
    event_id: `e${at}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: at % 3 === 0 ? "error" : "success",
    timestamp: new Date(startMs + at + (ms ?? 0)).toISOString(),
    ...(ms === null ? {} : { started_at: new Date(startMs + at).toISOString(), duration_ms: ms }),
    span_id: `${at}`.padStart(16, "0"),
    root_trace_id: "root",
    turn_id: "turn",
    agent_id: "agent",
    attributes: { tool_name: `tool-${at % 5}` },
  }));
  return buildCausalWaterfall(events);
}

test("pages have every span once, sorted either way, with unknown values last", () => {
  const durations = fc.array(fc.option(fc.nat(5_000), { freq: 4 }), {
    minLength: 1,
    maxLength: 2.2 * spansPerPage,
  });
  fc.assert(
    fc.property(durations, fc.boolean(), fc.constantFrom(...spanColumns), (all, descending, by) => {
      const waterfall = waterfallOf(all);
      const first = spanPage(waterfall, { by, descending, page: 1 });
      const rows: SpanRow[] = [];
      for (let page = 1; page <= first.pages; page += 1) {
        rows.push(...spanPage(waterfall, { by, descending, page }).rows);
      }
      expect(new Set(rows.map(({ node }) => node.event_id)).size).toBe(all.length);
      expect([rows.length, first.total]).toEqual([all.length, all.length]);
      expect(spanPage(waterfall, { by, descending, page: 99 }).page).toBe(first.pages);
      if (by !== "duration") return;
      const shown = rows.map(({ node }) => node.duration_ms);
      const known = shown.filter((ms) => ms !== null);
      expect(known).toEqual(known.toSorted((a, b) => (descending ? b - a : a - b)));
      expect(shown.slice(0, known.length)).toEqual(known);
    }),
    { numRuns: 40 },
  );
});
