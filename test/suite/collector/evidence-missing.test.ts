/** Evidence that is gone without a deletion is noticed at the next start, and makes no success. */
import { existsSync } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { clickhouse, filesystem, recordStored } from "@turnproof/store";
import { deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { accountChecks } from "../../../collector/src/cli/doctor-account.ts";
import { evidenceCheck } from "../../../collector/src/cli/doctor-evidence.ts";
import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { openDamageDesk } from "../../../collector/src/backend/damage-tracker.ts";
import { missingSince, openAccount } from "../../../collector/src/judge/evidence-account.ts";
import { watchEvidence } from "../../../collector/src/judge/evidence-watch.ts";
import { createStatementSigner } from "../../../collector/src/judge/statement.ts";
import type { MissingEvidence } from "../../../collector/src/receive/ingest.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const log = { info() {}, warn() {}, error() {} };

const requested = async (collector: Collector, path: string): Promise<unknown> =>
  (await collector.app.request(`http://127.0.0.1${path}`)).json();

async function verdicts(collector: Collector): Promise<Readonly<Record<string, unknown>>> {
  const { items } = (await requested(collector, "/traces/turns.json")) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

test("a part of an embedded engine that is gone", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" });
  const open = (): ReturnType<typeof clickhouse> =>
    clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } });
  const store = await open();
  // Rows of another week lie in parts of their own.
  const roots = { a: start, b: start - 14 * 86_400_000, c: start, d: start };
  for (const [root, began] of Object.entries(roots)) {
    const events = turnAt(root, began, { user_id: `user-${root}` });
    await store.append({ batchId: root, receivedAt: isoOf(began), events });
  }
  await recordStored(store, allTenants, Object.keys(roots));
  await store.close();

  const first = await createCollector({ config, log });
  const success = { a: "success", b: "success", c: "success" };
  const waits = { timeout: 60_000, interval: 100 };
  await vi.waitFor(
    async () => expect(await verdicts(first)).toEqual({ ...success, d: "success" }),
    waits,
  );
  await first.close();
  // A deletion is no gap.
  const again = await open();
  await deleteUserEvidence(again, { userId: "user-d", dryRun: false });
  await again.close();

  const engine = join(dataDir, "clickhouse", "clickhouse");
  const table = join(engine, "data", "default", "bundles");
  const parts = (await readdir(table)).filter((name) => /^\d{8}_/.test(name)).toSorted();
  const [week = ""] = parts.map((name) => name.slice(0, 8));
  for (const name of parts.filter((each) => each.startsWith(week))) {
    await rm(join(table, name), { recursive: true });
  }
  const second = await createCollector({ config, log });
  const rows = turnAt("b", start).length;
  const missing = {
    turns: 3,
    roots_missing: 1,
    rows_missing: rows,
    // The deletion is newer than the account, so that it does not show how many there should be.
    events_missing: 0,
    parts_set_aside: 0,
  };
  await vi.waitFor(
    async () =>
      expect(await requested(second, "/traces/health.json")).toMatchObject({
        collector: { ingest: { missing } },
      }),
    waits,
  );
  const metrics = await (await second.app.request("http://127.0.0.1/metrics")).text();
  expect(metrics).toContain(`turnproof_evidence_missing_rows ${rows}`);
  const page = await second.app.request("http://127.0.0.1/traces/health");
  expect(await page.text()).toContain(`${rows} rows are gone`);
  expect(await verdicts(second)).toEqual({ ...success, b: "partial" });
  await second.close();
}, 180_000);

interface Compared {
  readonly collector: { readonly ingest: { readonly missing: Record<string, number> | null } };
}

/** What Health shows of the comparison, once it is made. */
async function comparedBy(collector: Collector): Promise<Record<string, number>> {
  return vi.waitFor(
    async () => {
      const health = (await requested(collector, "/traces/health.json")) as Compared;
      const { missing } = health.collector.ingest;
      if (typeof missing?.["turns"] !== "number") throw new Error("not compared yet");
      return missing;
    },
    { timeout: 60_000, interval: 100 },
  );
}

