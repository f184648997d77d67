/**
 * @module EvidenceFeed: finds the roots that a read may need, newest received first, and settles
 * them whole. Rows come in the order of a page, so each read opens as much history as it shows.
 */
import { limits } from "@turnproof/semconv";

import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Round } from "../walk.ts";
import type { Row, Session } from "./database.ts";
import type { EvidenceConditions } from "./evidence-filter.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { fromStored, fromStoredJson } from "./stored-text.ts";

/** What to look for. */
export interface Search {
  readonly options: SliceOptions;
  /** Rows to meet in the first round; later rounds double it. */
  readonly rowsFirst: number;
  conditions(bind: Bindings): EvidenceConditions;
  /** Set when a root was too large to be read whole. */
  cut?: boolean;
}

const rowsPerRoundMax = 4_000;
const endOfTime = "9223372036854775807";

/** The settled roots of a search, round by round. */
export async function* evidenceFeed(session: Session, search: Search): AsyncGenerator<Round> {
  const { options } = search;
  const start = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  const met = new Set<string>();
  let top: Mark = {
    micros: String(start?.micros ?? Number.MAX_SAFE_INTEGER),
    nanos: String(start?.nanos ?? endOfTime),
    seq: endOfTime,
  };
  let wanted = search.rowsFirst;
  let examined = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const rows = await meet(session, search, top, wanted);
    const last = rows.at(-1);
    const ended = last === undefined || rows.length < wanted;
    const roots = new Set(rows.map((row) => fromStored(row["root_trace_id"] as string)));
    const fresh = [...roots].filter((root) => !met.has(root));
    for (const root of fresh) met.add(root);
    const loaded = await loadRoots(session, fresh);
    if (loaded.cut) search.cut = true;
    const frontier = ended || last === undefined ? null : frontierOf(last);
    yield { events: settle(loaded.rows), frontier };
    if (frontier === null || last === undefined) return;
    examined += rows.length + loaded.rows.length;
    // Rows of one moment are met together, or the next page would begin where this one did.
    const moved = start === undefined || isBelow(frontier, start);
    if (examined >= budget && moved) return;
    top = markOf(last);
    wanted = Math.min(wanted * 2, rowsPerRoundMax);
  }
}

/** Rows of whole roots, and whether a root was too large to be read whole. */
export async function loadRoots(
  session: Session,
  roots: readonly string[],
): Promise<{ readonly rows: StoredEvent[]; readonly cut: boolean }> {
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

interface Mark {
  readonly micros: string;
  readonly nanos: string;
  readonly seq: string;
}

/** Rows that pass the conditions, in the order of a page, from the mark on. */
async function meet(
  session: Session,
  search: Search,
  top: Mark,
  wanted: number,
): Promise<readonly Row[]> {
  const bind = bindings();
  const { rows, roots } = search.conditions(bind);
  const [micros, nanos, seq] = [top.micros, top.nanos, top.seq].map(
    (value) => `${bind.plain(value)}::bigint`,
  );
  const said = roots.map(
    (condition) =>
      `root_trace_id IN (SELECT root_trace_id FROM evidence_events WHERE ${condition})`,
  );
  const below = `(received_us, event_ns, seq) < (${micros}, ${nanos}, ${seq})`;
  const answer = await session.query(
    `SELECT root_trace_id, received_us::text AS micros, event_ns::text AS nanos, seq::text AS place
FROM evidence_events
WHERE ${[below, ...rows, ...said].join("\n    AND ")}
ORDER BY received_us DESC, event_ns DESC, seq DESC LIMIT ${wanted}`,
    bind.parameters,
  );
  return answer.rows;
}

function markOf(row: Row): Mark {
  return {
    micros: row["micros"] as string,
    nanos: row["nanos"] as string,
    seq: row["place"] as string,
  };
}

/** Everything newer than the row's moment has been met; the moment itself may go on. */
function frontierOf(row: Row): Position {
  return { micros: Number(row["micros"]), nanos: BigInt(row["nanos"] as string), key: "" };
}

function isBelow(frontier: Position, start: Position): boolean {
  if (frontier.micros !== start.micros) return frontier.micros < start.micros;
  return frontier.nanos < start.nanos;
}
