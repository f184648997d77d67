/**
 * Batch files of the version before: copied once and completely, continued after an end, then
 * dropped.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { epochMicros, groupBy } from "@turnproof/semconv";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";

import { deleteUserEvidence } from "../erasure.ts";
import { ephemeral } from "../ephemeral.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import { defaultRetention } from "../retention.ts";
import { storedForm } from "../stored-event.ts";
import { allTenants, receivedAt, sampleEvent, sampleTurn } from "../testing/sample-event.ts";
import { filesystem } from "./filesystem.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "turnproof-earlier-"));
  made.push(path);
  return path;
}

/** Writes a batch in the format of the version before: lines root by root, manifest, length. */
async function writeEarlier(root: string, batch: EvidenceBatch): Promise<string> {
  const events = batch.events.map((event) => storedForm(event, batch.receivedAt));
  const roots: object[] = [];
  let lines = "";
  for (const [name, own] of groupBy(events, (event) => event.root_trace_id ?? "")) {
    const text = own.map((event) => `${JSON.stringify(event)}\n`).join("");
    const times = own.map((event) => epochMicros(event.received_at));
    const place = { at: Buffer.byteLength(lines), length: Buffer.byteLength(text) };
    const span = { first: Math.min(...times), last: Math.max(...times) };
    roots.push({ root: name, ...place, rows: own.length, ...span });
    lines += text;
  }
  const checksum = createHash("sha256").update(lines).digest("hex");
  const { batchId: batch_id, receivedAt: received_at } = batch;
  const manifest = { format: 1, batch_id, received_at, rows: events.length, checksum, roots };
  const last = `${JSON.stringify(manifest)}\n`;
  const folder = join(root, "evidence", "batches", batch.receivedAt.slice(0, 10));
  await mkdir(folder, { recursive: true });
  const name = `b_${createHash("sha256").update(batch_id).digest("hex")}.ndjson`;
  const length = String(Buffer.byteLength(last)).padStart(12, "0");
  await writeFile(join(folder, name), `${lines}${last}${length}\n`);
  return join(folder, name);
}

const users = ["ann", "bob", null, undefined];

function batches(count: number): EvidenceBatch[] {
  return Array.from({ length: count }, (_, n) => {
    const user_id = users[n % users.length];
    const stated = user_id === undefined ? {} : { user_id };
    const events: TurnEvent[] = [
      ...sampleTurn(`root-${n}`, { ...stated, agent_id: "helper", thread_id: `t-${n % 3}` }),
      // Late rows of a root that was in an earlier batch.
      sampleEvent(`late-${n}`, { root_trace_id: `root-${n >> 1}`, parent_span_id: "aa" }),
    ];
    return { batchId: `batch ${n}`, receivedAt: receivedAt(n * 40_000), events };
  });
}

/** Results of every read method. */
async function answers(store: EvidenceStore, of: readonly EvidenceBatch[]): Promise<unknown> {
  const limit = { limit: 500 };
  const reads: unknown[] = [];
  for (const scope of [allTenants, ...["ann", "bob", null].map((tenant) => ({ tenant }))]) {
    reads.push(await store.page(scope, {}, limit));
    reads.push(await store.page(scope, { thread_id: "t-1" }, limit));
    reads.push(await store.find(scope, "late-2", {}, limit));
    reads.push((await store.bundles(scope, {}, limit)).bundles);
    reads.push(await store.root(scope, "root-1", limit));
  }
  for (const { batchId, receivedAt: at } of of) reads.push(await store.readBack(batchId, at));
  return reads;
}

async function reference(of: readonly EvidenceBatch[]): Promise<EvidenceStore> {
  const store = ephemeral();
  for (const batch of of) await store.append(batch);
  return store;
}

