/**
 * @module Soak: a collector under a steady load for as long as its caller has time. Lives of some
 * minutes end by turns with a stop, after which retention runs, and with a kill. Readers read all
 * the while. A round is so many seconds; memory, descriptors and the judge's lag are its figures.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, readlink, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import type { Campaign, Figures, Rounds } from "./campaign.ts";
import { startCollector } from "../suite/faults/collector-child.ts";
import type { CollectorChild } from "../suite/faults/collector-child.ts";
import { drained } from "../suite/faults/kill-oracle.ts";
import { oneTrace, oneTraceHeaders } from "../suite/faults/one-trace.ts";
import { turnsBody } from "./soak-turns.ts";

/** How a soak is paced. */
interface SoakOptions {
  readonly spansPerSecond: number;
  readonly roundSeconds: number;
  readonly lifeRounds: number;
  /** After so long, memory and descriptors must have stopped to grow. */
  readonly warmSeconds: number;
  /** Longest wait for a verdict beyond the quiet time, whatever else the machine does. */
  readonly lagMsMax: number;
  /** Longest wait until the journal is drained. */
  readonly drainMsMax: number;
}

/** Twelve turns of eight spans. */
const batchSpans = 96;
/** A lag is measured up to here. */
const verdictMsMax = 300_000;
/** The judge takes up a turn after this silence, which is no lag. */
const quietMs = 5_000;
const growthMax = 1.1;
/** Descriptors outside of the store that stay open throughout a round; a leak is among them. */
const descriptorsMore = 64;
/** The engine opens every file of the parts that it merges, for the time of the merge. */
const descriptorPeakMax = 2;
const readPaths = ["/traces/turns.json", "/traces/health.json", "/traces/overview.json", "/traces"];
const command = "collector/bin/turnproof.js";

/** What is measured in a round. */
class Measures {
  readonly resident: number[] = [];
  readonly descriptors: number[] = [];
  /**
   * Descriptors that every sample has; a file of the engine may be open for the time of a merge.
   */
  held: ReadonlySet<string> | undefined;
  sent = 0;
  reads = 0;
  slowestRead = 0;
  lag = 0;
  load = 0;
}

/** Descriptors of a process by number and target, without the files of its store. */
async function openOutside(pid: number, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const targets = await Promise.all(
    numbers.map(async (fd) => {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "closed");
      return `${fd} ${target}`;
    }),
  );
  return new Set(targets.filter((one) => !one.includes("/clickhouse/")));
}

