/**
 * @module EvidenceFeed: finds the roots that a read may need, newest received first, and settles
 * them whole. Where the roots that can pass are few, they are named first and only their rows met.
 */
import { limits } from "@turnproof/semconv";
import type { Collection, Document, Filter } from "mongodb";

import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import { settle } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Round } from "../walk.ts";
import { eventOf, nanosKey, nanosOfKey } from "./evidence-document.ts";
import type { EvidenceConditions } from "./evidence-filter.ts";

/** What to look for. */
export interface Search {
  readonly options: SliceOptions;
  readonly conditions: EvidenceConditions;
  /** Rows to meet in the first round; later rounds double it. */
  readonly rowsFirst: number;
  /** Set when a root was too large to be read whole. */
  cut?: boolean;
}

type Events = Collection<Document>;
const rowsPerRoundMax = 4_000;
/** Rows of a condition up to which its roots are named in the search itself. */
const namedRowsMax = 5_000;
const endOfKeys = "\u{10ffff}";

/** The settled roots of a search, round by round. */
export async function* evidenceFeed(events: Events, search: Search): AsyncGenerator<Round> {
  const { options } = search;
  const start = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  const named = await namedRoots(events, search.conditions.roots);
  const met = new Set<string>();
  let top: Mark | undefined =
    start === undefined
      ? undefined
      : { micros: start.micros, key: nanosKey(start.nanos), id: endOfKeys };
  let wanted = search.rowsFirst;
  let examined = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const rows = await meet(events, [...search.conditions.rows, ...named], top, wanted);
    const last = rows.at(-1);
    const ended = last === undefined || rows.length < wanted;
    const roots = new Set(rows.map((row) => String(row["root_trace_id"])));
    const fresh = [...roots].filter((root) => !met.has(root));
    for (const root of fresh) met.add(root);
    const able = await passing(events, fresh, search.conditions.roots);
    const loaded = await loadRoots(events, able);
    if (loaded.cut) search.cut = true;
    const frontier = ended || last === undefined ? null : frontierOf(last);
    yield { events: settle(loaded.rows), frontier };
    if (frontier === null || last === undefined) return;
    examined += rows.length + loaded.rows.length;
    // Rows of one moment are met together, or the next page would begin where this one did.
    if (examined >= budget && (start === undefined || isBelow(frontier, start))) return;
    top = {
      micros: Number(last["received_us"]),
      key: String(last["event_key"]),
      id: String(last["_id"]),
    };
    wanted = Math.min(wanted * 2, rowsPerRoundMax);
  }
}

/** Rows of whole roots, and whether a root was too large to be read whole. */
export async function loadRoots(
  events: Events,
  roots: readonly string[],
): Promise<{ readonly rows: StoredEvent[]; readonly cut: boolean }> {
  const rows: StoredEvent[] = [];
  let cut = false;
  for (let at = 0; at < roots.length; at += 200) {
    const where = { root_trace_id: { $in: roots.slice(at, at + 200) } };
    const counts = new Map<string, number>();
    const found = events
      .find(where, { projection: { event: 1, root_trace_id: 1 } })
      .sort({ _id: 1 });
    for await (const row of found) {
      const root = String(row["root_trace_id"]);
      const count = (counts.get(root) ?? 0) + 1;
      counts.set(root, count);
      if (count > limits.rootEventsMax) cut = true;
      else rows.push(eventOf(row));
    }
  }
  return { rows, cut };
}

interface Mark {
  readonly micros: number;
  readonly key: string;
  readonly id: string;
}

async function meet(
  events: Events,
  conditions: readonly Filter<Document>[],
  top: Mark | undefined,
  wanted: number,
): Promise<readonly Document[]> {
  const below = top === undefined ? [] : [belowMark(top)];
  const all = [...conditions, ...below];
  return events
    .find(all.length === 0 ? {} : { $and: all }, {
      projection: { root_trace_id: 1, received_us: 1, event_key: 1 },
    })
    .sort({ received_us: -1, event_key: -1, _id: -1 })
    .limit(wanted)
    .toArray();
}

function belowMark({ micros, key, id }: Mark): Filter<Document> {
  const same = { received_us: { $eq: micros } };
  return {
    $or: [
      { received_us: { $lt: micros } },
      { $and: [same, { event_key: { $lt: key } }] },
      { $and: [same, { event_key: { $eq: key } }, { _id: { $lt: id as never } }] },
    ],
  };
}

/** Roots in which each condition is true of some row. */
async function passing(
  events: Events,
  roots: readonly string[],
  conditions: readonly Filter<Document>[],
): Promise<readonly string[]> {
  let left: readonly string[] = roots;
  for (const condition of conditions) {
    if (left.length === 0) return [];
    const where = { $and: [{ root_trace_id: { $in: [...left] } }, condition] };
    left = (await events.distinct("root_trace_id", where)).map(String);
  }
  return left;
}

/** A condition that names the roots of the first rare condition; none when every one is common. */
async function namedRoots(
  events: Events,
  conditions: readonly Filter<Document>[],
): Promise<readonly Filter<Document>[]> {
  for (const condition of conditions) {
    const rows = await events
      .find(condition, { projection: { root_trace_id: 1 } })
      .limit(namedRowsMax + 1)
      .toArray();
    if (rows.length > namedRowsMax) continue;
    const roots = [...new Set(rows.map((row) => String(row["root_trace_id"])))];
    return [{ root_trace_id: { $in: roots } }];
  }
  return [];
}

/** Everything newer than the row's moment has been met; the moment itself may go on. */
function frontierOf(row: Document): Position {
  return {
    micros: Number(row["received_us"]),
    nanos: nanosOfKey(String(row["event_key"])),
    key: "",
  };
}

function isBelow(frontier: Position, start: Position): boolean {
  if (frontier.micros !== start.micros) return frontier.micros < start.micros;
  return frontier.nanos < start.nanos;
}
