/**
 * @module Receiver child: the receiving side in a process of its own, so that its memory, its CPU
 * and its event loop can be measured apart from who sends. Started by fork; answers messages with a
 * `request`.
 */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { CodedError } from "@turnproof/semconv";
import { clickhouse, ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { Hono } from "hono";

import type { ConservationSnapshot } from "../../collector/src/receive/conservation.ts";
import type { AppEnv } from "../../collector/src/http/environment.ts";
import { silentLog } from "../../collector/src/log.ts";
import { openReceiver } from "../../collector/src/receive/otlp/receiver.ts";
import { listen } from "../../collector/src/server.ts";

/** Where the drain writes: the embedded engine, memory, nowhere (but confirms), or a store away. */
export type ChildStore = "clickhouse" | "ephemeral" | "discard" | "down";

/** What the parent passes as the only argument, in JSON. */
export interface ChildOptions {
  readonly directory: string;
  readonly store: ChildStore;
  readonly threads: number;
  readonly journalBytesMax?: number;
}

/** Answer to a `request`; `request: "reset"` starts the measures anew. */
export interface ChildMeasures {
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly cpuMicros: number;
  readonly loopP50Ms: number;
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** Longest turn of the event loop since the last answer, in CPU of its thread. */
  readonly turnCpuMs: number;
  readonly conservation: ConservationSnapshot;
}

type Writer = Pick<EvidenceStore, "append" | "appendPrepared" | "capabilities" | "readBack">;

async function openWriter(options: ChildOptions): Promise<Writer> {
  const away = (): Promise<never> => Promise.reject(new CodedError("store_unavailable"));
  switch (options.store) {
    case "clickhouse":
      return clickhouse({ connection: { dataDir: join(options.directory, "clickhouse") } });
    case "ephemeral":
      return ephemeral();
    case "down":
      return { capabilities: [], append: away, appendPrepared: away, readBack: away };
    case "discard": {
      const rows = new Map<string, number>();
      return {
        capabilities: [],
        appendPrepared: away,
        append: async (batch) => void rows.set(batch.batchId, batch.events.length),
        readBack: async (id) => ({ rows: rows.get(id) ?? 0, complete: rows.has(id) }),
      };
    }
  }
}

const options = JSON.parse(process.argv[2] ?? "{}") as ChildOptions;
const receiver = await openReceiver({
  directory: join(options.directory, "journal"),
  store: await openWriter(options),
  authenticateIngest: () => ({ name: "local", trusted: true }),
  identityKey: { kid: "k1", secret: Buffer.alloc(32, 7) },
  log: silentLog,
  threads: options.threads,
  ...(options.journalBytesMax === undefined ? {} : { journalBytesMax: options.journalBytesMax }),
});
const app = new Hono<AppEnv>().route("/", receiver.routes);
app.get("/healthz", (c) => c.text("ok"));
const server = await listen(app, { host: "127.0.0.1", port: 0, log: silentLog });

const loop = monitorEventLoopDelay({ resolution: 1 });
loop.enable();
let peak = 0;
let turn = { longestMs: 0, endMs: threadCpuMs() };
// A timer runs once in a turn, so what is between two of them is one turn, or several short ones.
const turns = setInterval(() => {
  const endMs = threadCpuMs();
  turn = { longestMs: Math.max(turn.longestMs, endMs - turn.endMs), endMs };
}, 1);
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function measures(): ChildMeasures {
  const cpu = process.cpuUsage();
  const rss = process.memoryUsage.rss();
  // The monitor counts from its own tick of a millisecond.
  const ms = (nanos: number): number => Math.max(0, nanos / 1e6 - 1);
  return {
    rssBytes: rss,
    peakRssBytes: Math.max(peak, rss),
    cpuMicros: cpu.user + cpu.system,
    loopP50Ms: ms(loop.percentile(50)),
    loopP99Ms: ms(loop.percentile(99)),
    loopMaxMs: ms(loop.max),
    turnCpuMs: turn.longestMs,
    conservation: receiver.conservation(),
  };
}

process.on("message", (message: { readonly request: "measures" | "reset" | "idle" | "close" }) => {
  void (async () => {
    if (message.request === "idle") await receiver.idle();
    if (message.request === "reset") {
      const { gc } = globalThis;
      gc?.();
      loop.reset();
      peak = 0;
    }
    process.send?.(measures());
    turn = { longestMs: 0, endMs: threadCpuMs() };
    if (message.request !== "close") return;
    clearInterval(watch);
    clearInterval(turns);
    await server.close(1_000);
    await receiver.close(0);
    process.disconnect?.();
  })();
});
process.send?.({ url: server.url });
