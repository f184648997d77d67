/**
 * Alerts look soon after the judge has settled turns: the timer of these alerts never comes, so
 * that the message follows from the judge's signal.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import { openAlerts } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const never = 1_000_000_000;
const rules = `
  - {name: judged, measure: verdict_share, verdict: success, window: 1h, above: 0, min_count: 1}
`;
/** Waits for a result on a machine that runs other tests as well. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

test("a verdict brings the message of its alert, without a timer", async () => {
  const receiver = await openReceiver();
  const stand = new Stand(mkdtempSync(join(tmpdir(), "turnproof-wake-")));
  const clock = {
    get ms() {
      return stand.now;
    },
    set ms(_to: number) {},
  };
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  const alerts = await openAlerts(stand.store, clock, { rules, targets, everyMs: never });
  // The first look finds no turn.
  await soon(() => expect(alerts.document.looked_ms).toBe(start));
  await stand.put(turnAt("root-1", start));
  stand.now += 10_000;
  const judge = stand.judge({}, { onSettled: (sinceMs) => alerts.wake(sinceMs) });
  expect(await judge.look()).toBe(1);
  expect(await stand.verdicts()).toEqual({ "root-1": "success" });
  await soon(() => expect(receiver.got).toHaveLength(1));
  expect(JSON.parse(receiver.got[0]?.body ?? "")).toMatchObject({
    type: "turnproof.alert.firing",
    timestamp: isoOf(stand.now),
  });
  // A check that settles nothing wakes nothing.
  let woken = 0;
  const again = stand.judge({}, { onSettled: () => (woken += 1) });
  await again.look();
  expect(woken).toBe(0);
  await Promise.all([judge.close(), again.close(), alerts.close()]);
  await receiver.close();
});
