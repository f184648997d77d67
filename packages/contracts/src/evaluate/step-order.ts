/**
 * @module StepOrder: golden steps against the possible orders of the calls of a turn. A step is a
 * text of what must agree.
 */
import type { Call } from "./call.ts";
import { firstWhere, placesOf, skewNs, startsOf } from "./call-order.ts";
import type { Places } from "./call-order.ts";
import type { Outcome } from "./three-values.ts";

/** What holds in every possible order, and the first step, from 0, that fits in none. */
export interface StepsInOrder {
  readonly result: Outcome;
  readonly differs?: number;
}

interface Steps {
  readonly wanted: readonly string[];
  /** The step of each call, in the order of `calls`. */
  readonly made: readonly string[];
  readonly calls: readonly Call[];
}

/** Whether the calls are these steps and no other ones. */
export function sameSteps({ wanted, made, calls }: Steps): StepsInOrder {
  const places = placesOf(calls);
  const sameLength = wanted.length === made.length;
  if (sameLength && isForced(wanted, made, places)) return { result: "holds" };
  const there = (keys: readonly string[], read: (at: number) => number): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    for (const [at, key] of keys.entries()) {
      const own = found.get(key);
      if (own === undefined) found.set(key, [read(at)]);
      else own.push(read(at));
    }
    for (const own of found.values()) own.sort((a, b) => a - b);
    return found;
  };
  const firsts = there(made, (at) => places[at]?.first ?? 0);
  const lasts = there(made, (at) => places[at]?.last ?? 0);
  const misfits: number[] = [];
  for (const [key, own] of there(wanted, (at) => at)) {
    const [first = [], last = []] = [firsts.get(key), lasts.get(key)];
    for (const [index, place] of own.entries()) {
      // Counted from the end, because as many calls as steps remain must still be possible. With
      // fewer calls than equal steps, the steps without a call are the last ones: the first of
      // these is the one that differs.
      const spare = last.length - own.length;
      const end = spare < 0 ? Infinity : (last[spare + index] ?? Infinity);
      if ((first[index] ?? Infinity) > place || end < place) {
        misfits.push(place);
        break;
      }
    }
  }
  if (misfits.length > 0) {
    return { result: "violated", differs: misfits.reduce((a, b) => Math.min(a, b)) };
  }
  // Every step has a call: what is left over is after them or between them.
  if (!sameLength) return { result: "violated", differs: firstDifference(wanted, made) };
  return { result: "not_established" };
}

/** Whether the calls have these steps in their order, others between them. */
export function stepsInOrder({ wanted, made, calls }: Steps): StepsInOrder {
  if (hasKnownOrder(made, calls)) {
    let at = 0;
    for (const key of made) if (key === wanted[at]) at += 1;
    return at === wanted.length ? { result: "holds" } : { result: "violated", differs: at };
  }
  const lanes = lanesOf(made, calls);
  if (lanes === undefined) return { result: "not_established" };
  if (reach(wanted, lanes, "every") === wanted.length) return { result: "holds" };
  const differs = reach(wanted, lanes, "some");
  return differs === wanted.length
    ? { result: "not_established" }
    : { result: "violated", differs };
}

/** Whether times establish the order of the calls, but for calls that are the same step. */
export function hasKnownOrder(made: readonly string[], calls: readonly Call[]): boolean {
  return isForced(made, made, placesOf(calls));
}

/** Whether every possible order of the calls gives the same steps. */
function isForced(
  wanted: readonly string[],
  made: readonly string[],
  places: readonly Places[],
): boolean {
  const ends: number[] = [];
  for (let at = wanted.length - 1; at >= 0; at -= 1) {
    ends[at] = wanted[at] === wanted[at + 1] ? (ends[at + 1] ?? at) : at;
  }
  return made.every((key, at) => {
    const { first, last } = places[at] ?? { first: 0, last: -1 };
    return wanted[first] === key && (ends[first] ?? -1) >= last;
  });
}

function firstDifference(wanted: readonly string[], made: readonly string[]): number {
  let at = 0;
  while (at < wanted.length && wanted[at] === made[at]) at += 1;
  return at;
}

/** A call: its start in nanoseconds, and its place among all. */
interface Mark {
  readonly at: number;
  readonly index: number;
}

/** Calls by step, and by producer under it. */
type Lanes = ReadonlyMap<string, ReadonlyMap<string, readonly Mark[]>>;

/** Undefined where a start is unknown. */
function lanesOf(made: readonly string[], calls: readonly Call[]): Lanes | undefined {
  const starts = startsOf(calls);
  const lanes = new Map<string, Map<string, Mark[]>>();
  for (const [index, key] of made.entries()) {
    const at = starts[index];
    if (at === undefined) return undefined;
    const producer = calls[index]?.event.producer_id ?? "";
    const producers = lanes.get(key) ?? new Map<string, Mark[]>();
    lanes.set(key, producers);
    const own = producers.get(producer);
    if (own === undefined) producers.set(producer, [{ at, index }]);
    else own.push({ at, index });
  }
  return lanes;
}

/**
 * How many steps in a row are found: in `every` possible order, or at most in `some`. Of each
 * producer the earliest call that ends the row so far is kept: a later one leaves less for the next
 * step.
 */
function reach(wanted: readonly string[], lanes: Lanes, how: "every" | "some"): number {
  let ends: ReadonlyMap<string, Mark> | undefined;
  for (const [step, key] of wanted.entries()) {
    const next = new Map<string, Mark>();
    // Calls of one producer, start and step are alike: their order does not matter.
    const alike = wanted[step - 1] === key;
    const [near, far] = ends === undefined ? [] : earliestTwo(ends);
    for (const [producer, marks] of lanes.get(key) ?? []) {
      const own = ends?.get(producer);
      const other = near?.producer === producer ? far : near;
      const found =
        marks[
          firstWhere(marks, (mark) => {
            if (ends === undefined) return true;
            if (own !== undefined && follows(mark, own, how, alike)) return true;
            if (other === undefined) return false;
            return how === "every" ? mark.at > other.at + skewNs : mark.at >= other.at - skewNs;
          })
        ];
      if (found !== undefined) next.set(producer, found);
    }
    if (next.size === 0) return step;
    ends = next;
  }
  return wanted.length;
}

function follows(mark: Mark, own: Mark, how: "every" | "some", alike: boolean): boolean {
  if (alike) return mark.index > own.index;
  return how === "every" ? mark.at > own.at : mark.at >= own.at;
}

function earliestTwo(
  ends: ReadonlyMap<string, Mark>,
): ({ readonly producer: string; readonly at: number } | undefined)[] {
  const list = [...ends].map(([producer, { at }]) => ({ producer, at }));
  return list.toSorted((a, b) => a.at - b.at).slice(0, 2);
}
