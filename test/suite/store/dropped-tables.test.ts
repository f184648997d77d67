/**
 * @module Dropped tables: a deletion replaces each table by a copy without the user and drops the
 * old one. A process that is killed while it drops leaves the old one's files; the next start takes
 * them away.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { bytesOf, filesHolding } from "./scan-files.ts";

const mark = "mark-of-a-user";
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-dropped-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

const holding = (): Promise<string[]> => filesHolding(dataDir, bytesOf(mark));

test("files of a table that was being dropped go with the next start", async () => {
  const first = await openEngine({ dataDir });
  for (const table of ["stays", "goes"]) {
    await first.command(`CREATE TABLE ${table} (text String) ENGINE = MergeTree ORDER BY text`);
    await first.command(`INSERT INTO ${table} VALUES ('${table === "goes" ? mark : "another"}')`);
  }
  // Without SYNC the files stay, as where a process ends before they are deleted.
  await first.command("DROP TABLE goes");
  await first.close();
  expect(await holding()).not.toEqual([]);

  const second = await openEngine({ dataDir });
  expect(await holding()).toEqual([]);
  const { columns } = await second.query("SELECT text FROM stays");
  expect(columns.get("text")).toEqual(["another"]);
  await second.command(`CREATE TABLE goes (text String) ENGINE = MergeTree ORDER BY text`);
  await second.close();
});

test("files of a table that this process drops stay its engine's matter", async () => {
  const engine = await openEngine({ dataDir });
  await engine.command("CREATE TABLE goes (text String) ENGINE = MergeTree ORDER BY text");
  await engine.command(`INSERT INTO goes VALUES ('${mark}')`);
  await engine.command("DROP TABLE goes");
  const shared = await openEngine({ dataDir });
  expect(await holding()).not.toEqual([]);
  await shared.close();
  await engine.close();
});
