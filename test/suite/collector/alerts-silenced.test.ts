/** A silence of an alert that was sent before: what Alertmanager is sent meanwhile. */
import { ephemeral } from "@turnproof/store";
import { expect, test, vi } from "vitest";

import { openAlerts, putTurns } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const rules = `
  - {name: error, measure: error_share, by: agent, window: 1h, above: 0.5}
`;
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

test("Alertmanager gets no repeat of a silenced alert, and gets it again after the silence", async () => {
  const [clock, store, receiver] = [{ ms: start }, ephemeral(), await openReceiver()];
  await putTurns(store, start - 60_000, [
    { root: "a", agent: "a", failed: true },
    { root: "b", agent: "b", failed: true },
  ]);
  const targets = [{ name: "am", kind: "alertmanager" as const, url: receiver.url }];
  const alerts = await openAlerts(store, clock, { rules, targets });
  /** Agents of the posts since a time, by the `endsAt` of each. */
  const posted = (sinceMs: number): readonly (string | undefined)[] =>
    receiver.got
      .flatMap(({ body }) => JSON.parse(body) as { endsAt: string; labels: { agent?: string } }[])
      .filter(({ endsAt }) => Date.parse(endsAt) >= sinceMs + 10 * 60_000)
      .map(({ labels }) => labels.agent);
  try {
    await soon(() => expect(new Set(posted(start))).toEqual(new Set(["a", "b"])));
    const until = new Date(start + 150_000).toISOString();
    await alerts.silence({ rule: "error", group: "a", until, by: "root" });
    for (const minute of [61_000, 122_000]) {
      clock.ms = start + minute;
      await soon(() => expect(posted(start + minute)).toContain("b"));
    }
    // Of a rule its alerts are sent in their order: had `a` been sent, it would be there.
    clock.ms = start + 183_000;
    await soon(() => expect(posted(start + 183_000)).toEqual(expect.arrayContaining(["a", "b"])));
    expect(posted(start + 61_000).filter((agent) => agent === "a")).toHaveLength(1);
  } finally {
    await alerts.close();
    await receiver.close();
  }
});
