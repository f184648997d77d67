/** The native index: explicit, resumable, exactly equal to the other path, and never needed. */
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { everybody, receivedAt, sampleEvent, sampleTurn } from "../testing/sample-event.ts";
import { filesystem } from "./filesystem.ts";
import type { FilesystemProvider } from "./filesystem.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

const apply = { dryRun: false };
const scope = everybody;

async function append({ evidence }: FilesystemProvider, n: number): Promise<void> {
  const user_id = n % 5 === 0 ? null : `u-${n % 4}`;
  const refs = [{ resource_type: "document", ref: `doc-${n % 3}`, version: "1" }];
  const events = [
    ...sampleTurn(`root-${n}`, { user_id, agent_id: "helper", thread_id: `t-${n % 6}` }),
    sampleEvent("dd", { root_trace_id: `root-${n}`, parent_span_id: "aa", input_refs: refs }),
  ];
  await evidence.append({ batchId: `b${n}`, receivedAt: receivedAt(n * 20_000), events });
}

async function openFilled(batches: number): Promise<[string, FilesystemProvider]> {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-index-"));
  made.push(directory);
  const provider = await filesystem({ directory });
  for (let n = 0; n < batches; n += 1) await append(provider, n);
  return [directory, provider];
}

test("a dry run changes nothing and says what there is", async () => {
  const [directory, { index }] = await openFilled(3);
  const nothing = { provisioned: false, stored: 3, indexed: 0 };
  expect(await index.migrate()).toEqual(nothing);
  expect(await index.backfill()).toEqual(nothing);
  expect(await readdir(join(directory, "evidence"))).toEqual(["batches"]);
});

test("migrate, backfill, parity, drop; appends in between are indexed", async () => {
  const [directory, provider] = await openFilled(8);
  const { index } = provider;
  expect((await index.parity({ scope })).differences).toBe(8);
  expect(await index.migrate(apply)).toEqual({ provisioned: true, stored: 8, indexed: 0 });
  await append(provider, 8);
  expect(await index.state()).toEqual({ provisioned: true, stored: 9, indexed: 1 });
  const steps: number[] = [];
  const onProgress = (done: number): void => void steps.push(done);
  expect(await index.backfill({ ...apply, onProgress })).toMatchObject({ indexed: 9 });
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const parity = await index.parity({ scope });
  expect(parity).toMatchObject({ unitsCompared: 9, differences: 0 });
  expect(parity.readsCompared).toBeGreaterThan(30);
  const native = await filesystem({ directory, reads: "native" });
  const page = await native.evidence.page({ tenant: "u-1" }, {}, { limit: 99 });
  expect(page).toEqual(await provider.evidence.page({ tenant: "u-1" }, {}, { limit: 99 }));
  expect(page.events).toHaveLength(4);
  expect(await index.drop(apply)).toEqual({ provisioned: false, stored: 9, indexed: 0 });
  expect(await native.evidence.page({ tenant: "u-1" }, {}, { limit: 99 })).toEqual(page);
});

test("an interrupted backfill goes on, and meanwhile native reads miss nothing", async () => {
  const [directory, provider] = await openFilled(6);
  await provider.index.migrate(apply);
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 2) stop.abort();
  };
  const { signal } = stop;
  await expect(provider.index.backfill({ ...apply, onProgress, signal })).rejects.toThrow();
  expect(await provider.index.state()).toMatchObject({ indexed: 2 });
  const native = (await filesystem({ directory, reads: "native" })).evidence;
  for (const tenant of ["u-0", "u-1", "u-2", "u-3", null, "nobody"]) {
    const options = { limit: 99 };
    expect(await native.page({ tenant }, {}, options)).toEqual(
      await provider.evidence.page({ tenant }, {}, options),
    );
  }
  expect(await provider.index.backfill(apply)).toMatchObject({ indexed: 6 });
});

test("parity finds an index that says too little, and one of other rows is no index", async () => {
  const [directory, { index }] = await openFilled(3);
  await index.migrate(apply);
  await index.backfill(apply);
  const folder = join(directory, "evidence", "index", "2026-03-02");
  const [first = "", second = ""] = (await readdir(folder)).map((name) => join(folder, name));
  const text = JSON.parse(await readFile(first, "utf8")) as { roots: [string, number[]][] };
  text.roots[0]?.[1].splice(1, 2);
  await writeFile(first, JSON.stringify(text));
  expect((await index.parity({ scope })).differences).toBeGreaterThanOrEqual(1);
  const other = await readFile(second, "utf8");
  await writeFile(second, other.replace(/"checksum":"./, '"checksum":"z'));
  expect(await index.state()).toMatchObject({ indexed: 2 });
  await rm(first);
  expect(await index.backfill(apply)).toMatchObject({ indexed: 3 });
  expect((await index.parity({ scope })).differences).toBe(0);
});
