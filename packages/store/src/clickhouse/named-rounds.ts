/**
 * @module NamedRounds: rounds over roots whose names a search found, the last heard of first.
 */
import { positionOfKeyset } from "../position.ts";
import type { Round } from "../walk.ts";
import type { Engine } from "./connection.ts";
import { lastArrivals } from "./locate.ts";
import type { RootBuckets } from "./locate.ts";
import { endOfTime, loadRound, nothing, rootsPerRoundMax } from "./round-loader.ts";
import type { Search } from "./round-loader.ts";

const bucketSeconds = 300;
/** So many times the roots of a round in one bucket are told apart by seconds. */
const crowdedFactor = 2;

/** Rounds over roots that are known by name, in the order in which they were last heard of. */
export async function* namedRounds(
  engine: Engine,
  search: Search,
  buckets: RootBuckets,
): AsyncGenerator<Round> {
  const ordered = await lastHeard(engine, search, buckets);
  let rootsWanted = search.rootsFirst;
  let from = 0;
  while (from < ordered.length) {
    let to = Math.min(from + rootsWanted, ordered.length);
    // Inside of such a time nothing is known about order: it comes whole.
    while (to < ordered.length && ordered[to]?.until === ordered[to - 1]?.until) to += 1;
    const roots = ordered.slice(from, to);
    const next = ordered[to];
    const frontier =
      next === undefined ? null : { micros: next.until * 1_000_000 - 1, nanos: endOfTime, key: "" };
    yield await loadRound(
      engine,
      search,
      new Map(roots.map(({ root }) => [root, buckets.get(root) ?? []])),
      frontier,
    );
    from = to;
    rootsWanted = Math.min(rootsWanted * 2, rootsPerRoundMax);
  }
  if (from === 0) yield nothing;
}

/** A root, and the second before which it was last heard of. */
interface Heard {
  readonly root: number;
  readonly until: number;
}

/**
 * The roots by when they were last heard of before the keyset, the latest first: by five minutes,
 * and by seconds where a burst brought more roots in five minutes than a round should load.
 */
async function lastHeard(
  engine: Engine,
  { options, rootsFirst }: Search,
  buckets: RootBuckets,
): Promise<readonly Heard[]> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const last = after === undefined ? Infinity : Math.floor(after.micros / 1_000_000);
  const byBucket = new Map<number, number[]>();
  for (const [root, list] of buckets) {
    // What lies behind the keyset is found where its root was last heard of before it.
    const newest = newestUpTo(list, last);
    if (newest === 0) continue;
    const roots = byBucket.get(newest);
    if (roots === undefined) byBucket.set(newest, [root]);
    else roots.push(root);
  }
  const heard: Heard[] = [];
  for (const [low, roots] of byBucket) {
    const end = low + bucketSeconds;
    const span = { low, high: Math.min(end - 1, last) };
    const seconds =
      roots.length > rootsFirst * crowdedFactor
        ? await lastArrivals(engine, span, roots, options.signal)
        : undefined;
    for (const root of roots) {
      // One that was not heard of until then in these minutes was before: it waits for nothing.
      const second = seconds?.get(root);
      heard.push({ root, until: second === undefined ? end : second + 1 });
    }
  }
  return heard.toSorted((a, b) => b.until - a.until);
}

function newestUpTo(buckets: readonly number[], last: number): number {
  return buckets.reduce((best, bucket) => (bucket <= last ? Math.max(best, bucket) : best), 0);
}
