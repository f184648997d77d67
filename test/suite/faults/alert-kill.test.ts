/**
 * Alerts of a real process that is killed at any moment: each alarm arrives, and one that arrives
 * again has the same id and the same body. `ALERT_KILLS` sets how often.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openReceiver, secret } from "../collector/alert-receiver.ts";
import type { Receiver } from "../collector/alert-receiver.ts";
import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";
import { sendFailedTurn } from "./failed-turn.ts";

const kills = Number(process.env["ALERT_KILLS"] ?? 8);
const rules = `version: 1
rules:
  - {name: errors, measure: error_share, by: agent, window: 1h, above: 0}
  - {name: unproven, measure: verdict_share, verdict: unknown, by: agent, window: 1h, above: 0.5}
`;

let receiver: Receiver;
let dataDir: string;
let env: Record<string, string>;
let child: CollectorChild;
beforeAll(async () => {
  receiver = await openReceiver();
  dataDir = mkdtempSync(join(tmpdir(), "turnproof-alert-kill-"));
  const file = join(dataDir, "rules.yaml");
  writeFileSync(file, rules);
  env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_GRPC_PORT: "off",
    TURNPROOF_ALERT_RULES: file,
    TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
    TURNPROOF_ALERT_SECRET: secret,
  };
  child = await startCollector(dataDir, env);
});
afterAll(async () => {
  await child.kill();
  await receiver.close();
});

const alarms = (): Set<string> =>
  new Set(
    receiver.got.map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
      return `${type} ${data["rule"]} ${data["group"]}`;
    }),
  );

test("no alarm is lost over kills, and a repeat is the same message", async () => {
  const agents: string[] = [];
  for (let index = 0; index < kills; index += 1) {
    const agent = `agent-${index}`;
    await sendFailedTurn(child.url, agent, index + 1);
    agents.push(agent);
    await after(Math.random() * 3_500);
    await child.kill();
    child = await startCollector(dataDir, env);
  }
  const expected = agents.flatMap((agent) =>
    ["errors", "unproven"].map((rule) => `turnproof.alert.firing ${rule} ${agent}`),
  );
  await vi.waitFor(() => expect([...alarms()].toSorted()).toEqual(expected.toSorted()), 60_000);
  const bodies = Map.groupBy(receiver.got, ({ id }) => id);
  expect(bodies.size).toBe(expected.length);
  for (const same of bodies.values()) expect(new Set(same.map(({ body }) => body)).size).toBe(1);
}, 600_000);
