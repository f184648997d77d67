/**
 * @module LocateEvent: the roots of events that are called by an id, their own or that of their
 * span. The locate table does not know them, a word for every row would be an eighth of the store;
 * two columns of the events are read instead, newest receipt first.
 */
import { wordsOfId } from "../mention.ts";
import { comparePositions, positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import type { SliceOptions } from "../evidence-store.ts";
import { settle } from "../settle.ts";
import type { Round } from "../walk.ts";
import type { Engine } from "./connection.ts";
import { bucketsOfRoots } from "./locate.ts";
import type { RootBuckets } from "./locate.ts";
import { murmur32 } from "../bundle/murmur.ts";
import { loadRoots } from "./root-loader.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

/** Roots of one read; where more have such an event, what lies behind them is another page's. */
const rootsMax = 500;
const endOfTime = 9_223_372_036_854_775_807n;

interface Called {
  readonly buckets: RootBuckets;
  /** Up to where nothing was left out; null where nothing was. */
  readonly frontier: Position | null;
}

/** Roots with an event of this id or of this span. */
async function rootsCalled(engine: Engine, id: string, options: SliceOptions): Promise<Called> {
  const bind = bindings();
  const before = options.after === undefined ? undefined : positionOfKeyset(options.after).micros;
  const conditions = [
    ...(before === undefined ? [] : [`received_at <= fromUnixTimestamp64Micro(${before})`]),
    `(${calledSql(id, bind)})`,
  ];
  const sql = `SELECT murmurHash3_32(root_trace_id) AS root, max(received_at) AS received
FROM events WHERE ${conditions.join(" AND ")}
GROUP BY root ORDER BY received DESC LIMIT ${rootsMax} WITH TIES`;
  const answer = await engine.query(sql, bind.parameters, options.signal);
  const roots = (answer.columns.get("root") ?? []) as number[];
  const last = Number(answer.columns.get("received")?.at(-1) ?? 0);
  return {
    buckets: await bucketsOfRoots(engine, roots, options.signal),
    frontier: roots.length < rootsMax ? null : { micros: last - 1, nanos: endOfTime, key: "" },
  };
}

/** An id that is only the span and the phase is not kept (design 3.8, rule 3). */
function calledSql(id: string, bind: Bindings): string {
  const [, span] = wordsOfId(id);
  const own = [`event_id = ${bind.text(id)}`, `span_id = ${bind.text(id)}`];
  if (span === undefined) return own.join(" OR ");
  const phase = bind.text(id.slice(span.length + 1));
  return [...own, `(event_id = '' AND span_id = ${bind.text(span)} AND phase = ${phase})`].join(
    " OR ",
  );
}

/** The rounds of a search, and with them the roots of the events that are called by the id. */
export async function* withCalled(
  engine: Engine,
  id: string,
  of: {
    readonly touched: ReadonlySet<string>;
    readonly options: SliceOptions;
    readonly rounds: AsyncIterable<Round>;
    readonly onCut: () => void;
  },
): AsyncGenerator<Round> {
  const { buckets, frontier } = await rootsCalled(engine, id, of.options);
  if (buckets.size === 0) return yield* of.rounds;
  const loaded = await loadRoots(engine, buckets, {
    touched: of.touched,
    signal: of.options.signal,
  });
  if (loaded.cut) of.onCut();
  // Their items wait until everything newer has been met, like those of any root.
  let own = settle(loaded.rows);
  for await (const round of of.rounds) {
    const others = round.events.filter(
      ({ event }) => !buckets.has(murmur32(event.root_trace_id ?? "")),
    );
    yield { events: [...own, ...others], frontier: newer(round.frontier, frontier) };
    own = [];
  }
  if (own.length > 0) yield { events: own, frontier };
}

/** Of two frontiers the one that was met first. */
function newer(a: Position | null, b: Position | null): Position | null {
  if (a === null || b === null) return a ?? b;
  return comparePositions(a, b) < 0 ? a : b;
}
