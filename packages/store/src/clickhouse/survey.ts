/**
 * @module Survey: turns counted over time, and the values that they say, by reads of a few narrow
 * columns. It serves readers who may see every tenant: what belongs to one tenant can be inherited
 * inside a root, which only a read of whole roots tells.
 */
import type { EventQuery } from "@turnproof/evidence";

import type { SurveyField, SurveyOptions, TurnSurvey } from "../evidence-store.ts";
import type { EvidenceScope } from "../scope.ts";
import { epochMicros, isoOfMicros } from "../time.ts";
import type { Answer, Engine } from "./connection.ts";
import { filtersOf, scopeFilter } from "./filter.ts";
import { setsApart } from "./locate.ts";
import { murmur32 } from "./murmur.ts";
import { rowTerms } from "./locate-terms.ts";
import { bindings } from "./sql-text.ts";

/** Slots of an open range; five minutes keep years small. */
const openSlotMs = 300_000;
const slotsMax = 720;
const valuesMax = 50;
/** The part of the budget whose rows are asked for the values that they say. */
const valuesShare = 10;
/** A clock that runs further ahead of the receiver's hides its turns from a time range. */
const aheadMicros = 86_400_000_000;

/** Where each field is said, and by which rows. */
const fields: { readonly [F in SurveyField]: readonly [kind: string, sql: string] } = {
  agent: ["turn", "if(agent_id = '', application_id, agent_id)"],
  app: ["turn", "application_id"],
  user: ["turn", "user_id"],
  thread: ["turn", "thread_id"],
  memory: ["turn", "memory_id"],
  tool: ["tool_call", "toString(tool_name)"],
  model: ["model_call", "toString(model)"],
};

/** The survey, or undefined where only whole roots can tell. */
export async function survey(
  engine: Engine,
  scope: EvidenceScope,
  query: EventQuery,
  options: SurveyOptions,
): Promise<TurnSurvey | undefined> {
  const bind = bindings();
  const { start_time, end_time } = query;
  const timed: EventQuery = {
    ...(start_time === undefined ? {} : { start_time }),
    ...(end_time === undefined ? {} : { end_time }),
  };
  const { coarse } = rowTerms(query);
  const traces = query.store === undefined || query.store === "trace";
  // What nearly every root says leads to no roots.
  if (!("operator" in scope) || coarse.length > 0 || !traces) return undefined;
  const { rootHashes, fineHashes, sureHashes } = filtersOf(query, bindings());
  const span = await receipts(engine, query, options);
  const hashes = new Set([...rootHashes, ...fineHashes, ...sureHashes, ...scopeFilter(scope)]);
  const said = [...hashes].map((hash) => inRoots(hash));
  const rows = [...filtersOf(timed, bind).rows, ...said];
  const slotMs = slotOf(start_time, end_time);
  const counted = await engine.query(
    slotsSql([...receivedIn(span), ...rows], slotMs, inRoots(murmur32("status:error"))),
    bind.parameters,
    options.signal,
  );
  // What is common is common among fewer, too.
  const fewer = { ...options, budgetRows: Math.ceil(options.budgetRows / valuesShare) };
  const sample = await receipts(engine, query, fewer);
  const values = await engine.query(
    valuesSql([...receivedIn(sample), ...rows]),
    bind.parameters,
    options.signal,
  );
  const column = (name: string): readonly unknown[] => counted.columns.get(name) ?? [];
  return {
    slot_ms: slotMs,
    slots: column("slot").map((slot, i) => ({
      at_ms: Number(slot) * slotMs,
      turns: Number(column("turns")[i]),
      errors: Number(column("errors")[i]),
    })),
    values: valuesOf(values),
    since: span.cut ? isoOfMicros(span.low) : null,
    until: span.cut ? isoOfMicros(span.high) : null,
  };
}

function valuesOf(answer: Answer): TurnSurvey["values"] {
  const of = (field: SurveyField): readonly string[] =>
    (answer.columns.get(`${field}_values`)?.[0] ?? []) as string[];
  return {
    agent: of("agent"),
    app: of("app"),
    user: of("user"),
    thread: of("thread"),
    memory: of("memory"),
    tool: of("tool"),
    model: of("model"),
  };
}

const inRoots = (hash: number): string =>
  `murmurHash3_32(root_trace_id) IN (SELECT root FROM locate WHERE hash = ${hash})`;

function slotOf(start: string | undefined, end: string | undefined): number {
  if (start === undefined || end === undefined) return openSlotMs;
  const spanMs = (epochMicros(end) - epochMicros(start)) / 1_000;
  return Math.min(Math.max(Math.ceil(spanMs / slotsMax), 1), openSlotMs);
}

/**
 * A retry leaves a copy, and a turn that was open for long has a start beside its result. Whether
 * anything of the root failed stands in the locate table, whatever row said so.
 */
function slotsSql(rows: readonly string[], slotMs: number, failed: string): string {
  return `SELECT intDiv(toUnixTimestamp64Milli(at), ${slotMs}) AS slot,
    toUInt32(count()) AS turns, toUInt32(sum(failed)) AS errors
FROM (
    SELECT max(timestamp) AS at, max(${failed}) AS failed
    FROM events WHERE event_kind = 'turn' AND ${rows.join("\n    AND ")}
    GROUP BY cityHash64(root_trace_id, if(turn_id = '', span_id, turn_id))
) GROUP BY slot ORDER BY slot ${setsApart}`;
}

function valuesSql(rows: readonly string[]): string {
  const lists = Object.entries(fields).map(([name, [kind, sql]]) => {
    const common = `topKIf(${valuesMax})(${sql}, event_kind = '${kind}')`;
    return `arrayFilter(x -> x != '', ${common}) AS ${name}_values`;
  });
  return `SELECT ${lists.join(",\n    ")}
FROM events WHERE event_kind IN ('turn', 'tool_call', 'model_call') AND ${rows.join("\n    AND ")}
${setsApart}`;
}

interface Receipts {
  readonly low: number;
  readonly high: number;
  readonly cut: boolean;
}

function receivedIn({ low, high }: Receipts): readonly string[] {
  return [
    `received_at >= fromUnixTimestamp64Micro(${low})`,
    `received_at <= fromUnixTimestamp64Micro(${high})`,
  ];
}

/**
 * The receipts to examine: those of as many rows as the budget allows, the newest, or, from a time
 * on, the first that can hold it. The manifests tell how many rows lie where.
 */
async function receipts(
  engine: Engine,
  { start_time }: EventQuery,
  { budgetRows, signal }: SurveyOptions,
): Promise<Receipts> {
  const from = start_time === undefined ? undefined : epochMicros(start_time) - aheadMicros;
  const order = from === undefined ? "last_received DESC, batch DESC" : "last_received, batch";
  const since =
    from === undefined ? "" : `WHERE last_received >= fromUnixTimestamp64Micro(${from})`;
  const answer = await engine.query(
    `SELECT minIf(first_received, near) AS low, maxIf(last_received, near) AS high,
    toUInt32(countIf(NOT near)) AS beyond
FROM (
    SELECT first_received, last_received,
        sum(events) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            - events < ${budgetRows} AS near
    FROM batches ${since}
)`,
    {},
    signal,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  return { low: at("low"), high: at("high"), cut: at("beyond") > 0 };
}
