/**
 * @module Spool against the real collector (faults R18; evidence: Loss accounting): the collector
 * is killed and started again while applications go on; an application is killed as well, and
 * another takes over its spool. In the end every turn that was reported as safe is stored, and none
 * twice.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ExportHealth } from "@turnproof/exporter";
import { openJournal } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";
import { afterEach, beforeEach, expect, test } from "vitest";

import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";

const restarts = Number(process.env["TURNPROOF_TEST_SPOOL_RESTARTS"] ?? 2);
const file = fileURLToPath(new URL("./spooling-app.ts", import.meta.url));
let folder = "";
let children: ChildProcess[] = [];
let collector: CollectorChild | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnproof-spool-"));
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  await collector?.kill();
  collector = undefined;
  await rm(folder, { recursive: true, force: true });
});

interface Stated {
  readonly played: number;
  readonly health: ExportHealth;
  readonly ended?: true;
}

/** A running application and what it printed last. */
interface App {
  readonly name: string;
  readonly stated: Stated[];
  /** Waits until it has printed so many lines more. */
  more(count: number): Promise<void>;
  /** Lets it end in its own way; answers its last word. */
  end(): Promise<Stated>;
  kill(): Promise<void>;
}

function startApp(url: string, name: string, directory = join(folder, "spool", name)): App {
  const execArgv = ["-C", "@turnproof/source"];
  // The SDK's transport tries for so long before it fails; its default is ten seconds.
  const env = { ...process.env, OTEL_EXPORTER_OTLP_TIMEOUT: "500" };
  const child = fork(file, [url, directory, name], { execArgv, env, stdio: "inherit" });
  children.push(child);
  const gone = once(child, "exit");
  const stated: Stated[] = [];
  child.on("message", (message) => void stated.push(message as Stated));
  return {
    name,
    stated,
    async more(count) {
      const target = stated.length + count;
      await expect.poll(() => stated.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(target);
    },
    async end() {
      child.send("end");
      await gone;
      expect(stated.at(-1)?.ended).toBe(true);
      return stated.at(-1) as Stated;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Event ids of the turns and model calls of one application, over all pages. */
async function stored(url: string, name: string): Promise<{ ids: string[]; turns: Set<string> }> {
  const ids: string[] = [];
  const turns = new Set<string>();
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${url}/traces/events.json?limit=1000&thread_id=${name}${more}`);
    const page = (await response.json()) as {
      items: { event_id: string; event_kind: string; turn_id: string }[];
      next_cursor: string | null;
    };
    for (const { event_id, event_kind, turn_id } of page.items) {
      ids.push(event_id);
      if (event_kind === "turn") turns.add(turn_id);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { ids, turns };
}

/**
 * Waits until the collector holds so many turns of an application, and proves that none is twice.
 */
async function holds(url: string, name: string, played: number): Promise<void> {
  const seen = async (): Promise<number> => (await stored(url, name)).turns.size;
  await expect.poll(seen, { timeout: 90_000, interval: 250 }).toBeGreaterThanOrEqual(played);
  const { ids, turns } = await stored(url, name);
  for (let at = 1; at <= played; at++) expect(turns).toContain(`${name}_${at}`);
  expect(new Set(ids).size).toBe(ids.length);
}

const limit = { timeout: 240_000 };

test(
  `${restarts} kills of the collector lose no turn of two running applications`,
  limit,
  async () => {
    const data = join(folder, "data");
    collector = await startCollector(data);
    const { url } = collector;
    const port = new URL(url).port;
    const apps = [startApp(url, "app_a"), startApp(url, "app_b")];
    for (let round = 0; round < restarts; round++) {
      await Promise.all(apps.map((app) => app.more(2)));
      await collector.kill();
      // They go on while no receiver is there, and report it: the disk takes what they play.
      await Promise.all(apps.map((app) => app.more(3)));
      for (const { stated } of apps) expect(stated.at(-1)?.health.dropped).toEqual({});
      collector = await startCollector(data, {}, port);
    }
    for (const app of apps) {
      const { played, health } = await app.end();
      expect(health.dropped).toEqual({});
      expect(health.exported + health.spooled).toBe(health.created);
      expect(health.created).toBe(played * 2);
    }
    // What still lay on a disk goes with the process that opens the spool next.
    const next = apps.map(({ name }) => startApp(url, `${name}_next`, join(folder, "spool", name)));
    await Promise.all(next.map((app) => app.more(1)));
    for (const { name, stated } of apps) await holds(url, name, stated.at(-1)?.played ?? 0);
    await Promise.all(next.map((app) => app.end()));
  },
);

test(
  "a killed application's spool goes with the next one, and is one process's alone",
  limit,
  async () => {
    const data = join(folder, "data");
    const directory = join(folder, "spool", "shared");
    collector = await startCollector(data);
    const { url } = collector;
    const port = new URL(url).port;
    await collector.kill();
    const first = startApp(url, "first", directory);
    await first.more(3);
    const second = await openJournal({ directory }).catch((error: unknown) => error);
    expect(CodedError.is(second) && second.code).toBe("journal_locked");
    await first.kill();
    const safe = first.stated.at(-1);
    expect(safe?.health).toMatchObject({
      exported: 0,
      dropped: {},
      created: (safe?.played ?? 0) * 2,
    });
    collector = await startCollector(data, {}, port);
    const heir = startApp(url, "heir", directory);
    await heir.more(1);
    await holds(url, "first", safe?.played ?? 0);
    const last = await heir.end();
    expect(last.health.dropped).toEqual({});
    expect(last.health.exported + last.health.spooled).toBe(last.played * 2);
  },
);
