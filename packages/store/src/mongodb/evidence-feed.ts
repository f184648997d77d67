/**
 * @module EvidenceFeed: documents that pass the conditions of a read, in the order of a page, and
 * the rows of whole roots. Where the roots that can pass are few, they are named first and only
 * their rows met.
 */
import { limits } from "@turnproof/semconv";
import type { Collection, Document, Filter } from "mongodb";

import type { LoadedRoots, RowSource } from "../row-feed.ts";
import type { EvidenceConditions } from "../search-condition.ts";
import type { StoredEvent } from "../stored-event.ts";
import { eventOf, nanosKey, nanosOfKey } from "./evidence-document.ts";
import { conditionFilter } from "./evidence-filter.ts";

type Events = Collection<Document>;

/** A place in the order of a page. */
interface Mark {
  readonly micros: number;
  readonly key: string;
  readonly id: string;
}

/** Rows of a condition up to which its roots are named in the search itself. */
const namedRowsMax = 5_000;
const endOfKeys = "\u{10ffff}";
/** Roots whose rows are asked for at once. */
const rootsPerFind = 200;

/** The rows of one search. */
export function evidenceRows(events: Events, conditions: EvidenceConditions): RowSource<Mark> {
  const rows = conditions.rows.map(conditionFilter);
  const roots = conditions.roots.map(conditionFilter);
  let named: readonly Filter<Document>[] | undefined;
  return {
    markAbove: ({ micros, nanos }) => ({ micros, key: nanosKey(nanos), id: endOfKeys }),
    load: async (met) => loadRoots(events, await passing(events, met, roots)),
    async meet(below, wanted) {
      named ??= await namedRoots(events, roots);
      const all = [...rows, ...named, ...(below === undefined ? [] : [belowMark(below)])];
      const found = await events
        .find(all.length === 0 ? {} : { $and: all }, {
          projection: { root_trace_id: 1, received_us: 1, event_key: 1 },
        })
        .sort({ received_us: -1, event_key: -1, _id: -1 })
        .limit(wanted)
        .toArray();
      return found.map((row) => {
        const mark: Mark = {
          micros: Number(row["received_us"]),
          key: String(row["event_key"]),
          id: String(row["_id"]),
        };
        const root = String(row["root_trace_id"]);
        return { root, micros: mark.micros, nanos: nanosOfKey(mark.key), mark };
      });
    },
  };
}

/** Rows of whole roots, and whether a root was too large to be read whole. */
export async function loadRoots(events: Events, roots: readonly string[]): Promise<LoadedRoots> {
  const rows: StoredEvent[] = [];
  let cut = false;
  for (let at = 0; at < roots.length; at += rootsPerFind) {
    const where = { root_trace_id: { $in: roots.slice(at, at + rootsPerFind) } };
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
