/**
 * @module FutureLast: a ledger whose lists, newest first, end with the turns that are dated after
 * now. A collector that was started while its machine's clock was ahead dated them so; once the
 * clock is right they would be the newest until their time comes (faults R29). They do not date a
 * group that has other turns.
 */
import { isoMicros, isoTime } from "@turnproof/semconv";
import { microsOf, timeFields } from "@turnproof/store";
import type {
  EvidenceStore,
  TimeField,
  TurnLedger,
  TurnPage,
  TurnPosition,
} from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { boundStore } from "./bound-store.ts";
import { knownMs, skewMs } from "./future-last-events.ts";

/** Times that are no later than a receipt; a producer's own clock alone dates none. */
const received: readonly TimeField[] = ["own_time", "first_received", "received_at"];

/** The store with such a ledger; `now` is the collector's clock, epoch milliseconds. */
export function futureLast(store: EvidenceStore, now: () => number): EvidenceStore {
  return { ...boundStore(store), ledger: futureLastLedger(store.ledger, now) };
}

type ListTurns = TurnLedger["listTurns"];

function futureLastLedger(ledger: TurnLedger, now: () => number): TurnLedger {
  const known = new Map<
    TimeField,
    { readonly at: number; readonly from: Promise<string | null> }
  >();
  const aheadFrom = (by: TimeField): Promise<string | null> => {
    const at = now();
    const held = known.get(by);
    if (held !== undefined && Math.abs(at - held.at) < knownMs) return held.from;
    const from = firstAfter(ledger, by, isoTime(at + skewMs));
    known.set(by, { at, from });
    // The caller receives the error; the next one reads again.
    from.catch(() => known.delete(by));
    return from;
  };
  return {
    ...ledger,
    listTurns: async (query, page) => {
      const by = received.find((field) => field === page.order.by);
      const from = by === undefined || page.order.ascending === true ? null : await aheadFrom(by);
      if (by === undefined || from === null) return ledger.listTurns(query, page);
      const ahead = { time: by, from } as const;
      const listed = { ...query, where: [...query.where, ahead] };
      if (isAhead(page.after, from)) return ledger.listTurns(listed, page);
      const others = { ...query, where: [...query.where, { ...ahead, not: true } as const] };
      const past = await ledger.listTurns(others, page);
      return past.next === null
        ? joined(past, page, (more) => ledger.listTurns(listed, more))
        : past;
    },
    turnGroups: async (query, by, paging) => {
      const from = await aheadFrom("own_time");
      const ahead = from === null ? {} : { aheadFrom: microsOf(from) };
      return ledger.turnGroups(query, by, { ...paging, ...ahead });
    },
  };
}

/** The earliest time after this one; null where there is none. */
async function firstAfter(ledger: TurnLedger, by: TimeField, from: string): Promise<string | null> {
  const query = { scope: collectorScope(), where: [{ time: by, from }] };
  const order = { by, ascending: true } as const;
  const { records } = await ledger.listTurns(query, { order, limit: 1 });
  const [record] = records;
  const micros = record === undefined ? null : timeFields[by](record);
  return micros === null ? null : isoMicros(micros);
}

function isAhead(after: TurnPosition | undefined, from: string): boolean {
  return typeof after?.value === "number" && after.value >= microsOf(from);
}

/** Before every turn. */
const top: TurnPosition = { value: Number.MAX_SAFE_INTEGER, key: "" };

/** The last page of the others, filled up with those that are ahead. */
async function joined(
  { records }: TurnPage,
  { order, limit }: Parameters<ListTurns>[1],
  read: (page: Parameters<ListTurns>[1]) => Promise<TurnPage>,
): Promise<TurnPage> {
  const left = limit - records.length;
  const ahead = await read({ order, limit: Math.max(1, left) });
  if (left > 0) return { records: [...records, ...ahead.records], next: ahead.next };
  return { records, next: ahead.records.length === 0 ? null : top };
}
