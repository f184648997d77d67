/**
 * @module Receive bench: `node -C @turnproof/source test/bench/receive/run.ts [seconds] [parts]`
 * (parts: `durable,stored,acknowledged` by default all). Spans a
 * second through HTTP until durable and until stored, acknowledgement at a fixed rate, event-loop
 * delay and memory, with and without threads, beside the engine's own insert of the same rows in
 * the same run. The receiver is a process of its own; this one generates the load. Figures of a
 * shared machine are good for ratios only.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { ChildMeasures } from "../../servers/receiver-child.ts";
import { startReceiver } from "../../servers/receiver-process.ts";
import type { ReceiverProcess } from "../../servers/receiver-process.ts";
import { batches, spansPerBatch } from "./payloads.ts";
import type { Load } from "./payloads.ts";

const seconds = Number(process.argv[2] ?? 4);
const parts = new Set((process.argv[3] ?? "durable,stored,acknowledged").split(","));
const connections = 8;
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** Posts one body; answers the status. */
function post(url: string, body: Uint8Array, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v1/traces`, {
      agent,
      method: "POST",
      headers: {
        "content-type": "application/x-protobuf",
        "content-encoding": encoding,
        "content-length": body.byteLength,
      },
    });
    outgoing.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Sends as fast as answers come; spans that were acknowledged. */
async function flood(receiver: ReceiverProcess, load: Load, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let next = 0;
  let spans = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const body = load.bodies[next++ % load.bodies.length] as Uint8Array;
      const status = await post(receiver.url, body, load.encoding);
      if (status === 200) spans += spansPerBatch;
      else await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return spans;
}

const round = (value: number, digits = 0): string =>
  value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });

function show(
  name: string,
  spans: number,
  elapsedMs: number,
  from: ChildMeasures,
  to: ChildMeasures,
): void {
  const cpuSeconds = (to.cpuMicros - from.cpuMicros) / 1e6;
  const columns = [
    name.padEnd(38),
    `${round((spans / elapsedMs) * 1_000).padStart(9)} spans/s`,
    `${round(spans / cpuSeconds).padStart(9)} spans/CPU-s`,
    `loop p99 ${round(to.loopP99Ms, 1).padStart(6)} ms`,
    `max ${round(to.loopMaxMs, 0).padStart(4)} ms`,
    `peak RSS ${round(to.peakRssBytes / 2 ** 20).padStart(5)} MiB`,
  ];
  console.log(columns.join("  "));
}

/** Until durable; the drain reads, decodes and throws away, as it must whatever the store. */
async function durable(load: Load, threads: number): Promise<void> {
  const receiver = await startReceiver({ store: "discard", threads });
  await flood(receiver, load, 1_500);
  await receiver.request("idle");
  const before = await receiver.request("reset");
  const started = performance.now();
  const spans = await flood(receiver, load, seconds * 1_000);
  const elapsed = performance.now() - started;
  show(
    `durable: ${load.name}, ${threads} threads`,
    spans,
    elapsed,
    before,
    await receiver.request("measures"),
  );
  await receiver.close();
}

/** Until stored: embedded engine, until nothing is pending; then the engine alone, same rows. */
async function stored(load: Load, threads: number): Promise<void> {
  const receiver = await startReceiver({ store: "clickhouse", threads });
  await flood(receiver, load, 1_500);
  await receiver.request("idle");
  const before = await receiver.request("reset");
  const started = performance.now();
  const spans = await flood(receiver, load, seconds * 1_000);
  const after = await receiver.request("idle");
  show(
    `stored: ${load.name}, ${threads} threads`,
    spans,
    performance.now() - started,
    before,
    after,
  );
  if (!after.conservation.balanced) throw new Error("the count does not balance");
  await receiver.close({ keep: true });
  await engineAlone(receiver.directory);
  await receiver.remove();
}

/** The engine's own insert of the rows that are there, into a table of the same form. */
async function engineAlone(directory: string): Promise<void> {
  const engine = await openEngine({ dataDir: join(directory, "clickhouse") });
  await engine.command("CREATE TABLE engine_alone AS bundles");
  const started = performance.now();
  const cpu = process.cpuUsage();
  await engine.command(
    "INSERT INTO engine_alone SELECT * FROM bundles SETTINGS max_insert_threads = 1, max_threads = 1",
  );
  const used = process.cpuUsage(cpu);
  const elapsed = performance.now() - started;
  const counted = await engine.query("SELECT count() AS rows FROM engine_alone");
  const rows = Number(counted.columns.get("rows")?.[0] ?? 0);
  const cpuSeconds = (used.user + used.system) / 1e6;
  console.log(
    `${"engine alone, the same rows".padEnd(38)}  ${round((rows / elapsed) * 1_000).padStart(9)} rows/s   ${round(rows / cpuSeconds).padStart(9)} rows/CPU-s`,
  );
  await engine.close();
}

/** Acknowledgement at 5,000 spans a second in batches of 50, open loop. */
async function acknowledgement(threads: number): Promise<void> {
  const receiver = await startReceiver({ store: "clickhouse", threads });
  const { bodies } = batches("small", 200, false, "identity", 10_000_000, 50);
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const send = async (body: Uint8Array, due: number): Promise<void> => {
    if ((await post(receiver.url, body, "identity")) === 200) times.push(performance.now() - due);
  };
  for (let index = 0; index < 100; index++)
    await post(receiver.url, bodies[index % 200] as Uint8Array, "identity");
  await receiver.request("reset");
  const started = performance.now();
  for (let index = 0; index < seconds * 100; index++) {
    const due = started + index * 10;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    running.push(
      send(bodies[index % bodies.length] as Uint8Array, Math.max(due, performance.now())),
    );
  }
  await Promise.all(running);
  const after = await receiver.request("idle");
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    round(times[Math.floor(times.length * share)] ?? Number.NaN, 2);
  console.log(
    `acknowledged at 5,000 spans/s, ${threads} threads: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, loop p99 ${round(after.loopP99Ms, 1)} ms, max ${round(after.loopMaxMs, 1)} ms`,
  );
  await receiver.close();
}

/** What the disk alone answers, in the same seconds: an acknowledgement cannot be quicker. */
async function diskAlone(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "disk-"));
  const file = await open(join(folder, "alone"), "w");
  const frame = Buffer.alloc(40_000, 1);
  const times: number[] = [];
  for (let index = 0; index < 300; index++) {
    const started = performance.now();
    await file.write(frame);
    await file.datasync();
    times.push(performance.now() - started);
    await sleep(10);
  }
  await file.close();
  await rm(folder, { recursive: true });
  times.sort((a, b) => a - b);
  console.log(
    `fdatasync alone: p50 ${round(times[150] ?? 0, 2)} ms, p99 ${round(times[297] ?? 0, 2)} ms`,
  );
}

const own = batches("own spans", 60, false, "identity");
const content = batches("11 kB of content", 8, true, "identity");
const zipped = batches("11 kB of content, gzip", 24, true, "gzip");
console.log(
  `bytes a span: own ${round(own.bytesPerSpan)}, with content ${round(content.bytesPerSpan)}`,
);
if (parts.has("durable")) {
  for (const threads of [0, 1, 2]) {
    for (const load of [own, content, zipped]) await durable(load, threads);
  }
}
if (parts.has("stored")) {
  for (const threads of [0, 1]) await stored(own, threads);
  await stored(content, 1);
}
if (parts.has("acknowledged")) {
  for (const threads of [0, 1]) {
    await acknowledgement(threads);
    await diskAlone();
  }
}
agent.destroy();
