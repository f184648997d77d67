/**
 * @module EvidenceFeed: rows that pass the conditions of a read, in the order of a page, and the
 * rows of whole roots.
 */
import { limits } from "@turnproof/semconv";

import type { LoadedRoots, RowSource } from "../row-feed.ts";
import type { EvidenceConditions } from "../search-condition.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Session } from "./database.ts";
import { conditionSql } from "./evidence-filter.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, fromStoredJson } from "./stored-text.ts";

/** A place in the order of a page, as the database writes its numbers. */
interface Mark {
  readonly micros: string;
  readonly nanos: string;
  readonly seq: string;
}

const endOfTime = "9223372036854775807";
const newest: Mark = { micros: String(Number.MAX_SAFE_INTEGER), nanos: endOfTime, seq: endOfTime };

/** The rows of one search. */
export function evidenceRows(session: Session, conditions: EvidenceConditions): RowSource<Mark> {
  return {
    markAbove: ({ micros, nanos }) => ({
      micros: String(micros),
      nanos: String(nanos),
      seq: endOfTime,
    }),
    load: (roots) => loadRoots(session, roots),
    async meet(below = newest, wanted) {
      const bind = bindings();
      const rows = conditions.rows.map((condition) => conditionSql(condition, bind));
      const said = conditions.roots.map(
        (condition) =>
          `root_trace_id IN (SELECT root_trace_id FROM evidence_events WHERE ${conditionSql(condition, bind)})`,
      );
      const [micros, nanos, seq] = [below.micros, below.nanos, below.seq].map(
        (value) => `${bind.plain(value)}::bigint`,
      );
      const under = `(received_us, event_ns, seq) < (${micros}, ${nanos}, ${seq})`;
      const answer = await session.query(
        `SELECT root_trace_id, received_us::text AS micros, event_ns::text AS nanos, seq::text AS place
FROM evidence_events
WHERE ${[under, ...rows, ...said].join("\n    AND ")}
ORDER BY received_us DESC, event_ns DESC, seq DESC LIMIT ${wanted}`,
        bind.parameters,
      );
      return answer.rows.map((row) => {
        const mark: Mark = {
          micros: row["micros"] as string,
          nanos: row["nanos"] as string,
          seq: row["place"] as string,
        };
        return {
          root: fromStored(row["root_trace_id"] as string),
          micros: Number(mark.micros),
          nanos: BigInt(mark.nanos),
          mark,
        };
      });
    },
  };
}

/** Rows of whole roots, and whether a root was too large to be read whole. */
export async function loadRoots(session: Session, roots: readonly string[]): Promise<LoadedRoots> {
  if (roots.length === 0) return { rows: [], cut: false };
  const bind = bindings();
  const max = limits.rootEventsMax;
  const { rows } = await session.query(
    `SELECT e.event::text AS event, e.n::text AS n FROM unnest(${bind.texts(roots)}) AS r(root)
CROSS JOIN LATERAL (
    SELECT event, row_number() OVER (ORDER BY seq) AS n FROM evidence_events
    WHERE root_trace_id = r.root COLLATE "C" ORDER BY seq LIMIT ${max + 1}) AS e`,
    bind.parameters,
  );
  return {
    rows: rows.map((row) => fromStoredJson(row["event"] as string) as StoredEvent),
    cut: rows.length > max && rows.some((row) => Number(row["n"]) > max),
  };
}
