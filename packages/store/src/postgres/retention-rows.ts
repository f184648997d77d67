/** @module RetentionRows: reads bundles by root for retention, and deletes them. */
import { groupBy } from "@turnproof/semconv";

import { decodeBody } from "../bundle/decode.ts";
import { joinSegments } from "../bundle/encode.ts";
import { pinnedBatch } from "../evidence-erasure.ts";
import type { KeyedRow, QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import { settledEvents } from "../settle.ts";
import { putBundles } from "./bundle-writer.ts";
import type { Database, Session } from "./database.ts";
import { postgresOperatorRows } from "./operator-rows.ts";
import { raiseEpochs, standingOf } from "./root-counts.ts";
import { bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";
import { turnsWithin } from "./turn-ledger.ts";

/** Roots of one page of the walk. */
const pageRoots = 500;

/** The rows of a database. A row is identified by its position under its root. */
export function retentionRows(database: Database): RetentionRows<number> {
  return {
    async countQuiet(before) {
      const bind = bindings();
      const { rows } = await database.query(
        `SELECT count(*)::text AS n FROM evidence_roots
WHERE last_us < ${bind.plain(String(before))}::bigint`,
        bind.parameters,
      );
      return Number(rows[0]?.["n"]);
    },
    quiet: (before) => quietRoots(database, before),
    load: (root) => loadRoot(database, root),
    // One transaction: readers see a root before or after it.
    remove: (removals) => database.transaction((session) => replace(session, removals)),
    written: {
      archive: postgresOperatorRows(database),
      standing: (roots) => standingOf(database, roots),
      turnsOf: (roots) => turnsWithin(database).turnsOf(roots),
    },
  };
}

async function* quietRoots(session: Session, before: number): AsyncGenerator<QuietRoot> {
  let after: readonly [last: string, root: string] = ["-1", ""];
  for (;;) {
    const bind = bindings();
    const { rows } = await session.query(
      `SELECT root_trace_id AS root, last_us::text AS last FROM evidence_roots
WHERE last_us < ${bind.plain(String(before))}::bigint
    AND (last_us, root_trace_id) > (${bind.plain(after[0])}::bigint, ${bind.plain(after[1])})
ORDER BY last_us, root_trace_id LIMIT ${pageRoots}`,
      bind.parameters,
    );
    for (const row of rows) {
      yield { root: fromStored(row["root"] as string), last: Number(row["last"]) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRoots) return;
    after = [last["last"] as string, last["root"] as string];
  }
}

async function loadRoot(session: Session, root: string): Promise<readonly KeyedRow<number>[]> {
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT body FROM evidence_bundles b JOIN evidence_roots r ON r.root = b.root
WHERE r.root_trace_id = ${bind.text(root)} ORDER BY seq`,
    bind.parameters,
  );
  return rows
    .flatMap((row) => decodeBody(root, joinSegments([row["body"] as string])))
    .map((row, key) => ({ key, row }));
}

/** Replaces each root that has not grown since it was read with its remaining rows. */
async function replace(
  session: Session,
  removals: readonly Removal<number>[],
): Promise<readonly number[]> {
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT root_trace_id AS root, last_us::text AS last, events::text AS events
FROM evidence_roots WHERE root_trace_id = ANY(${bind.texts(removals.map(({ root }) => root))})
ORDER BY root_trace_id FOR UPDATE`,
    bind.parameters,
  );
  const held = new Map(rows.map((row) => [fromStored(row["root"] as string), row]));
  const still = removals.filter(({ root, last }) => Number(held.get(root)?.["last"]) === last);
  await forget(session, still);
  const batch = pinnedBatch(still.flatMap(({ left }) => left));
  if (batch !== undefined) await putBundles(session, batch);
  await recordLeft(session, still);
  const done = new Set(still);
  return removals.map((removal) => (done.has(removal) ? removal.gone.length : 0));
}

/** Turns of the remaining rows, under a higher epoch; the judge settles them. */
async function recordLeft(session: Session, removals: readonly Removal<number>[]): Promise<void> {
  const roots = removals.map(({ root }) => root);
  const turns = turnsWithin(session);
  await raiseEpochs(session, roots);
  const held = await turns.turnsOf(roots);
  const under = groupBy(held, (turn) => turn.root_trace_id);
  const bind = bindings();
  await session.query(
    `DELETE FROM turn_ledger WHERE key = ANY(${bind.texts(held.map(({ key }) => key))})`,
    bind.parameters,
  );
  const standing = await standingOf(session, roots);
  const whole = removals.map(({ root, left }) => {
    const events = settledEvents(left);
    const { rows = 0, epoch = 0 } = standing.get(root) ?? {};
    return { root, events, rows, epoch, held: under.get(root) ?? [] };
  });
  await recordRoots(turns, whole);
  // No older version returns under the new epoch, so the keys need not be kept for that.
  const ended = bindings();
  await session.query(
    `DELETE FROM turn_ledger WHERE gone AND key = ANY(${ended.texts(held.map(({ key }) => key))})`,
    ended.parameters,
  );
}

/** Deletes the roots; a batch stays complete when its manifest counts its remaining events. */
async function forget(session: Session, removals: readonly Removal<number>[]): Promise<void> {
  const bind = bindings();
  await session.query(
    `WITH gone AS (
    DELETE FROM evidence_bundles WHERE root IN (
        SELECT root FROM evidence_roots
        WHERE root_trace_id = ANY(${bind.texts(removals.map(({ root }) => root))}))
    RETURNING batch_no, events
), less AS (SELECT batch_no, sum(events) AS n FROM gone GROUP BY batch_no)
UPDATE evidence_batches AS b SET event_count = b.event_count - less.n FROM less
WHERE b.batch_no = less.batch_no`,
    bind.parameters,
  );
  const roots = bindings();
  await session.query(
    `DELETE FROM evidence_roots
WHERE root_trace_id = ANY(${roots.texts(removals.map(({ root }) => root))})`,
    roots.parameters,
  );
}
