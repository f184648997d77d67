/**
 * Kills of a process that writes the filesystem provider (faults R26): at random points of storing,
 * recording, deletion and retention. After each the store opens, each acknowledged batch is whole
 * or was taken away as a whole root, and the ledger agrees with the bundles: by the port, and by a
 * recount in SQL over the tables.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { filesystem } from "@turnproof/store";
import type { EvidenceStore, TurnRecord } from "@turnproof/store";
import { allTenants, receivedAt } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { openSqliteReadOnly } from "../../../packages/store/src/sqlite/sqlite-database.ts";
import type { Reported } from "../../servers/evidence-writer.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const kills = Number(process.env["FILESYSTEM_KILLS"] ?? 12);
/**
 * A writer sends this many messages in a round of its work and a quarter; it is killed at any of
 * them.
 */
const wordsMax = 20;
/** And so long after it, in milliseconds. */
const afterMsMax = 40;
const eventsPerRoot = 3;

/** What is known of a root: rows that must be there, or may be there, and whether turns must. */
interface Known {
  readonly batch: string;
  rows: "all" | "none" | "any";
  recorded: boolean;
}

/** What the writers sent, kept outside of the store. */
class Outside {
  readonly roots = new Map<string, Known>();
  readonly stated = new Map<string, number>();

  hear(reported: Reported): void {
    this.stated.set(reported.did, (this.stated.get(reported.did) ?? 0) + 1);
    if ("roots" in reported) {
      const recorded = reported.did === "recorded";
      for (const root of reported.roots)
        this.roots.set(root, { batch: reported.batch, rows: "all", recorded });
      return;
    }
    const isGoing = reported.did === "erasing" || reported.did === "erased" ? /goes$/ : /-old-/;
    const rows = reported.did === "erased" || reported.did === "retained" ? "none" : "any";
    for (const [root, known] of this.roots) {
      if (isGoing.test(root) && known.rows !== "none") known.rows = rows;
    }
  }
}

