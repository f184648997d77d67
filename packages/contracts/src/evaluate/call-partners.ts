/**
 * @module CallPartners: which calls have a partner before or after them, in every possible order of
 * the two or in some. What a clause requires of two calls is a range of starts of the second for
 * each first one, and a limit of places: so all pairs are decided without a look at each.
 */
import { clockStepMs } from "@turnproof/evidence";

import { BestValues } from "./best-values.ts";
import type { Call } from "./call.ts";
import { clockOf, firstWhere, nsPerMs, skewNs } from "./call-order.ts";
import type { Places } from "./call-order.ts";

/** How the second of two calls follows the first, beside its later start. */
export interface Following {
  /** The first has ended before the second begins. */
  readonly ended: boolean;
  /** Most milliseconds from the end of the first to the start of the second; an overlap is 0 ms. */
  readonly withinMs: number;
  /** Most places apart. */
  readonly withinCalls: number;
}

/** Whether a call has a partner: in every possible order, only in some, or in none. */
export type HasPartner = "always" | "sometimes" | "never";

type How = "always" | "sometimes";

/** A call with its times in nanoseconds from one of them, and its places. */
interface Placed extends Places {
  readonly id: string;
  readonly producer: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** Calls, and the ones of which each needs a partner. */
export interface PairedCalls<C> {
  readonly calls: readonly C[];
  readonly partners: readonly C[];
  /** The calls come first, and their partners follow. */
  readonly areFirst: boolean;
  readonly rule: Following;
}

/** Whether each call has a partner that is another call. `n log n` in the calls. */
export function partnersOf(
  { calls, partners, ...how }: PairedCalls<Call>,
  placeOf: (call: Call) => Places,
): HasPartner[] {
  const clock = clockOf([...calls, ...partners]);
  const placed = (call: Call): Placed => ({
    id: call.event.event_id,
    producer: call.event.producer_id ?? "",
    start: clock(call.start),
    end: clock(call.end),
    ...placeOf(call),
  });
  const pairing = { calls: calls.map(placed), partners: partners.map(placed), ...how };
  const always = found(pairing, "always");
  const sometimes = found(pairing, "sometimes");
  return calls.map((_, at) =>
    always.has(at) ? "always" : sometimes.has(at) ? "sometimes" : "never",
  );
}

/** Places in the list of the calls that have a partner. */
function found(pairing: PairedCalls<Placed>, how: How): Set<number> {
  // Clocks of two producers differ, so that other times decide than of one.
  const apart: Kind = { skew: skewNs, keyOf: ({ producer }) => producer };
  const met = new Set(search(pairing, how, apart));
  const own = new Map<string, Own>();
  const of = ({ producer }: Placed): Own => {
    const there = own.get(producer) ?? { calls: [], places: [], partners: [] };
    own.set(producer, there);
    return there;
  };
  for (const partner of pairing.partners) of(partner).partners.push(partner);
  for (const [at, call] of pairing.calls.entries()) {
    of(call).calls.push(call);
    of(call).places.push(at);
  }
  for (const { calls, places, partners } of own.values()) {
    const some = search({ ...pairing, calls, partners }, how, { skew: 0, keyOf: ({ id }) => id });
    for (const at of some) met.add(places[at] ?? at);
  }
  return met;
}

/** Calls of one producer, and their places in the list of all. */
interface Own {
  readonly calls: Placed[];
  readonly places: number[];
  readonly partners: Placed[];
}

interface Kind {
  /** What the clocks of the two may differ by, in nanoseconds. */
  readonly skew: number;
  /** Calls with one key are no partners here. */
  readonly keyOf: (call: Placed) => string;
}

/** Places of the calls that have a partner of another key. */
function search(pairing: PairedCalls<Placed>, how: How, { skew, keyOf }: Kind): number[] {
  const { calls, partners, areFirst, rule } = pairing;
  const met: number[] = how === "sometimes" ? unknown(pairing, keyOf) : [];
  const [from, to] = how === "always" ? (["first", "last"] as const) : (["last", "first"] as const);
  const most = rule.withinCalls;
  const seconds = areFirst ? partners : calls;
  const started = [...seconds.keys()].filter((at) => seconds[at]?.start !== undefined);
  const startOf = (at: number): number => seconds[at]?.start ?? 0;
  started.sort((a, b) => startOf(a) - startOf(b));
  const values = new BestValues(started.length);
  const rangeOf = (first: Placed): readonly [number, number] => {
    const range = startsAfter(first, rule, how, skew);
    if (range === undefined) return [0, 0];
    const low = firstWhere(started, (at) => startOf(at) >= range[0]);
    return [
      low,
      Math.max(
        low,
        firstWhere(started, (at) => startOf(at) > range[1]),
      ),
    ];
  };
  if (areFirst) {
    for (const [place, at] of started.entries()) {
      const partner = partners[at] as Placed;
      values.addAt(place, { key: keyOf(partner), value: -partner[to] });
    }
    for (const [at, call] of calls.entries()) {
      if (values.hasOver(...rangeOf(call), -(call[from] + most), keyOf(call))) met.push(at);
    }
  } else {
    for (const partner of partners) {
      values.addOver(...rangeOf(partner), { key: keyOf(partner), value: partner[from] });
    }
    for (const [place, at] of started.entries()) {
      const call = calls[at] as Placed;
      if (values.hasAt(place, call[to] - most, keyOf(call))) met.push(at);
    }
  }
  return met;
}

/** A second call without a start may follow any other one. */
function unknown(
  { calls, partners, areFirst }: PairedCalls<Placed>,
  keyOf: Kind["keyOf"],
): number[] {
  const loose = (areFirst ? partners : calls).filter(({ start }) => start === undefined);
  if (loose.length === 0) return [];
  const keys = new Set((areFirst ? loose : partners).map(keyOf));
  return [...calls.entries()].flatMap(([at, call]) => {
    if (!areFirst && call.start !== undefined) return [];
    return keys.size > (keys.has(keyOf(call)) ? 1 : 0) ? [at] : [];
  });
}

/** Lowest and highest start of a second call that follows this one; undefined where none does. */
function startsAfter(
  { start, end }: Placed,
  { ended, withinMs }: Following,
  how: How,
  skew: number,
): readonly [number, number] | undefined {
  const timed = Number.isFinite(withinMs);
  if (how === "always") {
    if (start === undefined || ((ended || timed) && end === undefined)) return undefined;
    // Of one producer an end at the start of the next call is before it.
    const after = ended && end !== undefined ? end + (skew === 0 ? 0 : skew + 1) : -Infinity;
    const last =
      timed && end !== undefined ? end + Math.round(withinMs * nsPerMs) - skew : Infinity;
    return [Math.max(start + skew + 1, after), last];
  }
  const step = skew === 0 ? clockStepMs * nsPerMs : skew;
  const after = ended && end !== undefined ? end - step : -Infinity;
  const last = timed && end !== undefined ? end + Math.round(withinMs * nsPerMs) + skew : Infinity;
  return [Math.max(start === undefined ? -Infinity : start - skew, after), last];
}