/** Every file below a folder with its bytes. */
async function bytesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path, (await readFile(path)).toString("base64")] as const;
  });
  return new Map((await Promise.all(read)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("a folder that may not change", () => {
  test("is counted and read, and every byte stays", async () => {
    const root = await directory();
    const old = batches(9);
    for (const batch of old) await writeEarlier(root, batch);
    const look = async (copied: number): Promise<void> => {
      const before = await bytesOf(root);
      await using provider = await filesystem({ directory: root, mayChange: false });
      const counted = { dry_run: true, events: 36, copied, complete: true };
      expect(await provider.copyOld()).toEqual(counted);
      const waits = copied === 0 ? ["migration_pending"] : undefined;
      expect((await provider.evidence.check()).diagnostics).toEqual(waits);
      expect((await provider.memory.check()).ok).toBe(true);
      const page = await provider.evidence.page(allTenants, {}, { limit: 500 });
      expect([page.events.length, page.bounded]).toEqual(copied === 0 ? [0, true] : [36, false]);
      const append = provider.evidence.append({ ...(old[0] as EvidenceBatch), batchId: "new" });
      await expect(append).rejects.toMatchObject({ name: "CodedError" });
      await provider.close();
      expect(await bytesOf(root)).toEqual(before);
    };
    await look(0);
    await (await filesystem({ directory: root })).evidence.page(allTenants, {}, { limit: 1 });
    await look(36);
  });
});

describe("a small folder", () => {
  test("is compared with the database before it is deleted", async () => {
    const root = await directory();
    const old = batches(9);
    const paths: string[] = [];
    for (const batch of old) paths.push(await writeEarlier(root, batch));
    await using provider = await filesystem({ directory: root });
    const same = { events: 36, missing: 0, roots: 0, deleted: 0, complete: true };
    expect(await provider.checkOld()).toEqual(same);
    // A batch whose file differs from its copy.
    const [first] = old as [EvidenceBatch];
    const events = first.events.map((event) => ({ ...event, agent_id: "another" }));
    await writeEarlier(root, { ...first, events });
    expect(await provider.checkOld()).toEqual({ ...same, missing: 4, roots: 1 });
    const differs = { code: "migration_differs", field: "4 of 36 events" };
    await expect(provider.dropOld()).rejects.toMatchObject(differs);
    const erase = deleteUserEvidence(provider.evidence, { userId: "another", dryRun: false });
    await expect(erase).rejects.toMatchObject(differs);
    expect(await readFile(paths[0] as string)).not.toHaveLength(0);
  });

  test("is copied as it is opened, and answers as before", async () => {
    const root = await directory();
    const old = batches(9);
    for (const batch of old) await writeEarlier(root, batch);
    const before = await answers(await reference(old), old);
    for (const _again of [1, 2]) {
      await using provider = await filesystem({ directory: root });
      expect(await answers(provider.evidence, old)).toEqual(before);
      expect(await provider.evidence.check()).not.toHaveProperty("diagnostics");
      // 9 turns of their own; late rows belong to one of them.
      const every = { scope: allTenants, where: [] };
      expect(await provider.evidence.ledger.countTurns(every)).toBe(9);
      const held = await provider.copyOld();
      expect(held).toEqual({ dry_run: true, events: 36, copied: 36, complete: true });
    }
    await using provider = await filesystem({ directory: root });
    await provider.dropOld();
    expect((await readdir(root)).filter((name) => !name.startsWith("evidence.sqlite"))).toEqual([]);
    expect(await answers(provider.evidence, old)).toEqual(before);
  });

  test("of random batches answers as the reference does", async () => {
    const event = fc.record({
      span: fc.integer({ min: 0, max: 5 }),
      root: fc.integer({ min: 0, max: 3 }),
      user: fc.constantFrom(...users),
    });
    const world = fc.array(fc.array(event, { maxLength: 5 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(world, async (reported) => {
        const root = await directory();
        const old = reported.map((rows, n) => ({
          batchId: `b${n}`,
          receivedAt: receivedAt(n),
          events: rows.map(({ span, root: name, user }) =>
            sampleEvent(`s${span}`, {
              root_trace_id: `root-${name}`,
              ...(user === undefined ? {} : { user_id: user }),
            }),
          ),
        }));
        for (const batch of old) await writeEarlier(root, batch);
        await using provider = await filesystem({ directory: root });
        expect(await answers(provider.evidence, old)).toEqual(
          await answers(await reference(old), old),
        );
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  test("with a damaged part leaves that root out, as before, and is bounded", async () => {
    const root = await directory();
    const [whole, torn, rotten] = [batches(1)[0], ...batches(5).slice(3)] as EvidenceBatch[];
    await writeEarlier(root, whole as EvidenceBatch);
    const cut = await writeEarlier(root, torn as EvidenceBatch);
    await writeFile(cut, (await readFile(cut, "utf8")).slice(0, -20));
    const bad = await writeEarlier(root, rotten as EvidenceBatch);
    const text = await readFile(bad, "utf8");
    await writeFile(bad, text.replace('{"schema_version"', '["schema_version"'));
    await using provider = await filesystem({ directory: root });
    const page = await provider.evidence.page(allTenants, {}, { limit: 99 });
    const roots = new Set(page.events.map(({ root_trace_id: name }) => name));
    expect([roots, page.bounded]).toEqual([new Set(["root-0", "root-2"]), true]);
  });
});

describe("a large folder", () => {
  /** Too many files to be copied when the folder is opened. */
  async function large(): Promise<{ root: string; old: readonly EvidenceBatch[] }> {
    const root = await directory();
    const old = batches(12);
    for (const batch of old) await writeEarlier(root, batch);
    const empty = await writeEarlier(root, { batchId: "e", receivedAt: receivedAt(1), events: [] });
    for (let n = 0; n < 2_000; n += 1) {
      const name = `b_${createHash("sha256").update(`copy ${n}`).digest("hex")}.ndjson`;
      await cp(empty, join(empty, "..", name));
    }
    return { root, old };
  }

  test("waits for the command, is bounded and takes new rows meanwhile", async () => {
    const { root, old } = await large();
    const more = { batchId: "new", receivedAt: receivedAt(900_000), events: sampleTurn("new", {}) };
    const before = await answers(await reference([...old, more]), [...old, more]);
    await using provider = await filesystem({ directory: root });
    const { evidence, retention } = provider;
    await evidence.append(more);
    const page = await evidence.page(allTenants, {}, { limit: 99 });
    expect([page.events.length, page.bounded]).toEqual([3, true]);
    expect(await evidence.check()).toMatchObject({ diagnostics: ["migration_pending"] });
    const pending = { code: "migration_pending" };
    await expect(provider.dropOld()).rejects.toMatchObject(pending);
    await expect(deleteUserEvidence(evidence, { userId: "ann" })).rejects.toMatchObject(pending);
    const aged = retention.evidence({ policy: defaultRetention, now: "2026-06-01T00:00:00Z" });
    await expect(aged).rejects.toMatchObject(pending);
    expect(await provider.copyOld()).toMatchObject({ events: 48, copied: 0, complete: true });

    const stop = new AbortController();
    const seen: number[] = [];
    const ended = await provider.copyOld({
      dryRun: false,
      signal: stop.signal,
      onProgress: (done, all) => {
        seen.push(done / all);
        if (done === 700) stop.abort();
      },
    });
    expect(ended.complete).toBe(false);
    await using other = await filesystem({ directory: root });
    expect(await other.evidence.check()).toMatchObject({ diagnostics: ["migration_pending"] });
    const done = await other.copyOld({ dryRun: false });
    expect(done).toMatchObject({ events: 48, copied: 48, complete: true });
    for (const { evidence: store } of [provider, other]) {
      expect(await answers(store, [...old, more])).toEqual(before);
      expect(await store.check()).not.toHaveProperty("diagnostics");
    }
    expect(seen.every((share, at) => at === 0 || share > (seen[at - 1] ?? 0))).toBe(true);
  });
});

test("a user who is deleted stays deleted, and the old files go with the user's rows", async () => {
  const root = await directory();
  for (const batch of batches(9)) await writeEarlier(root, batch);
  const shown = async (): Promise<number> => {
    await using provider = await filesystem({ directory: root });
    await provider.copyOld({ dryRun: false });
    return (await provider.evidence.page({ tenant: "ann" }, {}, { limit: 99 })).events.length;
  };
  expect(await shown()).toBeGreaterThan(0);
  {
    await using provider = await filesystem({ directory: root });
    const report = await deleteUserEvidence(provider.evidence, { userId: "ann", dryRun: false });
    expect(report).toMatchObject({ complete: true, unreached: [] });
    expect(await readdir(root)).not.toContain("evidence");
    const again = await deleteUserEvidence(provider.evidence, { userId: "ann", dryRun: false });
    expect(again).toMatchObject({ found: 0, unreached: [] });
  }
  expect(await shown()).toBe(0);
});