async function killedWriter(directory: string, run: number, outside: Outside): Promise<void> {
  const file = new URL("../../servers/evidence-writer.ts", import.meta.url);
  const child = fork(file, [directory, `run${run}`], {
    execArgv: ["-C", "@turnproof/source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // Each run draws from its own share of a round, so that few kills meet all of its work.
  const words = 1 + Math.floor(((run + Math.random()) / kills) * wordsMax);
  const spoke = Promise.withResolvers<void>();
  let heard = 0;
  child.on("message", (reported) => {
    outside.hear(reported as Reported);
    heard += 1;
    if (heard === words) spoke.resolve();
  });
  const ended = once(child, "close");
  await Promise.race([spoke.promise, ended]);
  await sleep(Math.random() * afterMsMax);
  child.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
}

async function recordsByRoot(store: EvidenceStore): Promise<ReadonlyMap<string, TurnRecord>> {
  const found = new Map<string, TurnRecord>();
  const requested = { scope: allTenants, where: [] };
  let after: Parameters<typeof store.ledger.listTurns>[1]["after"];
  do {
    const order = { by: "first_received" } as const;
    const page = await store.ledger.listTurns(requested, {
      order,
      limit: 500,
      ...(after && { after }),
    });
    for (const record of page.records) found.set(record.row.root_trace_id ?? "", record);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}

async function checkByPort(directory: string, outside: Outside): Promise<void> {
  await using provider = await filesystem({ directory });
  const { evidence } = provider;
  expect(await evidence.check()).toMatchObject({ ok: true });
  const turns = await recordsByRoot(evidence);
  const standing = await evidence.standing([
    ...new Set([...outside.roots.keys(), ...turns.keys()]),
  ]);
  const wrong: unknown[] = [];
  for (const [root, { rows, recorded }] of outside.roots) {
    const held = standing.get(root)?.rows ?? 0;
    const isRight = held === eventsPerRoot ? rows !== "none" : held === 0 && rows !== "all";
    const hasTurn = turns.has(root);
    if (!isRight || (recorded && hasTurn !== held > 0)) wrong.push({ root, rows, held, hasTurn });
  }
  // What was not acknowledged is whole or absent as well.
  for (const [root, { version }] of turns) {
    const { rows, epoch } = standing.get(root) ?? { rows: 0, epoch: 0 };
    if (rows !== version.rows || rows !== eventsPerRoot || epoch !== version.epoch) {
      wrong.push({ root, version, rows, epoch });
    }
  }
  expect(wrong).toEqual([]);
  const batches = new Set([...outside.roots.values()].map(({ batch }) => batch));
  for (const batch of batches) {
    const { complete } = await evidence.readBack(batch, receivedAt(0));
    if (!complete) wrong.push(batch);
  }
  for (const root of [...outside.roots.keys()].slice(-24)) {
    const { events } = await evidence.root(allTenants, root, { limit: 9 });
    if (events.length !== (standing.get(root)?.rows ?? 0))
      wrong.push({ root, read: events.length });
  }
  expect(wrong).toEqual([]);
}

/** Rows that contradict each other, counted in SQL. */
const contradictions: Readonly<Record<string, string>> = {
  "a root whose bundles have other rows": `SELECT count(*) AS n FROM (
    SELECT roots.id FROM roots LEFT JOIN bundles ON bundles.root = roots.id
    GROUP BY roots.id HAVING coalesce(sum(bundles.events), 0) <> roots.rows)`,
  "a root that is half written": `SELECT count(*) AS n FROM roots WHERE rows <> ${eventsPerRoot}`,
  "a batch whose bundles have other rows": `SELECT count(*) AS n FROM (
    SELECT batches.id FROM batches LEFT JOIN bundles ON bundles.batch = batches.id
    GROUP BY batches.id HAVING coalesce(sum(bundles.events), 0) <> batches.events)`,
  "a bundle without a root": `SELECT count(*) AS n FROM bundles
    WHERE root NOT IN (SELECT id FROM roots) OR batch NOT IN (SELECT id FROM batches)`,
  "a word without a root": `SELECT count(*) AS n FROM bundle_words
    WHERE root NOT IN (SELECT id FROM roots)`,
  "a root without words": `SELECT count(*) AS n FROM roots
    WHERE id NOT IN (SELECT root FROM bundle_words)`,
  "a turn without a root": `SELECT count(*) AS n FROM turns
    WHERE root_trace_id NOT IN (SELECT root_trace_id FROM roots)`,
  "a turn without a record or version": `SELECT count(*) AS n FROM turns
    WHERE id NOT IN (SELECT id FROM turn_records) OR key NOT IN (SELECT key FROM turn_versions)`,
  "a turn without its values": `SELECT count(*) AS n FROM turns
    WHERE id NOT IN (SELECT turn FROM turn_values)`,
  "a record, value or call without a turn": `SELECT count(*) AS n FROM (
    SELECT id FROM turn_records UNION SELECT turn FROM turn_values UNION SELECT turn FROM turn_calls
  ) WHERE id NOT IN (SELECT id FROM turns)`,
};

function checkBySql(directory: string): void {
  const database = openSqliteReadOnly(join(directory, "evidence.sqlite"));
  try {
    expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    const found = Object.entries(contradictions).map(([what, sql]) => [
      what,
      database.prepare(sql).get()?.["n"],
    ]);
    expect(found).toEqual(Object.keys(contradictions).map((what) => [what, 0]));
  } finally {
    database.close();
  }
}

test(`nothing is half written after ${kills} kills`, { timeout: 300_000 }, async () => {
  const directory = await directories.make();
  const outside = new Outside();
  for (let run = 0; run < kills; run += 1) {
    await killedWriter(directory, run, outside);
    await checkByPort(directory, outside);
    checkBySql(directory);
  }
  // The kills met every kind of work.
  for (const did of ["recorded", "erasing", "erased", "retaining", "retained"]) {
    expect([did, (outside.stated.get(did) ?? 0) > 0]).toEqual([did, true]);
  }
});
