/**
 * @module Alert bench: how long after a turn was acknowledged its alert arrives, and what becomes
 * of alerts over many kills: `npm run build && npx node -C @turnproof/source
 * test/bench/alerts/run.ts [kills] [turns]`. The built collector is killed at random moments after
 * the acknowledgement and started again over the same data; the receiver checks each signature.
 * Prints seconds, and how many alerts were lost, repeated under their id, or doubled under another.
 * Exits with 1 if one was lost or doubled.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { openReceiver, secret } from "../../suite/collector/alert-receiver.ts";
import { startCollector } from "../../suite/faults/collector-child.ts";

const kills = Number(process.argv[2] ?? 300);
const turns = Number(process.argv[3] ?? 30);
/** After a turn the collector is killed within this time: most alerts are on their way then. */
const killWithinMs = 3_500;
const rules = `version: 1
rules:
  - {name: errors, measure: error_share, by: agent, window: 6h, above: 0}
`;

const dataDir = await mkdtemp(join(tmpdir(), "turnproof-bench-alerts-"));
const receiver = await openReceiver();
await writeFile(join(dataDir, "rules.yaml"), rules);
const env = {
  TURNPROOF_BACKEND: "filesystem",
  TURNPROOF_GRPC_PORT: "off",
  TURNPROOF_ALERT_RULES: join(dataDir, "rules.yaml"),
  TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
  TURNPROOF_ALERT_SECRET: secret,
};
let child = await startCollector(dataDir, env);
const acknowledged = new Map<string, number>();
try {
  for (let index = 0; index < turns; index += 1) {
    await send(`calm-${index}`);
    await wait(Math.random() * 2_000);
  }
  await arrived();
  print("undisturbed", [...acknowledged.keys()]);
  const disturbed: string[] = [];
  for (let index = 0; index < kills; index += 1) {
    const agent = `killed-${index}`;
    await send(agent);
    disturbed.push(agent);
    await wait(Math.random() * killWithinMs);
    await child.kill();
    child = await startCollector(dataDir, env);
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

/** Sends a turn of this agent in which a tool failed, until it is acknowledged. */
async function send(agent: string): Promise<void> {
  const id = acknowledged.size + 1;
  const [traceId, root, tool] = [32, 16, 16].map((digits, at) =>
    (id * 10 + at).toString(16).padStart(digits, "0"),
  );
  const now = BigInt(Date.now()) * 1_000_000n;
  const span = (spanId: string | undefined, name: string, more: object): object => ({
    traceId,
    spanId,
    name,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
    attributes: {
      "gen_ai.operation.name": name,
      "gen_ai.agent.name": agent,
      "gen_ai.agent.id": agent,
    },
    ...more,
  });
  const failed = { parentSpanId: root, status: { code: 2 } };
  const all = [span(root, "invoke_agent", {}), span(tool, "execute_tool", failed)];
  const body = encodeProtobuf(traceRequest(all as never, { "service.name": "bench" }));
  const headers = { "content-type": "application/x-protobuf" };
  const answer = await fetch(`${child.url}/v1/traces`, {
    method: "POST",
    headers,
    body: body as BodyInit,
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  acknowledged.set(agent, Date.now());
}

/** Agent of each message. */
function agents(): readonly string[] {
  return receiver.got.flatMap(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { group: string } };
    return type === "turnproof.alert.firing" ? data.group : [];
  });
}

/** Waits for all alerts, at most a minute. */
async function arrived(): Promise<void> {
  for (let waited = 0; waited < 600 && new Set(agents()).size < acknowledged.size; waited += 1) {
    await wait(100);
  }
}

function print(name: string, of: readonly string[]): void {
  const all = agents();
  const took = of
    .flatMap((agent) => {
      const at = receiver.got[all.indexOf(agent)]?.atMs;
      return at === undefined ? [] : (at - (acknowledged.get(agent) ?? 0)) / 1_000;
    })
    .toSorted((a, b) => a - b);
  const part = (share: number): string =>
    (took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? Number.NaN).toFixed(1);
  console.log(`${name}: ${part(0.5)} s median, ${part(0.95)} s p95, ${part(1)} s longest`);
}

function report(): void {
  const lost = [...acknowledged.keys()].filter((agent) => !agents().includes(agent)).length;
  const ids = Map.groupBy(receiver.got, ({ id }) => id);
  const doubled = ids.size - new Set(agents()).size;
  const repeats = receiver.got.length - ids.size;
  console.log(`${acknowledged.size} alerts: ${lost} lost, ${repeats} repeats, ${doubled} doubled`);
  if (lost > 0 || doubled > 0) process.exitCode = 1;
}
