/**
 * `turnproof doctor` beside a running collector that alone can open the store: it reports what that
 * collector's Health has, and what it could not inspect is unknown.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { clickhouse, postgres } from "@turnproof/store";
import { afterAll, expect, test, vi } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const directories = temporaryDirectories();
const children: CollectorChild[] = [];
afterAll(async () => {
  await Promise.all(children.map((child) => child.stop()));
  await directories.remove();
});

interface Found {
  readonly code: number | null;
  readonly err: string;
  readonly checks: readonly (readonly [check: string, state: string, message: string])[];
}

function doctor(env: Record<string, string>): Found {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "doctor", "--json"], {
    env: { PATH: process.env["PATH"] ?? "", TURNPROOF_PORT: "1", ...env },
    encoding: "utf8",
  });
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { check: string; state: string; message: string }[];
  };
  const rows = checks.map(({ check, state, message }) => [check, state, message] as const);
  return { code: status, err: stderr, checks: rows };
}

const about = ({ checks }: Found, ...names: readonly string[]): Found["checks"] =>
  checks.filter(([check]) => names.includes(check));

async function started(env: Record<string, string>): Promise<CollectorChild> {
  const dataDir = env["TURNPROOF_DATA_DIR"] ?? (await directories.make());
  const child = await startCollector(dataDir, env);
  children.push(child);
  return child;
}

test("a damaged part is reported from Health, and unknown where Health cannot be read", async () => {
  const dataDir = await directories.make();
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" };
  const folder = join(dataDir, "clickhouse");
  const store = await clickhouse({ connection: { dataDir: folder } });
  await store.append({ batchId: "a", receivedAt: isoOf(start), events: turnAt("a", start) });
  await store.close();
  const first = await started(env);
  await first.stop();
  const table = join(folder, "clickhouse", "data", "default", "bundles");
  for (const part of readdirSync(table).filter((name) => /^\d{8}_/.test(name))) {
    const file = join(table, part, "data.bin");
    writeFileSync(file, readFileSync(file).fill(0xa5));
  }
  // Without a collector the part is read, which fails; nothing is set aside.
  const alone = doctor(env);
  expect(about(alone, "clickhouse parts", "evidence of turns")).toEqual([
    ["clickhouse parts", "fail", expect.stringMatching(/1 part is .*\/bundles\/\d{8}_\w+/)],
    ["evidence of turns", "unknown", expect.stringContaining("were not compared")],
  ]);
  const collector = await started(env);
  const { pid } = collector.process;

  const part = expect.stringMatching(/^store_corrupt: 1 part is .*\/bundles\/detached\/\d+_\w+/);
  const asked = await vi.waitFor(
    () => {
      const found = doctor({ ...env, TURNPROOF_URL: collector.url });
      expect(about(found, "clickhouse parts")).toEqual([["clickhouse parts", "fail", part]]);
      return found;
    },
    { timeout: 60_000, interval: 200 },
  );
  expect([asked.code, about(asked, "store"), asked.err]).toEqual([1, [], ""]);

  const unasked = doctor(env);
  expect([unasked.code, unasked.err]).toEqual([4, ""]);
  const held = `A running collector (process ${pid})`;
  expect(about(unasked, "collector", "store", "clickhouse parts", "evidence account")).toEqual([
    ["collector", "unknown", expect.stringContaining(held)],
    ["store", "unknown", expect.stringContaining(held)],
  ]);
  expect(about(unasked, "store")[0]?.[2]).toContain(
    "No collector answers at http://127.0.0.1:1: name its address with TURNPROOF_URL.",
  );

  const other = await started({ TURNPROOF_BACKEND: "ephemeral" });
  const foreign = doctor({ ...env, TURNPROOF_URL: other.url });
  expect([foreign.code, about(foreign, "store", "clickhouse parts")]).toEqual([
    4,
    [["store", "unknown", expect.stringContaining(`${other.url} has another data directory`)]],
  ]);
}, 180_000);

test("traces with damaged rows on a server are named by the collector that met them", async () => {
  const server = await startPostgres();
  try {
    const database = await server.createDatabase();
    const url = server.url(database);
    const provider = await postgres({ url });
    for (const root of ["a", "b", "c", "d", "e", "f"]) {
      const events = turnAt(root, start);
      await provider.evidence.append({ batchId: root, receivedAt: isoOf(start), events });
    }
    await provider.close();
    await server.run(
      database,
      "UPDATE evidence_bundles SET body = overlay(body placing '##' from 3 for 2)",
    );
    const dataDir = await directories.make();
    const env = {
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_BACKEND: "postgres",
      TURNPROOF_POSTGRES_URL: url,
    };
    const collector = await started(env);
    for (const root of ["a", "b", "c", "d", "e", "f"]) {
      await vi.waitFor(
        async () => expect((await fetch(`${collector.url}/traces/${root}.json`)).status).toBe(500),
        { timeout: 30_000, interval: 200 },
      );
    }
    const found = doctor({ ...env, TURNPROOF_URL: collector.url });
    expect(about(found, "evidence of turns")).toEqual([
      [
        "evidence of turns",
        "fail",
        "store_corrupt: rows of 6 traces (a, b, c, d, e and 1 more) cannot be decoded; " +
          "restore the database from a backup.",
      ],
    ]);
  } finally {
    await server.close();
  }
}, 120_000);

test("the token that Health needs is named", async () => {
  const dataDir = await directories.make();
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" };
  mkdirSync(dataDir, { recursive: true });
  const token = { TURNPROOF_UI_AUTH_TOKEN: "operator-q7KxZt4Wm9Rc2Yd8" };
  const collector = await started({ ...env, ...token });
  const found = doctor({ ...env, TURNPROOF_URL: collector.url });
  expect([found.code, about(found, "store")]).toEqual([
    4,
    [["store", "unknown", expect.stringContaining("name one with TURNPROOF_TOKEN")]],
  ]);
  await vi.waitFor(
    () => {
      const allowed = doctor({ ...env, ...token, TURNPROOF_URL: collector.url });
      expect(about(allowed, "store", "clickhouse parts")).toEqual([
        ["clickhouse parts", "ok", "Each is whole."],
      ]);
      expect(allowed.code).toBe(0);
    },
    { timeout: 60_000, interval: 200 },
  );
}, 120_000);
