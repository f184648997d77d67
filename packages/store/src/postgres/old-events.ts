/**
 * @module OldEvents: copies the events table of versions before the ledger into bundles, root by
 * root. Each step is one transaction that records the last copied root, so a run that ended early
 * continues there and repeats nothing. The table remains until it is dropped.
 */
import { CodedError, groupBy } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { packBundles } from "../bundle/pack.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import type { OldEvents } from "../old-evidence.ts";
import { compareOld, requireParity } from "../old-parity.ts";
import { settledEvents } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { rowsOf } from "./bundle-reads.ts";
import { putRows } from "./bundle-writer.ts";
import type { Database, Session } from "./database.ts";
import { standingOf } from "./root-counts.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, fromStoredJson } from "./stored-text.ts";
import { turnsWithin } from "./turn-ledger.ts";

/** Most events that are copied when the table is opened. */
const eventsAtOpenMax = 20_000;
/** Roots and events of one step; a root is copied whole. */
const rootsPerStep = 200;
const eventsPerStep = 5_000;

/** Data of an earlier version in a database; copies a small amount if allowed. */
export async function oldEvents(database: Database, mayChange: boolean): Promise<OldEvents> {
  let pending = (await stateOf(database)) === "pending";
  const old: OldEvents = {
    pending: () => pending,
    async refresh() {
      if (pending) pending = (await stateOf(database)) === "pending";
      return pending;
    },
    async copy(options = {}) {
      const report = await copyEvents(database, options);
      await old.refresh();
      return report;
    },
    check: (options) => checkEvents(database, options),
    async drop() {
      if (await old.refresh()) throw new CodedError("migration_pending");
      requireParity(await old.check());
      await dropOldEvents(database);
    },
  };
  if (pending && mayChange && (await isSmall(database))) await old.copy({ dryRun: false });
  return old;
}

/** Drops the tables of an earlier version. */
async function dropOldEvents(session: Session): Promise<void> {
  await session.script("DROP TABLE IF EXISTS old_events, evidence_verdicts");
}

type State = "none" | "pending" | "copied";

async function stateOf(session: Session): Promise<State> {
  const { rows } = await session.query(
    `SELECT to_regclass('old_events')::text AS held,
    (SELECT complete FROM old_events_copy)::text AS complete`,
  );
  if (typeof rows[0]?.["held"] !== "string") return "none";
  if (rows[0]["complete"] === "true") return "copied";
  const first = await session.query("SELECT 1 AS one FROM old_events LIMIT 1");
  return first.rows.length === 0 ? "none" : "pending";
}

async function isSmall(session: Session): Promise<boolean> {
  const some = `SELECT 1 FROM old_events LIMIT ${eventsAtOpenMax + 1}`;
  return (
    (await countOf(session, `SELECT count(*)::text AS n FROM (${some}) AS held`)) <= eventsAtOpenMax
  );
}

async function countOf(session: Session, sql: string): Promise<number> {
  return Number((await session.query(sql)).rows[0]?.["n"] ?? 0);
}

async function copyEvents(
  database: Database,
  { dryRun = true, signal, onProgress }: CopyOptions,
): Promise<CopyReport> {
  const state = await stateOf(database);
  if (state === "none") return { dry_run: dryRun, events: 0, copied: 0, complete: true };
  const events = await countOf(database, "SELECT count(*)::text AS n FROM old_events");
  if (state === "copied") return { dry_run: dryRun, events, copied: events, complete: true };
  let copied = await countOf(
    database,
    `SELECT count(*)::text AS n FROM old_events
WHERE root_trace_id <= (SELECT after_root FROM old_events_copy)`,
  );
  for (let complete = false; !dryRun && !complete;) {
    if (signal?.aborted === true) break;
    const step = await database.transaction(copyStep);
    copied += step.events;
    complete = step.complete;
    onProgress?.(copied, events);
    if (complete) return { dry_run: dryRun, events, copied: events, complete };
  }
  return { dry_run: dryRun, events, copied, complete: dryRun };
}

/** Old events of one page of a comparison. */
const eventsPerPage = 2_000;