const doctorOf = async (config: ReturnType<typeof parseConfig>): Promise<readonly string[]> =>
  (await accountChecks(config)).map(({ state, message: says }) => `${state} ${says.split(";")[0]}`);

test("damaged parts are set aside and the rest serves; a folder that is gone with its turns shows", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" });
  const first = await createCollector({ config, log });
  const weeks = { a: start, b: start - 14 * 86_400_000 };
  for (const [root, began] of Object.entries(weeks)) {
    const events = turnAt(root, began);
    await first.store.append({ batchId: root, receivedAt: isoOf(began), events });
  }
  await recordStored(first.store, allTenants, Object.keys(weeks));
  const rows = turnAt("a", start).length;
  expect(await comparedBy(first)).toMatchObject({ events_missing: 0, parts_set_aside: 0 });
  await first.close();
  expect(await doctorOf(config)).toEqual([
    "ok Each is whole.",
    expect.stringContaining(`ok The store holds the ${rows * 2} events`),
  ]);

  // The same length, so that the engine loads it.
  const table = join(dataDir, "clickhouse", "clickhouse", "data", "default", "bundles");
  const [week = ""] = (await readdir(table)).filter((name) => /^\d{8}_/.test(name)).toSorted();
  const file = join(table, week, "data.bin");
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8((bytes[middle] ?? 0) ^ 0xff, middle);
  await writeFile(file, bytes);
  expect((await doctorOf(config))[0]).toContain(`fail store_corrupt: 1 part is damaged`);
  expect((await doctorOf(config))[0]).toContain("bundles");
  const errors: object[] = [];
  const error = (event: string, fields?: object): void => void errors.push({ event, ...fields });
  const second = await createCollector({ config, log: { ...log, error } });
  const aside = { events_missing: rows, roots_missing: 1, parts_set_aside: 1 };
  expect(await comparedBy(second)).toMatchObject(aside);
  // By the account and by the turns it is the same loss.
  expect(errors.filter((line) => "event" in line && line.event === "evidence_missing")).toEqual([
    { event: "evidence_missing", count: rows },
  ]);
  expect(await verdicts(second)).toHaveProperty("a");
  const page = await (await second.app.request("http://127.0.0.1/traces/health")).text();
  expect(page).toContain("1 damaged part");
  // Health has the table, the path that the operator finds, and the command that helps.
  const { parts } = (await comparedBy(second)) as unknown as {
    readonly parts: readonly { readonly table: string; readonly path: string }[];
  };
  const [part] = parts;
  expect(part?.table).toBe("bundles");
  expect(existsSync(join(dataDir, part?.path ?? "none"))).toBe(true);
  for (const text of [part?.path ?? "none", "turnproof restore"]) expect(page).toContain(text);
  await second.close();

  await rm(join(dataDir, "clickhouse"), { recursive: true });
  const gone = `fail evidence_missing: ${rows * 2} stored events are gone without a deletion`;
  expect((await doctorOf(config))[0]).toContain(gone);
  const third = await createCollector({ config, log });
  expect(await comparedBy(third)).toMatchObject({ events_missing: rows * 2, roots_missing: 0 });
  const metrics = await (await third.app.request("http://127.0.0.1/metrics")).text();
  expect(metrics).toContain(`turnproof_evidence_missing_rows ${rows * 2}`);
  await third.close();
  // It is not forgotten at the next start, and another key's account counts as none.
  const fourth = await createCollector({ config, log });
  expect(await comparedBy(fourth)).toMatchObject({ events_missing: rows * 2 });
  await fourth.close();
  const account = join(dataDir, "evidence-account.jws");
  await writeFile(account, (await readFile(account, "utf8")).replace(/\.[^.]*$/, ".AAAA"));
  expect((await doctorOf(config)).at(-1)).toContain("fail evidence-account.jws is damaged");
  const fifth = await createCollector({ config, log });
  expect(await comparedBy(fifth)).toMatchObject({ account: "damaged" });
  const shown = await (await fifth.app.request("http://127.0.0.1/traces/health")).text();
  expect(shown).toContain("the account was damaged");
  await fifth.close();
}, 180_000);

