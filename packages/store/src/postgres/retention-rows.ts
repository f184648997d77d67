/** @module RetentionRows: the rows of evidence for a run of retention, and their end. */
import type { KeyedRow, QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Database, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, fromStoredJson } from "./stored-text.ts";

/** Roots of one page of the walk. */
const pageRoots = 500;

/** The rows of a database. A row is named by its number. */
export function retentionRows(database: Database): RetentionRows<string> {
  return {
    async countQuiet(before) {
      const bind = bindings();
      const { rows } = await database.query(
        `SELECT count(*)::text AS n FROM (${quietSql(bind.plain(String(before)))}) AS quiet`,
        bind.parameters,
      );
      return Number(rows[0]?.["n"]);
    },
    quiet: (before) => quietRoots(database, before),
    async load(root) {
      const bind = bindings();
      const { rows } = await database.query(
        `SELECT seq::text AS place, event::text AS event FROM evidence_events
WHERE root_trace_id = ${bind.text(root)} ORDER BY seq`,
        bind.parameters,
      );
      return rows.map((row): KeyedRow<string> => {
        const event = fromStoredJson(row["event"] as string) as StoredEvent;
        return { key: row["place"] as string, row: event };
      });
    },
    // One transaction: a root is seen as it was or as it will be.
    remove: (removals) => database.transaction((session) => remove(session, removals)),
  };
}

function quietSql(before: string): string {
  return `SELECT root_trace_id, max(received_us) AS last FROM evidence_events
GROUP BY root_trace_id HAVING max(received_us) < ${before}::bigint`;
}

async function* quietRoots(session: Session, before: number): AsyncGenerator<QuietRoot> {
  let after: { readonly last: string; readonly root: string } | undefined;
  for (;;) {
    const bind = bindings();
    const quiet = quietSql(bind.plain(String(before)));
    const beyond =
      after === undefined
        ? "true"
        : `(last, root_trace_id) > (${bind.plain(after.last)}::bigint, ${bind.plain(after.root)})`;
    const { rows } = await session.query(
      `SELECT root_trace_id AS root, last::text AS last FROM (${quiet}) AS quiet
WHERE ${beyond} ORDER BY last, root_trace_id LIMIT ${pageRoots}`,
      bind.parameters,
    );
    for (const row of rows) {
      yield { root: fromStored(row["root"] as string), last: Number(row["last"]) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRoots) return;
    after = { last: last["last"] as string, root: last["root"] as string };
  }
}

async function remove(
  session: Session,
  removals: readonly Removal<string>[],
): Promise<readonly number[]> {
  const lasts = await lastOf(
    session,
    removals.map(({ root }) => root),
  );
  const still = removals.filter(({ root, last }) => lasts.get(root) === last);
  const places = still.flatMap(({ gone }) => gone.map(({ key }) => key));
  const bind = bindings();
  // A batch is complete while its manifest counts what is left of it; an empty one needs none.
  await session.query(
    `WITH gone AS (
    DELETE FROM evidence_events WHERE seq = ANY(${bind.texts(places)}::bigint[]) RETURNING batch_no
), less AS (SELECT batch_no, count(*) AS n FROM gone GROUP BY batch_no)
UPDATE evidence_batches AS b SET event_count = b.event_count - less.n FROM less
WHERE b.batch_no = less.batch_no`,
    bind.parameters,
  );
  const ended = bindings();
  const whole = still.filter(({ left }) => left.length === 0).map(({ root }) => root);
  await session.query(
    `DELETE FROM evidence_verdicts WHERE root_trace_id = ANY(${ended.texts(whole)})`,
    ended.parameters,
  );
  const done = new Set(still);
  return removals.map((removal) => (done.has(removal) ? removal.gone.length : 0));
}

async function lastOf(
  session: Session,
  roots: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT root_trace_id AS root, max(received_us)::text AS last FROM evidence_events
WHERE root_trace_id = ANY(${bind.texts(roots)}) GROUP BY root_trace_id`,
    bind.parameters,
  );
  return new Map(rows.map((row) => [fromStored(row["root"] as string), Number(row["last"])]));
}