async function checkEvents(
  database: Database,
  options?: Omit<CopyOptions, "dryRun">,
): Promise<ParityReport> {
  if ((await stateOf(database)) === "none") {
    return { events: 0, missing: 0, roots: 0, deleted: 0, complete: true };
  }
  const both = {
    events: await countOf(database, "SELECT count(*)::text AS n FROM old_events"),
    pages: pagesOf(database),
    rowsOf: (roots: readonly string[]) => rowsOf(database, roots, () => {}),
    standing: (roots: readonly string[]) => standingOf(database, roots),
  };
  return compareOld(both, options);
}

/** Old events in the order they were written. */
async function* pagesOf(session: Session): AsyncGenerator<readonly StoredEvent[]> {
  for (let after = "0"; ;) {
    const { rows } = await session.query(
      `SELECT seq::text AS seq, event::text AS event FROM old_events
WHERE seq > $1 ORDER BY old_events.seq LIMIT ${eventsPerPage}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = String(last["seq"]);
    yield rows.map((row) => fromStoredJson(String(row["event"])) as StoredEvent);
  }
}

interface Step {
  readonly events: number;
  readonly complete: boolean;
}

async function copyStep(session: Session): Promise<Step> {
  await session.query("INSERT INTO old_events_copy (one) VALUES (true) ON CONFLICT DO NOTHING");
  // Of two concurrent runs the second waits here, and continues after the first.
  const held = await session.query(
    "SELECT after_root, complete::text AS complete FROM old_events_copy FOR UPDATE",
  );
  if (held.rows[0]?.["complete"] === "true") return { events: 0, complete: true };
  const roots = await nextRoots(session, held.rows[0]?.["after_root"]);
  const last = roots.at(-1);
  if (last === undefined) {
    await session.query("UPDATE old_events_copy SET complete = true");
    return { events: 0, complete: true };
  }
  await copyRoots(session, roots);
  const bind = bindings();
  await session.query(
    `UPDATE old_events_copy SET after_root = ${bind.text(last.root)}`,
    bind.parameters,
  );
  return { events: roots.reduce((sum, { events }) => sum + events, 0), complete: false };
}

interface OldRoot {
  readonly root: string;
  readonly events: number;
}

async function nextRoots(session: Session, after: unknown): Promise<readonly OldRoot[]> {
  const bind = bindings();
  const where = typeof after === "string" ? `WHERE root_trace_id > ${bind.plain(after)}` : "";
  const { rows } = await session.query(
    `SELECT root_trace_id, count(*)::text AS events FROM old_events ${where}
GROUP BY root_trace_id ORDER BY root_trace_id LIMIT ${rootsPerStep}`,
    bind.parameters,
  );
  const roots: OldRoot[] = [];
  let events = 0;
  for (const row of rows) {
    if (roots.length > 0 && events + Number(row["events"]) > eventsPerStep) break;
    events += Number(row["events"]);
    roots.push({ root: fromStored(String(row["root_trace_id"])), events: Number(row["events"]) });
  }
  return roots;
}

/** Bundles of these roots under their original batches, and their turns. */
async function copyRoots(session: Session, old: readonly OldRoot[]): Promise<void> {
  const roots = old.map(({ root }) => root);
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT batch_no::text AS batch, event::text AS event FROM old_events
WHERE root_trace_id = ANY(${bind.texts(roots)}) ORDER BY seq`,
    bind.parameters,
  );
  const batches = groupBy(rows, (row) => String(row["batch"]));
  const packed = [...batches].flatMap(([batch, own]) => {
    const events = own.map((row) => fromStoredJson(String(row["event"])) as StoredEvent);
    return packBundles(events).map((row) => ({ ...row, batch }));
  });
  await putRows(
    session,
    packed.toSorted((a, b) => (a.root_trace_id < b.root_trace_id ? -1 : 1)),
  );
  const standing = await standingOf(session, roots);
  const stored = groupBy(await rowsOf(session, roots, () => {}), (row) => row.root_trace_id ?? "");
  const whole = [...standing].map(([root, known]) => {
    const events = settledEvents(stored.get(root) ?? []);
    return { root, ...known, events };
  });
  await recordRoots(turnsWithin(session), whole);
}
