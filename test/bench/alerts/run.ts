/**
 * @module Alert bench: how long after a turn was acknowledged its alert arrives, and what becomes
 * of alerts over many kills: `npm run build && npx node -C @turnproof/source
 * test/bench/alerts/run.ts [kills] [turns]`. Rules of an error, a verdict, a finding and a contract
 * are measured, each by itself. The built collector is killed at random moments after
 * the acknowledgement and started again over the same data; the receiver checks each signature.
 * Prints seconds, and how many alerts were lost, repeated under their id, or doubled under another.
 * Exits with 1 if one was lost or doubled.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { openReceiver, secret } from "../../suite/collector/alert-receiver.ts";
import type { Received } from "../../suite/collector/alert-receiver.ts";
import { startCollector } from "../../suite/faults/collector-child.ts";
import { sendFailedTurn } from "../../suite/faults/failed-turn.ts";

const kills = Number(process.argv[2] ?? 300);
const turns = Number(process.argv[3] ?? 30);
/** After a turn the collector is killed within this time: most alerts are on their way then. */
const killWithinMs = 3_500;
const rules = `version: 1
rules:
  - {name: error, measure: error_share, by: agent, window: 6h, above: 0}
  - {name: verdict, measure: verdict_share, verdict: unknown, by: agent, window: 6h, above: 0}
  - {name: finding, measure: findings, finding: turn_failed, by: agent, window: 6h, above: 0}
  - {name: contract, measure: contract_share, contract: errors, by: agent, window: 6h, above: 0}
`;
const names = ["error", "verdict", "finding", "contract"] as const;
const contracts = `version: 1
contracts:
  - name: errors
    expect:
      - { clause: tools, allowed: [lookup] }
`;

const dataDir = await mkdtemp(join(tmpdir(), "turnproof-bench-alerts-"));
const receiver = await openReceiver();
await writeFile(join(dataDir, "rules.yaml"), rules);
await mkdir(join(dataDir, "contracts"));
await writeFile(join(dataDir, "contracts", "contracts.yaml"), contracts);
const env = {
  TURNPROOF_BACKEND: "filesystem",
  TURNPROOF_GRPC_PORT: "off",
  TURNPROOF_CONTRACTS: join(dataDir, "contracts"),
  TURNPROOF_ALERT_RULES: join(dataDir, "rules.yaml"),
  TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
  TURNPROOF_ALERT_SECRET: secret,
};
let child = await startCollector(dataDir, env);
const acknowledged = new Map<string, number>();
/** From each kill until the next collector listened. */
const away: { readonly fromMs: number; readonly toMs: number }[] = [];
try {
  for (let index = 0; index < turns; index += 1) {
    await send(`calm-${index}`);
    await wait(Math.random() * 2_000);
  }
  await arrived();
  if (turns > 0) print("undisturbed", [...acknowledged.keys()]);
  const disturbed: string[] = [];
  for (let index = 0; index < kills; index += 1) {
    const agent = `killed-${index}`;
    await send(agent);
    disturbed.push(agent);
    await wait(Math.random() * killWithinMs);
    const killedMs = Date.now();
    await child.kill();
    child = await startCollector(dataDir, env);
    away.push({ fromMs: killedMs, toMs: Date.now() });
    if (index % 50 === 49) console.log(`# ${index + 1} kills`);
  }
  await arrived();
  if (disturbed.length > 0) print(`over ${kills} kills, restarts included`, disturbed);
  report();
} finally {
  await child.kill();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Sends a turn of this agent in which a tool failed. */
async function send(agent: string): Promise<void> {
  await sendFailedTurn(child.url, agent, acknowledged.size + 1);
  acknowledged.set(agent, Date.now());
}

/** Start of an alert of each rule and agent, in the order of arrival. */
function alarms(): readonly { readonly key: string; readonly got: Received }[] {
  return receiver.got.flatMap((got) => {
    const { type, data } = JSON.parse(got.body) as {
      type: string;
      data: { rule: string; group: string };
    };
    return type === "turnproof.alert.firing" ? { key: `${data.rule} ${data.group}`, got } : [];
  });
}

/** Waits for all alerts, at most a minute. */
async function arrived(): Promise<void> {
  const wanted = acknowledged.size * names.length;
  const seen = (): number => new Set(alarms().map(({ key }) => key)).size;
  for (let waited = 0; waited < 600 && seen() < wanted; waited += 1) {
    await wait(100);
  }
}

/**
 * Seconds from the acknowledgement to the message: all of them, those in which a collector ran,
 * those to the look that found it, and those from there.
 */
function print(name: string, of: readonly string[]): void {
  for (const rule of names) printRule(`${name}, ${rule}`, rule, of);
}

function printRule(name: string, rule: string, of: readonly string[]): void {
  const all = alarms();
  const took = of.flatMap((agent) => {
    const got = all.find(({ key }) => key === `${rule} ${agent}`)?.got;
    if (got === undefined) return [];
    const began = acknowledged.get(agent) ?? 0;
    const { timestamp } = JSON.parse(got.body) as { timestamp: string };
    const lookedMs = Date.parse(timestamp);
    const whole = got.atMs - began;
    const down = away.reduce(
      (sum, { fromMs, toMs }) =>
        sum + Math.max(0, Math.min(toMs, got.atMs) - Math.max(fromMs, began)),
      0,
    );
    return { whole, up: whole - down, found: lookedMs - began, sent: got.atMs - lookedMs };
  });
  for (const stage of ["whole", "up", "found", "sent"] as const) {
    const seconds = took.map((one) => one[stage] / 1_000).toSorted((a, b) => a - b);
    const part = (share: number): string =>
      (seconds[Math.min(seconds.length - 1, Math.floor(share * seconds.length))] ?? NaN).toFixed(2);
    const mean = (seconds.reduce((sum, one) => sum + one, 0) / seconds.length).toFixed(2);
    console.log(
      `${name}, ${stage}: ${mean} s mean, ${part(0.5)} median, ${part(0.95)} p95, ${part(1)} longest`,
    );
  }
}

function report(): void {
  const seen = new Set(alarms().map(({ key }) => key));
  const wanted = [...acknowledged.keys()].flatMap((agent) =>
    names.map((rule) => `${rule} ${agent}`),
  );
  const lost = wanted.filter((key) => !seen.has(key)).length;
  const ids = new Set(alarms().map(({ got }) => got.id)).size;
  const [repeats, doubled] = [alarms().length - ids, ids - seen.size];
  console.log(`${wanted.length} alerts: ${lost} lost, ${repeats} repeats, ${doubled} doubled`);
  if (lost > 0 || doubled > 0) process.exitCode = 1;
}
