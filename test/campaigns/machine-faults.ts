/**
 * @module Machine faults: a collector whose disk fills up, becomes read-only or slow, and whose
 * clock jumps, one after another in an order that its round draws. It goes on without a restart.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Campaign, Figures, Rounds } from "./campaign.ts";
import { startCollector } from "../suite/faults/collector-child.ts";
import type { CollectorChild } from "../suite/faults/collector-child.ts";
import { drained, stored } from "../suite/faults/kill-oracle.ts";
import { SpanLedger } from "../suite/faults/span-ledger.ts";

const dayMs = 86_400_000;
const diskBytes = 384 * 2 ** 20;
/** A busy machine recovers late. */
const recoverMsMax = 120_000;
const faultMs = 1_500;
const batchSpans = 20;

/** What is wrong with the machine. */
interface Faults {
  readonly code?: string;
  readonly slowMs?: number;
  readonly offMs?: number;
}

/** The collector under attack, and what it acknowledged. */
class Target {
  readonly ledger = new SpanLedger();
  readonly codes = new Set<string>();
  refused = 0;
  readonly place: string;
  readonly collector: CollectorChild;
  constructor(place: string, collector: CollectorChild) {
    this.place = place;
    this.collector = collector;
  }

  get dataDir(): string {
    return join(this.place, "data");
  }

  /** Sends once; true when it was acknowledged. */
  async send(): Promise<boolean> {
    const batch = this.ledger.batch(batchSpans);
    const init = { method: "POST", headers: batch.headers, body: batch.body as BodyInit };
    const answer = await fetch(`${this.collector.url}/v1/traces`, init);
    const text = await answer.text();
    if (answer.status === 200) this.ledger.acknowledge(batch);
    else {
      assert.equal(answer.status, 503, "a request was refused in another way");
      this.refused += 1;
      const code = /[a-z]+_[a-z_]+/.exec(text)?.[0];
      if (code !== undefined) this.codes.add(code);
    }
    return answer.status === 200;
  }

  async sendFor(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until) {
      await this.send();
      await sleep(20);
    }
  }

  /** Waits until spans are taken again. */
  async recovered(what: string): Promise<void> {
    const until = performance.now() + recoverMsMax;
    while (!(await this.send())) {
      assert.ok(performance.now() < until, `spans are refused after ${what} is over`);
      await sleep(100);
    }
    // A drain that had to wait goes on as well.
    await drained(this.collector, recoverMsMax);
  }

  async during(faults: Faults, work: () => Promise<void>): Promise<void> {
    const file = join(this.place, "faults.json");
    await writeFile(file, JSON.stringify(faults));
    await sleep(150);
    await work();
    await writeFile(file, "{}");
    await sleep(150);
  }
}

/** A disk of its own, where this process may mount one. */
function mounted(directory: string): boolean {
  try {
    const options = `size=${diskBytes}`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", directory], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The disk is full to its last block; the journal's reserve stays. */
async function fill(target: Target): Promise<void> {
  const { bavail, bsize } = await statfs(target.dataDir);
  const filler = join(target.dataDir, "filler");
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - 64 * 1024), 1)).catch(() => {});
  try {
    await target.sendFor(faultMs);
    const health = await fetch(`${target.collector.url}/traces/health.json`);
    assert.ok([200, 503].includes(health.status), `Health answers ${health.status}`);
  } finally {
    await rm(filler, { force: true });
  }
}

const attacks = {
  disk_full: fill,
  no_space: (target) => target.during({ code: "ENOSPC" }, () => target.sendFor(faultMs)),
  read_only_disk: (target) => target.during({ code: "EROFS" }, () => target.sendFor(faultMs)),
  broken_disk: (target) => target.during({ code: "EIO" }, () => target.sendFor(faultMs)),
  slow_sync: (target) => target.during({ slowMs: 700 }, () => target.sendFor(faultMs)),
  clock_ahead: (target) => target.during({ offMs: dayMs }, () => target.sendFor(faultMs)),
  clock_behind: (target) => target.during({ offMs: -dayMs }, () => target.sendFor(faultMs)),
} satisfies Record<string, (target: Target) => Promise<void>>;

/** No event is dated by a clock that was a day ahead. */
function assertDated(received: readonly (string | undefined)[]): void {
  const latest = received.reduce<string>((a, b) => (b !== undefined && b > a ? b : a), "");
  assert.ok(
    Date.parse(latest) < Date.now() + dayMs / 2,
    "rows stay newest after a clock was ahead",
  );
}

/** The names in an order that the number draws. */
function shuffled(seed: number): readonly (keyof typeof attacks)[] {
  const names = Object.keys(attacks) as (keyof typeof attacks)[];
  return names.toSorted((a, b) => rank(a, seed) - rank(b, seed));
}

function rank(name: string, seed: number): number {
  let hash = seed + 1;
  for (const char of name) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) % 65_521;
  return Math.imul(hash, 40_503) % 65_521;
}

/** One round over a backend. @param only fewer attacks, for the suite */
export async function attackMachine(
  backend: string,
  seed: number,
  only?: readonly (keyof typeof attacks)[],
): Promise<Figures> {
  const place = await mkdtemp(join(tmpdir(), "campaign-machine-"));
  const dataDir = join(place, "data");
  await mkdir(dataDir);
  const hasDisk = mounted(dataDir);
  let collector: CollectorChild | undefined;
  try {
    collector = await startCollector(dataDir, {
      TURNPROOF_BACKEND: backend,
      FAULTS_FILE: join(place, "faults.json"),
      NODE_OPTIONS: `--import=${new URL("faulty-process.mjs", import.meta.url).href}`,
    });
    const target = new Target(place, collector);
    await target.recovered("the start");
    let faults = 0;
    for (const name of only ?? shuffled(seed)) {
      if (name === "disk_full" && !hasDisk) continue;
      target.codes.clear();
      await attacks[name](target);
      const wrong = [...target.codes].filter((code) => code !== "disk_full");
      const isSpace = name === "disk_full" || name === "no_space";
      if (isSpace) assert.deepEqual(wrong, [], "a full disk is called otherwise");
      await target.recovered(name);
      faults += 1;
    }
    const { events, duplicates } = await stored(collector.url);
    const found = new Set(events.map(({ event_id: id }) => id));
    const lost = [...target.ledger.acknowledged].filter((id) => !found.has(id));
    assert.equal(lost.length, 0, `${lost.length} acknowledged spans are lost`);
    assert.equal(events.length - found.size + duplicates, 0, "spans are shown twice");
    assertDated(events.map(({ received_at: at }) => at));
    assert.equal(await collector.stop(), 0, "a stop does not end with 0");
    const acknowledged = target.ledger.acknowledged.size;
    return { faults, acknowledged_spans: acknowledged, refused_requests: target.refused };
  } finally {
    await collector?.kill();
    if (hasDisk) execFileSync("umount", ["-l", dataDir], { stdio: "ignore" });
    await rm(place, { recursive: true, force: true });
  }
}

/** Faults over the two stores that lie on the disk of the collector. */
export const machineFaults: Campaign = {
  name: "machine-faults",
  promise:
    "After a full, a read-only, a broken or a slow disk and after clocks that jumped a day ahead or " +
    "back, a collector on embedded ClickHouse or the filesystem goes on without a restart, nothing " +
    "acknowledged is lost or shown twice, and a full disk is called full.",
  unit: "faults",
  goal: 1_000,
  open: async (): Promise<Rounds> => ({
    round: (seed) => attackMachine(seed % 2 === 0 ? "filesystem" : "clickhouse", seed),
    close: async () => {},
  }),
};
