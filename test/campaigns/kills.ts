/**
 * @module Kills (-9) of the collector, of producers and of a database server at random moments,
 * while producers in processes of their own send. The port stays the same, so that producers go on.
 */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { Campaign, Figures, Rounds } from "./campaign.ts";
import type { Acknowledged } from "./kill-producer.ts";
import { startPostgres } from "../servers/postgres.ts";
import type { PostgresServer } from "../servers/postgres.ts";
import { startCollector } from "../suite/faults/collector-child.ts";
import type { CollectorChild } from "../suite/faults/collector-child.ts";
import { drained, stored } from "../suite/faults/kill-oracle.ts";
import { SpanLedger, expectedOf } from "../suite/faults/span-ledger.ts";

/** Lives of the collector in a round. */
const lives = 8;
const producersAtOnce = 4;
/** Numbers of spans that one producer has for itself. */
const spansEach = 20_000;
const lifeMsMax = 1_200;

const file = fileURLToPath(new URL("kill-producer.ts", import.meta.url));

/** Producers of one round and what they received. */
class Producers {
  readonly acknowledged = new Set<number>();
  killed = 0;
  started = 0;
  private readonly running = new Set<ChildProcess>();

  start(port: string): void {
    while (this.running.size < producersAtOnce) {
      const first = 1 + this.started * spansEach;
      this.started += 1;
      const child = fork(file, [port, String(first)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      child.on("message", (message) => {
        const { from, count } = message as Acknowledged;
        for (let number = from; number < from + count; number += 1) this.acknowledged.add(number);
      });
      this.running.add(child);
    }
  }

  async kill(count = this.running.size): Promise<void> {
    const some = [...this.running].slice(0, count);
    for (const child of some) {
      this.running.delete(child);
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
      this.killed += 1;
    }
  }
}

const numberOf = (eventId: string): number => Number.parseInt(eventId.split(":")[0] ?? "", 16);

/** Compares all that is stored with what was acknowledged and what was sent. */
async function compare(url: string, producers: Producers): Promise<void> {
  const { events, duplicates } = await stored(url);
  const found = new Set(events.map((event) => numberOf(event.event_id)));
  const lost = [...producers.acknowledged].filter((number) => !found.has(number));
  assert.equal(lost.length, 0, `${lost.length} acknowledged spans are lost`);
  assert.equal(events.length - found.size + duplicates, 0, "spans are shown twice");
  for (const event of events) {
    const number = numberOf(event.event_id);
    assert.ok(number <= producers.started * spansEach, "a span is stored that nobody sent");
    const ledger = new SpanLedger(number);
    ledger.batch(1);
    assert.deepEqual(expectedOf(event), ledger.sent.get(event.event_id), "a span was changed");
  }
}

async function restarted(server: PostgresServer): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await server.start();
      return;
    } catch (error) {
      // The processes of the killed server may still hold its directory.
      if (attempt === 40) throw error;
      await sleep(250);
    }
  }
}

async function round(
  env: Readonly<Record<string, string>>,
  server: PostgresServer | undefined,
): Promise<Figures> {
  const dataDir = await mkdtemp(join(tmpdir(), "campaign-kill-"));
  const producers = new Producers();
  let collector: CollectorChild | undefined;
  let port = "0";
  let serverKills = 0;
  try {
    for (let life = 0; life < lives; life += 1) {
      collector = await startCollector(dataDir, env, port);
      ({ port } = new URL(collector.url));
      producers.start(port);
      await sleep(Math.random() * lifeMsMax);
      if (life % 3 === 1) await producers.kill(1 + Math.floor(Math.random() * producersAtOnce));
      if (server !== undefined && life % 2 === 0) {
        await server.kill();
        serverKills += 1;
        await sleep(Math.random() * 400);
        // In half of these lives the collector dies while the database is away.
        if (life % 4 === 0) await collector.kill();
        await restarted(server);
        await sleep(Math.random() * lifeMsMax);
      }
      await collector.kill();
    }
    await producers.kill();
    collector = await startCollector(dataDir, env, port);
    await drained(collector);
    await compare(collector.url, producers);
    const ended = await collector.stop();
    assert.equal(ended, 0, `the collector ended with ${ended}`);
  } finally {
    await producers.kill();
    await collector?.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
  return {
    kills: lives + producers.killed + serverKills,
    of_collectors: lives,
    of_producers: producers.killed,
    ...(server === undefined ? {} : { of_servers: serverKills }),
    acknowledged_spans: producers.acknowledged.size,
  };
}

async function openPlain(backend: string): Promise<Rounds> {
  return { round: () => round({ TURNPROOF_BACKEND: backend }, undefined), close: async () => {} };
}

async function openPostgres(): Promise<Rounds> {
  const server = await startPostgres();
  return {
    async round() {
      const url = server.url(await server.createDatabase());
      return round({ TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: url }, server);
    },
    close: () => server.close(),
  };
}

const campaignOf = (name: string, over: string, open: () => Promise<Rounds>): Campaign => ({
  name,
  promise:
    `After kills (-9) of ${over} at random moments, nothing acknowledged is lost, nothing is shown ` +
    "twice, nothing is stored that was not sent, and conservation is exact.",
  unit: "kills",
  goal: 10_000,
  open,
});

/** Kills over each backend that lasts. */
export const kills: readonly Campaign[] = [
  campaignOf(
    "kills-clickhouse",
    "the collector with its embedded ClickHouse and of producers",
    () => openPlain("clickhouse"),
  ),
  campaignOf(
    "kills-postgres",
    "the collector, of producers and of a PostgreSQL server",
    openPostgres,
  ),
  campaignOf("kills-filesystem", "the collector over the filesystem and of producers", () =>
    openPlain("filesystem"),
  ),
];