async function sample(pid: number, into: Measures): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  into.resident.push(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
  const open = await readdir(`/proc/${pid}/fd`);
  into.descriptors.push(open.length);
  const outside = await openOutside(pid, open);
  const before = into.held ?? outside;
  into.held = new Set([...before].filter((one) => outside.has(one)));
  into.load = Math.max(into.load, (loadavg()[0] ?? 0) / availableParallelism());
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Listed {
  readonly items?: readonly { readonly verdict?: string | null }[];
}

/** A soak that goes on over rounds. */
class Soak implements Rounds {
  private nextSpan = 0;
  private readonly began = performance.now();
  private readonly base = { resident: 0, held: 0, peak: 0 };
  private collector: CollectorChild | undefined;
  private rounds = 0;
  private probes = 0;

  private readonly options: SoakOptions;
  private readonly dataDir: string;
  constructor(options: SoakOptions, dataDir: string) {
    this.options = options;
    this.dataDir = dataDir;
  }

  async round(): Promise<Figures> {
    const restarts = await this.live();
    const { url, process: child } = this.collector as CollectorChild;
    const measures = new Measures();
    const until = performance.now() + this.options.roundSeconds * 1_000;
    const watch = async (): Promise<void> => {
      while (performance.now() < until) {
        await sample(child.pid ?? 0, measures);
        await sleep(1_000);
      }
    };
    const probe = async (): Promise<void> => {
      while (performance.now() < until)
        measures.lag = Math.max(measures.lag, await this.judged(url));
    };
    const work = [watch(), probe(), this.send(url, until, measures)];
    for (let reader = 0; reader < 2; reader += 1) work.push(read(url, until, measures));
    await Promise.all(work);
    await drained(this.collector as CollectorChild, this.options.drainMsMax);
    this.rounds += 1;
    return this.figures(measures, restarts);
  }

  async close(): Promise<void> {
    const ended = await this.collector?.stop();
    await rm(this.dataDir, { recursive: true, force: true });
    assert.equal(ended ?? 0, 0, `the collector ended with ${ended}`);
  }

  /** Starts a life where one is due; answers how many restarts that took. */
  private async live(): Promise<number> {
    if (this.collector !== undefined && this.rounds % this.options.lifeRounds !== 0) return 0;
    const life = Math.floor(this.rounds / this.options.lifeRounds);
    const isRestart = this.collector !== undefined;
    if (life % 2 === 0) await this.collector?.kill();
    else {
      assert.equal(await this.collector?.stop(), 0, "a stop does not end with 0");
      await this.retain();
    }
    this.collector = await startCollector(this.dataDir);
    return isRestart ? 1 : 0;
  }

  private async retain(): Promise<void> {
    const ages = ["--metadata-days", "0", "--structure-days", "0", "--preview-days", "0"];
    const args = [command, "retention", "--apply", "--only", "evidence", ...ages];
    const env = { PATH: process.env["PATH"], TURNPROOF_BACKEND: "clickhouse" };
    await promisify(execFile)(process.execPath, [...args, "--data-dir", this.dataDir], { env });
  }

  /** Sends as many spans as the time that has passed requires. */
  private async send(url: string, until: number, measures: Measures): Promise<void> {
    const start = performance.now();
    const rate = this.options.spansPerSecond / 1_000;
    while (performance.now() < until) {
      const due = (performance.now() - start) * rate - measures.sent;
      if (due < batchSpans) {
        await sleep(10);
        continue;
      }
      const requests = Math.min(8, Math.floor(due / batchSpans));
      await Promise.all(Array.from({ length: requests }, () => this.post(url)));
      measures.sent += requests * batchSpans;
    }
  }

  private async post(url: string): Promise<void> {
    const body = turnsBody(this.nextSpan, batchSpans);
    this.nextSpan += batchSpans;
    const headers = { "content-type": "application/x-protobuf" };
    const answer = await fetch(`${url}/v1/traces`, { method: "POST", headers, body });
    await answer.arrayBuffer();
    assert.equal(answer.status, 200, "spans were refused");
  }

  /** How long a new turn waits for its verdict after its silence, in milliseconds. */
  private async judged(url: string): Promise<number> {
    this.probes += 1;
    const root = `f${this.probes.toString(16).padStart(31, "0")}`;
    const body = oneTrace(root, 3);
    const sent = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: oneTraceHeaders,
      body,
    });
    assert.equal(sent.status, 200);
    const start = performance.now();
    for (;;) {
      const answer = await fetch(`${url}/traces/turns.json?root_trace_id=${root}&limit=1`);
      // A read that came too late is made again; it counts as waiting.
      assert.ok([200, 503].includes(answer.status), `the probe is answered ${answer.status}`);
      const { items = [] } = (await answer.json()) as Listed;
      const waited = performance.now() - start;
      if (typeof items[0]?.verdict === "string") return Math.max(0, waited - quietMs);
      assert.ok(waited < verdictMsMax, `no verdict after ${Math.round(waited)} ms`);
      await sleep(250);
    }
  }

  private figures(measures: Measures, restarts: number): Figures {
    const resident = Math.round(median(measures.resident));
    const [held, peak] = [measures.held?.size ?? 0, Math.max(...measures.descriptors)];
    const { base, options } = this;
    if (performance.now() - this.began < options.warmSeconds * 1_000) {
      base.resident = Math.max(base.resident, resident);
      base.held = Math.max(base.held, held);
      base.peak = Math.max(base.peak, peak);
    } else {
      const grown = `memory grew from ${base.resident} to ${resident} MB`;
      assert.ok(resident <= base.resident * growthMax, grown);
      const more = `descriptors that stay open grew from ${base.held} to ${held}`;
      assert.ok(held <= base.held + descriptorsMore, more);
      const peaks = `descriptors at once grew from ${base.peak} to ${peak}`;
      assert.ok(peak <= base.peak * descriptorPeakMax, peaks);
    }
    const late = `a verdict came ${Math.round(measures.lag)} ms late`;
    assert.ok(measures.lag <= options.lagMsMax, late);
    return {
      seconds: options.roundSeconds,
      load_for_each_core_max: Math.round(measures.load),
      spans: measures.sent,
      restarts,
      reads: measures.reads,
      slowest_read_ms_max: Math.round(measures.slowestRead),
      judge_lag_ms_max: Math.round(measures.lag),
      resident_mb_max: resident,
      resident_mb_warm_max: base.resident,
      descriptors_held_max: held,
      descriptors_max: peak,
    };
  }
}

/** Reads pages until the time is over; each answer is complete, or states that it came too late. */
async function read(url: string, until: number, measures: Measures): Promise<void> {
  for (let at = 0; performance.now() < until; at += 1) {
    const start = performance.now();
    const answer = await fetch(`${url}${readPaths[at % readPaths.length]}`);
    const text = await answer.text();
    const reported =
      answer.status === 200 || (answer.status === 503 && text.includes("store_timeout"));
    assert.ok(reported, `a read was answered ${answer.status}`);
    measures.reads += 1;
    measures.slowestRead = Math.max(measures.slowestRead, performance.now() - start);
    await sleep(400);
  }
}

/** A soak at this pace. */
export async function openSoak(options: SoakOptions): Promise<Rounds> {
  return new Soak(options, await mkdtemp(join(tmpdir(), "campaign-soak-")));
}

/** 2,000 spans a second. */
export const soak: Campaign = {
  name: "soak",
  promise:
    "Under 2,000 spans a second with readers, restarts, kills and retention, on embedded " +
    "ClickHouse, memory and descriptors stop to grow, a turn has its verdict within ten seconds of " +
    "its silence, and conservation is exact.",
  unit: "seconds",
  goal: 6_000,
  open: () =>
    openSoak({
      spansPerSecond: 2_000,
      roundSeconds: 30,
      lifeRounds: 10,
      warmSeconds: 1_200,
      lagMsMax: 10_000,
      drainMsMax: 60_000,
    }),
};