test("a file of evidence that is gone with its turns shows, and a deletion is no loss", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  const first = await createCollector({ config, log });
  for (const root of ["a", "b"]) {
    const events = turnAt(root, start, { user_id: `user-${root}` });
    await first.store.append({ batchId: root, receivedAt: isoOf(start), events });
  }
  const rows = turnAt("a", start).length;
  await comparedBy(first);
  await first.close();
  const open = (): ReturnType<typeof filesystem> =>
    filesystem({ directory: join(dataDir, "files") });
  const provider = await open();
  await deleteUserEvidence(provider.evidence, { userId: "user-a", dryRun: false });
  await provider.close();
  const second = await createCollector({ config, log });
  expect(await comparedBy(second)).toMatchObject({ events_missing: 0 });
  await second.close();
  await rm(join(dataDir, "files"), { recursive: true });
  const third = await createCollector({ config, log });
  expect(await comparedBy(third)).toMatchObject({ events_missing: rows });
  await third.close();
  // As many others, as from a collector that was killed before it counted them, are not the lost
  // ones.
  const late = await open();
  const others = turnAt("c", start);
  await late.evidence.append({ batchId: "c", receivedAt: isoOf(start), events: others });
  await late.close();
  expect(others).toHaveLength(rows);
  expect((await doctorOf(config)).at(-1)).toContain(`fail evidence_missing: ${rows} stored events`);
  const fourth = await createCollector({ config, log });
  expect(await comparedBy(fourth)).toMatchObject({ events_missing: rows });
  await fourth.close();
});

test("rows of an evidence file that are gone, while their traces and turns remain", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  // Stored before the start, whose judge reads them at once.
  const filled = await filesystem({ directory: join(dataDir, "files") });
  for (const root of ["a", "b", "c"]) {
    for (const [at, event] of turnAt(root, start, { user_id: `user-${root}` }).entries()) {
      const batch = { batchId: `${root}-${at}`, receivedAt: isoOf(start), events: [event] };
      await filled.evidence.append(batch);
    }
  }
  await recordStored(filled.evidence, allTenants, ["a", "b", "c"]);
  await filled.close();
  const first = await createCollector({ config, log });
  const success = { a: "success", b: "success", c: "success" };
  const waits = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(await verdicts(first)).toEqual(success), waits);
  await comparedBy(first);
  await first.close();
  const file = join(dataDir, "files", "evidence.sqlite");
  const database = new DatabaseSync(file);
  // One row of the first turn, and all of the second.
  database.exec("DELETE FROM bundles WHERE id = 2 OR root = 2");
  database.close();
  const rows = turnAt("b", start).length + 1;

  const again = await createCollector({ config, log });
  const missing = { turns: 3, roots_missing: 2, rows_missing: rows, events_missing: rows };
  expect(await comparedBy(again)).toMatchObject(missing);
  expect(await verdicts(again)).toEqual({ a: "partial", b: "partial", c: "success" });
  const metrics = await (await again.app.request("http://127.0.0.1/metrics")).text();
  expect(metrics).toContain(`turnproof_evidence_missing_rows ${rows}`);
  await again.close();
  const found = (await accountChecks(config)).map(({ state, message: says }) => `${state} ${says}`);
  expect(found[0]).toContain(`fail evidence_missing: ${rows} rows that turns rest on are gone`);
  expect(found[0]).toContain("in 2 traces (");
  expect(found[1]).toContain(`fail evidence_missing: ${rows} stored events are gone`);
  // What remains of a user with a gap can be deleted.
  const provider = await filesystem({ directory: join(dataDir, "files") });
  const erased = await deleteUserEvidence(provider.evidence, { userId: "user-a", dryRun: false });
  expect(erased).toMatchObject({ complete: true, deleted: rows - 2 });
  await provider.close();
  // Without its account the collector does not know what was gone before.
  await rm(join(dataDir, "evidence-account.jws"));
  const last = await createCollector({ config, log });
  expect(await comparedBy(last)).toMatchObject({ account: "new" });
  const page = await (await last.app.request("http://127.0.0.1/traces/health")).text();
  expect(page).toContain("a new account");
  await last.close();
  // A damaged one is not forgotten at the next start: it is set aside until an operator moves it.
  await writeFile(join(dataDir, "evidence-account.jws"), "damaged");
  const states: unknown[] = [];
  for (const aside of [false, true, true, false]) {
    if (!aside) await rm(join(dataDir, "evidence-account.jws.corrupt"), { force: true });
    const each = await createCollector({ config, log });
    states.push((await comparedBy(each))["account"]);
    const metrics = await (await each.app.request("http://127.0.0.1/metrics")).text();
    const isDamaged = Number(states.at(-1) === "damaged");
    expect(metrics).toContain(`turnproof_evidence_account_damaged ${isDamaged}\n`);
    await each.close();
    const warned = (await doctorOf(config)).some((text) => text.includes("An account was damaged"));
    expect(warned).toBe(states.at(-1) === "damaged");
  }
  expect(states).toEqual(["damaged", "damaged", "damaged", "kept"]);
});

