/** What an operator does at one collector, at the others of the same store. */
import { ephemeral } from "@turnproof/store";
import { afterEach, expect, test, vi } from "vitest";

import { sharedKeep } from "../../../collector/src/alerts/alert-storage.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { openAlerts } from "./alert-desk.ts";
import { stateRows } from "./state-rows.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const clock = { ms: start };
const rules = `
  - {name: error, measure: error_share, by: agent, window: 10m, above: 0.5}
`;
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

let closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.toReversed()) await close();
  closes = [];
});

test("a silence is shown at each collector as soon as it is set at one", async () => {
  const [state, store] = [stateRows(), ephemeral()];
  const times = { renewMs: 10, holdMs: 60_000, settleMs: 10 };
  const never = 1_000_000_000;
  const openAt = async (everyMs: number): Promise<Alerts> => {
    const keep = sharedKeep(state, "test", times);
    const alerts = await openAlerts(store, clock, { rules, targets: [], keep, everyMs });
    closes.push(() => alerts.close());
    return alerts;
  };
  const leader = await openAt(20);
  await soon(() => expect(leader.document.looked_ms).toBe(clock.ms));
  // These look once and not again.
  const [second, third] = [await openAt(never), await openAt(never)];
  const until = new Date(start + 60_000).toISOString();
  await second.silence({ rule: "error", group: null, until, by: "root" });
  expect((await third.shown()).silences).toMatchObject([{ rule: "error", until }]);
  expect((await leader.shown()).silences).toMatchObject([{ rule: "error", until }]);
  await third.silence({ rule: "error", group: null, until: new Date(0).toISOString(), by: "root" });
  expect((await second.shown()).silences).toEqual([]);
  state.away = true;
  expect((await second.shown()).silences).toMatchObject([{ rule: "error" }]);
  // On close, the collector that evaluates the rules writes their shared document to its store.
  state.away = false;
});
