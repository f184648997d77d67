/** Forward to a second collector: it has the same events, with the same verdicts and insights. */
import { buildCausalWaterfall, findInsights, reconcileOutcome } from "@turnproof/evidence";
import type { Insight, TurnEvent, Verdict } from "@turnproof/evidence";
import { expect, test, vi } from "vitest";

import { sendRecordings } from "../../apps/recorded.ts";
import { sendWeek } from "../../apps/week/week.ts";
import { openForwarding, wait } from "./forwarding.ts";
import { openHarness } from "./harness.ts";

/** What both collectors must agree on: all but what each adds at receipt. */
function stated(events: readonly TurnEvent[]): readonly TurnEvent[] {
  return events
    .map(({ received_at: _at, dropped: _dropped, ...event }) => event)
    .toSorted((a, b) =>
      `${a.root_trace_id}${a.event_id}` < `${b.root_trace_id}${b.event_id}` ? -1 : 1,
    );
}

interface Shown {
  readonly verdict: Verdict;
  readonly insights: readonly Insight[];
  readonly waterfall: unknown;
}

/** Verdict, findings, insights and waterfall of each root, by root. */
function shown(events: readonly TurnEvent[]): ReadonlyMap<string, Shown> {
  const roots = Map.groupBy(stated(events), ({ root_trace_id: root = "" }) => root);
  return new Map(
    [...roots].map(([root, of]) => {
      const { insights } = findInsights(of, { scope: "turn" });
      return [
        root,
        { verdict: reconcileOutcome(of), insights, waterfall: buildCausalWaterfall(of) },
      ];
    }),
  );
}

/** A web request that failed: structure, whose error is its own. */
function failedStructure(): object {
  const nanoseconds = `${Date.now() - 1_000}000000`;
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const span = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    name: "POST",
    kind: 3,
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes: [text("http.request.method", "POST"), text("error.type", "AI_APICallError")],
    status: { code: 2 },
  };
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: "web" }, spans: [span] }] }] };
}

test("a second collector has the same events", async () => {
  const second = await openHarness();
  const first = await openForwarding(`${second.server.url}/v1/traces`);
  const recorded = await sendRecordings(first.harness.server.url, { endMs: Date.now(), salt: "a" });
  const failing = await fetch(`${first.harness.server.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(failedStructure()),
  });
  expect(failing.status).toBe(200);
  const sent = recorded + 1;
  const events = await first.harness.events();
  await vi.waitFor(() => expect(first.forward.state().sent_spans).toBe(sent), wait);
  expect(stated(await second.events())).toEqual(stated(events));
  // An error of structure is no repetition of another span's.
  expect(events.some(({ attributes: of }) => of.error_type === "AI_APICallError")).toBe(true);
  // The field that data.md names as different.
  expect(new Set(events.map(({ dialect }) => dialect)).size).toBeGreaterThan(1);
  expect(events.some(({ dropped }) => dropped !== undefined)).toBe(true);
  for (const { dropped } of await second.events()) expect(dropped).toBeUndefined();
  expect(first.harness.receiver.report().forward).toMatchObject({
    pending_spans: 0,
    failing: false,
    lost_spans: { queue_full: 0, refused: 0, damaged: 0, unmapped: 0 },
  });
  await first.close();
  await second.close();
});

test("turns of a week are the same there, event by event", { timeout: 120_000 }, async () => {
  const second = await openHarness();
  const first = await openForwarding(`${second.server.url}/v1/traces`);
  const week = { endMs: Date.now(), turns: 120, seed: "a forwarded week" };
  await sendWeek({ endpoint: first.harness.server.url, ...week });
  const events = stated(await first.harness.events());
  await vi.waitFor(() => expect(first.forward.state().pending_spans).toBe(0), wait);
  const there = stated(await second.events());
  expect(there).toHaveLength(events.length);
  for (const [index, event] of events.entries()) expect(there[index]).toEqual(event);
  const [here, again] = [shown(events), shown(there)];
  expect(again.size).toBe(here.size);
  for (const [root, shows] of here) expect([root, again.get(root)]).toEqual([root, shows]);
  expect([...here.values()].some(({ insights }) => insights.length > 0)).toBe(true);
  await first.close();
  await second.close();
});