test("rows that go while the collector runs: the turns that rest on them are no success", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  // Stored before the start, whose judge reads them at once.
  const filled = await filesystem({ directory: join(dataDir, "files") });
  for (const root of ["a", "b"]) {
    const events = turnAt(root, start);
    await filled.evidence.append({ batchId: root, receivedAt: isoOf(start), events });
  }
  await recordStored(filled.evidence, allTenants, ["a", "b"]);
  await filled.close();
  const collector = await createCollector({ config, log });
  const waits = { timeout: 60_000, interval: 100 };
  const success = { a: "success", b: "success" };
  await vi.waitFor(async () => expect(await verdicts(collector)).toEqual(success), waits);
  // The collector counts each minute; this watch of the same store counts each 50 ms.
  const ends = new AbortController();
  const noted: MissingEvidence[] = [];
  const keys = await directories.make();
  const signer = await createStatementSigner(undefined, keys);
  const account = await openAccount({ dataDir: keys, signer, keeps: true }, collector.store);
  const watched = watchEvidence(
    {
      closing: ends.signal,
      damage: openDamageDesk(log, { isServer: false, withdraws: true }),
      ingest: { noteMissing: (missing) => void noted.push(missing) },
      log,
    },
    collector.store,
    { withdraw: true, account, everyMs: 50 },
  );
  await vi.waitFor(() => expect(noted.at(-1)?.events_missing).toBe(0), waits);
  // What is counted is noted before turns are compared, which takes minutes in a large ledger.
  expect(noted[0]).toMatchObject({ turns: null, roots_missing: null, events_missing: 0 });
  const database = new DatabaseSync(join(dataDir, "files", "evidence.sqlite"));
  database.exec("DELETE FROM bundles WHERE root = 2");
  database.close();
  const gone = { turns: 2, roots_missing: 1, events_missing: turnAt("b", start).length };
  await vi.waitFor(() => expect(noted.at(-1)).toMatchObject(gone), waits);
  expect(await verdicts(collector)).toEqual({ a: "success", b: "partial" });
  ends.abort();
  await watched;
  await collector.close();
});

test("a deletion in progress is no loss, one that is long over hides none", () => {
  const account = { events: 10, deletions: 2, missing: 0, rose_at: "2026-11-21T10:00:00Z" };
  const fewer = { events: 4, deletions: 2 };
  expect(missingSince(account, fewer, "2026-11-21T10:05:00Z")).toBe(0);
  expect(missingSince(account, fewer, "2026-11-21T10:15:00Z")).toBe(6);
  expect(missingSince(account, { events: 4, deletions: 3 }, "2026-11-21T10:15:00Z")).toBe(0);
});

test("doctor counts the rows of an evidence file", async () => {
  const directory = await directories.make();
  const provider = await filesystem({ directory });
  const events = turnAt("a", start);
  await provider.evidence.append({ batchId: "a", receivedAt: isoOf(start), events });
  await provider.close();
  expect(await evidenceCheck(directory)).toMatchObject({ state: "ok" });
  const database = new DatabaseSync(join(directory, "evidence.sqlite"));
  database.exec("DELETE FROM bundles");
  database.close();
  const message = expect.stringContaining(`${events.length} rows of 1 traces are gone`);
  expect(await evidenceCheck(directory)).toMatchObject({ state: "fail", message });
});
