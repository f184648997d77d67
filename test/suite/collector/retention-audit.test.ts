/**
 * Runs of `turnproof retention --apply` are recorded with ages and counts and without ids, also
 * while a collector holds the audit log, and an evidence pack lists them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem } from "@turnproof/store";
import { afterEach, beforeEach, expect, test } from "vitest";

import { holdLog } from "../../../collector/src/access/audit/writer-lock.ts";
import { auditFacts } from "../../../collector/src/cli/pack/audit-facts.ts";
import { evidenceFolder } from "../../../collector/src/backend/store-places.ts";
import { readConfig } from "../../../collector/src/config/read-config.ts";
import { turnproof } from "../contracts/command.ts";
import type { Ran } from "../contracts/command.ts";
import { turnEvents } from "./desk.ts";

const window = { from: "2000-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
let dataDir: string;
let log: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "turnproof-retention-"));
  log = join(dataDir, "retention.jsonl");
  const directory = evidenceFolder(readConfig({ dataDir }));
  await using provider = await filesystem({ directory });
  const events = turnEvents({ root: "canary-root", user: "canary-user" });
  const receivedAt = "2020-01-15T10:00:00.000000Z";
  await provider.evidence.append({ batchId: "old", receivedAt, events });
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const retains = (...flags: string[]): Promise<Ran> =>
  turnproof("retention", "--backend", "filesystem", "--data-dir", dataDir, ...flags);
const facts = async (times = window) =>
  (await auditFacts(readConfig({ dataDir }), times)).retentions;

test("a run is recorded with ages, counts and a reason, and the log holds", async () => {
  expect((await retains()).code).toBe(0);
  expect(existsSync(log)).toBe(false);
  // A collector that runs holds the audit log.
  const held = await holdLog(join(dataDir, "audit.jsonl"));
  const ran = await retains("--apply", "--metadata-days", "60");
  await held.release();
  expect(ran.code, ran.err).toBe(0);
  const found = await facts();
  expect(found.log).toMatchObject({ ok: true, records: 2, tree_head: expect.any(String) });
  expect(found.runs).toEqual([
    {
      at: expect.any(String),
      reason: "age",
      result: "ok",
      shortest_days: 1,
      before: {
        outcome: expect.any(String),
        metadata: expect.any(String),
        structure: expect.any(String),
        preview: expect.any(String),
      },
      tenants: 0,
      removed: expect.arrayContaining([{ store: "evidence", class: "metadata", rows: 3 }]),
    },
  ]);
  // It removed rows of a window that had ended, and none of one that begins later.
  expect((await facts({ ...window, to: "2021-01-01T00:00:00Z" })).runs).toEqual(found.runs);
  expect((await facts({ ...window, from: "2099-01-01T00:00:00Z" })).runs).toEqual([]);
  expect(readFileSync(log, "utf8")).not.toContain("canary");
  const place = ["--retention", "--data-dir", dataDir];
  expect((await turnproof("audit", "verify", ...place)).code).toBe(0);
  writeFileSync(log, readFileSync(log, "utf8").replace('"rows":3', '"rows":2'));
  expect((await turnproof("audit", "verify", ...place)).code).toBe(1);
  expect((await facts()).log).toMatchObject({ ok: false });
});

test("a run whose start cannot be recorded removes nothing", async () => {
  const held = await holdLog(log);
  const ran = await retains("--apply");
  await held.release();
  expect(ran.code).not.toBe(0);
  expect(JSON.parse((await retains("--json")).out)).toMatchObject({
    stores: expect.arrayContaining([
      expect.objectContaining({
        store: "evidence",
        classes: expect.arrayContaining([
          expect.objectContaining({ class: "metadata", expired: 3 }),
        ]),
      }),
    ]),
  });
});

test("a run that was killed is listed without an end", async () => {
  expect((await retains("--apply")).code).toBe(0);
  // The start is all that a killed run leaves.
  const [start = ""] = readFileSync(log, "utf8").split("\n");
  rmSync(`${log}.checkpoints`);
  rmSync(`${log}.tree`, { force: true });
  writeFileSync(log, `${start}\n`);
  expect((await facts()).runs).toMatchObject([{ result: "begun", removed: [] }]);
});
