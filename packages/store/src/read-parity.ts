/**
 * @module ReadParity: reads of many kinds done two ways, page by page, exactly. What a native index
 * is held against before anybody is led by it.
 */
import { isDeepStrictEqual } from "node:util";

import type { TurnEvent } from "@turnproof/evidence";

import type { EvidenceReader, EventSlice, SliceOptions } from "./evidence-store.ts";
import type { EvidenceScope } from "./scope.ts";

/** The reads that are compared. */
export type Compared = Pick<EvidenceReader, "page" | "find" | "turns">;

/** One read that both ways must answer alike. */
export type ComparedRead = (
  reader: Compared,
  options: SliceOptions,
) => Promise<Pick<EventSlice, "events" | "next">>;

/** Ids of each kind that are read both ways. */
const idsCompared = 25;
const pageEvents = 100;
/** Pages of one read that are compared. */
const pagesCompared = 5;

/** Reads of the tenants, threads, roots and references of these events, and of what is not there. */
export function readsOf(events: readonly TurnEvent[], operator: EvidenceScope): ComparedRead[] {
  const tenants = new Set<string | null>();
  const threads = new Set<string>();
  const ids = new Set(["no such id"]);
  for (const event of events) {
    if (event.root_trace_id !== undefined) ids.add(event.root_trace_id);
    if (event.user_id !== undefined) tenants.add(event.user_id);
    if (typeof event.user_id === "string") ids.add(event.user_id);
    if (event.thread_id !== undefined) threads.add(event.thread_id);
    for (const { ref } of event.input_refs ?? []) ids.add(ref);
  }
  const some = <T>(values: Iterable<T>, most = idsCompared): T[] => [...values].slice(0, most);
  const scopes = some(tenants).map((tenant): EvidenceScope => ({ tenant }));
  const store = "all";
  const reads: ComparedRead[] = [];
  for (const scope of [...scopes, operator]) {
    reads.push((reader, options) => reader.page(scope, { store }, options));
    reads.push((reader, options) => reader.turns(scope, {}, options));
  }
  for (const thread_id of some(threads)) {
    reads.push((reader, options) => reader.page(operator, { thread_id }, options));
  }
  for (const id of some(ids, idsCompared * 3)) {
    reads.push((reader, options) => reader.find(operator, id, { store }, options));
  }
  return reads;
}

/** True when both ways give the same events and the same positions, page after page. */
export async function sameAnswers(
  read: ComparedRead,
  native: Compared,
  compatibility: Compared,
): Promise<boolean> {
  let after: SliceOptions["after"];
  for (let page = 0; page < pagesCompared; page += 1) {
    const options = { limit: pageEvents, ...(after === undefined ? {} : { after }) };
    const [one, other] = [await read(native, options), await read(compatibility, options)];
    if (!isDeepStrictEqual([one.events, one.next], [other.events, other.next])) return false;
    if (one.next === null) return true;
    after = one.next;
  }
  return true;
}
