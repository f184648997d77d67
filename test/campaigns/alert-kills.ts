/**
 * @module Alert kills: the collector is killed (-9) around alerts: after each turn that breaks two
 * rules, at a random moment before, while or after their messages are made and sent.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Campaign, Figures } from "./campaign.ts";
import { openReceiver, secret } from "../suite/collector/alert-receiver.ts";
import type { Received } from "../suite/collector/alert-receiver.ts";
import { startCollector } from "../suite/faults/collector-child.ts";
import type { CollectorChild } from "../suite/faults/collector-child.ts";
import { sendFailedTurn } from "../suite/faults/failed-turn.ts";

const killsOfRound = 5;
/** Most alerts are on their way within this time. */
const killWithinMs = 9_000;
/** A busy machine takes long. */
const arriveMsMax = 120_000;
const names = ["errors", "unproven"];
const rules = `version: 1
rules:
  - {name: errors, measure: error_share, by: agent, window: 6h, above: 0}
  - {name: unproven, measure: verdict_share, verdict: unknown, by: agent, window: 6h, above: 0.5}
`;

function firing(got: readonly Received[]): ReadonlySet<string> {
  return new Set(
    got.flatMap(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
      return type === "turnproof.alert.firing" ? `${data["rule"]} ${data["group"]}` : [];
    }),
  );
}

async function round(): Promise<Figures> {
  const dataDir = await mkdtemp(join(tmpdir(), "campaign-alerts-"));
  const receiver = await openReceiver();
  const file = join(dataDir, "rules.yaml");
  await writeFile(file, rules);
  const env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_GRPC_PORT: "off",
    TURNPROOF_ALERT_RULES: file,
    TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
    TURNPROOF_ALERT_SECRET: secret,
  };
  let child: CollectorChild | undefined;
  const expected: string[] = [];
  try {
    child = await startCollector(dataDir, env);
    for (let index = 0; index < killsOfRound; index += 1) {
      const agent = `agent-${index}`;
      await sendFailedTurn(child.url, agent, index + 1);
      expected.push(...names.map((name) => `${name} ${agent}`));
      await sleep(Math.random() * killWithinMs);
      await child.kill();
      child = await startCollector(dataDir, env);
    }
    for (let waited = 0; waited < arriveMsMax; waited += 100) {
      if (firing(receiver.got).size >= expected.length) break;
      await sleep(100);
    }
  } finally {
    await child?.kill();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  assert.deepEqual([...firing(receiver.got)].toSorted(), expected.toSorted(), "alerts were lost");
  const ids = Map.groupBy(receiver.got, ({ id }) => id);
  assert.equal(ids.size, expected.length, "an alert was sent under two ids");
  for (const same of ids.values()) {
    assert.equal(new Set(same.map(({ body }) => body)).size, 1, "a repeat has another body");
  }
  const repeats = receiver.got.length - ids.size;
  return { kills: killsOfRound, alerts: expected.length, repeats };
}

/** Kills around alerts. */
export const alertKills: Campaign = {
  name: "kills-alerts",
  promise:
    "Over kills (-9) of the collector around alerts, no alert is lost, and one that is sent again " +
    "has the same id and the same body.",
  unit: "kills",
  goal: 300,
  open: async () => ({ round, close: async () => {} }),
};
