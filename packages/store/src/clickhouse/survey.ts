/**
 * @module Survey: turns counted over time, from the turns table, and the values that the newest of
 * them say. It serves readers who may see every tenant: what belongs to one tenant can be inherited
 * inside a root, which only a read of whole roots tells.
 */
import type { EventQuery } from "@turnproof/evidence";

import type { SurveyField, SurveyOptions, TurnSurvey } from "../evidence-store.ts";
import type { EvidenceScope } from "../scope.ts";
import { epochMicros, isoOfMicros } from "../time.ts";
import type { Answer, Engine } from "./connection.ts";
import { filtersOf, scopeFilter } from "./filter.ts";
import { setsApart } from "./locate.ts";
import { murmur32 } from "../bundle/murmur.ts";
import { rowTerms } from "./locate-terms.ts";
import { bindings } from "./sql-text.ts";

/** Slots of an open range; five minutes keep years small. */
const openSlotMs = 300_000;
const slotsMax = 720;
const valuesMax = 50;
/** Rows of events that are asked for the values that they say: what is common is so among them. */
const valuesRows = 50_000;
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
  // That something failed is known of each turn; other values of its root.
  const failed = query.status === "error";
  const { status, ...unjudged } = query;
  const { rootHashes, fineHashes, sureHashes } = filtersOf(failed ? unjudged : query, bindings());
  const hashes = new Set([...rootHashes, ...fineHashes, ...sureHashes, ...scopeFilter(scope)]);
  const times = filtersOf({ ...timed, store: "all" }, bind).rows;
  const span = await receipts(engine, query, options);
  const slotMs = slotOf(start_time, end_time);
  const said = [...hashes].map((hash) => inRoots("toUInt32(root)", hash));
  const counted = await engine.query(
    slotsSql([...receivedIn(span), ...times, ...said], slotMs, failed),
    bind.parameters,
    options.signal,
  );
  const sample = await sampled(engine, query, options.signal);
  const near = [...hashes, ...(failed ? [murmur32(`status:${status}`)] : [])].map((hash) =>
    inRoots("murmurHash3_32(root_trace_id)", hash),
  );
  const rows = [...receivedIn(sample), ...filtersOf(timed, bind).rows, ...near];
  const values = await engine.query(valuesSql(rows), bind.parameters, options.signal);
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

const inRoots = (root: string, hash: number): string =>
  `${root} IN (SELECT root FROM locate WHERE hash = ${hash})`;

function slotOf(start: string | undefined, end: string | undefined): number {
  if (start === undefined || end === undefined) return openSlotMs;
  const spanMs = (epochMicros(end) - epochMicros(start)) / 1_000;
  return Math.min(Math.max(Math.ceil(spanMs / slotsMax), 1), openSlotMs);
}

/** Roots of which something failed that says no turn. */
const failing = "SELECT root FROM turns WHERE turn = 0 AND failed";

/** Roots that say a turn, among those of which a batch said something and no turn. */
const named = `SELECT root FROM turns
    WHERE turn != 0 AND root IN (SELECT root FROM turns WHERE turn = 0)`;

/**
 * A retry leaves a copy, and a turn that was open for long has a start beside its result: the rows
 * of one turn are folded, by 64 bits, for which the engine has its fastest table. What says no turn
 * is one of its own only while its root names none.
 */
function slotsSql(rows: readonly string[], slotMs: number, onlyFailed: boolean): string {
  const said = rows.join("\n    AND ");
  return `SELECT intDiv(toUnixTimestamp64Milli(at), ${slotMs}) AS slot,
    toUInt32(count()) AS turns, toUInt32(sum(fails)) AS errors
FROM (
    SELECT max(timestamp) AS at, max(failed OR root IN (${failing})) AS fails
    FROM turns WHERE turn != 0 AND ${said}
    GROUP BY bitXor(root, intHash64(turn))
    UNION ALL
    SELECT max(timestamp) AS at, max(failed) AS fails
    FROM turns WHERE turn = 0 AND root NOT IN (${named}) AND ${said}
    GROUP BY root
)${onlyFailed ? " WHERE fails" : ""} GROUP BY slot ORDER BY slot ${setsApart}`;
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

/** Receipts to examine, first and last included, in microseconds. */
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

/** The first receipt that can hold a turn of a range of its own time. */
function firstReceipt({ start_time }: EventQuery): number | undefined {
  return start_time === undefined ? undefined : epochMicros(start_time) - aheadMicros;
}

const countSql = "SELECT toUInt64(count()) AS rows FROM turns";
/** The last second that a column of receipts holds, in microseconds. */
const lastReceipt = 4_294_967_295 * 1_000_000;

/**
 * The receipts of as many rows of turns as the budget allows, whole five minutes of them: the
 * newest, or, from a time on, the first that can hold it.
 */
async function receipts(
  engine: Engine,
  query: EventQuery,
  { budgetRows, signal }: SurveyOptions,
): Promise<Receipts> {
  const from = firstReceipt(query);
  const held = await engine.query(countSql, {}, signal);
  // The engine knows how many rows there are without a look at them.
  if (Number(held.columns.get("rows")?.[0] ?? 0) <= budgetRows) {
    return { low: from ?? 0, high: lastReceipt, cut: false };
  }
  const since =
    from === undefined ? "" : `WHERE received_at >= toDateTime(${Math.floor(from / 1e6)}, 'UTC')`;
  const answer = await engine.query(
    `SELECT toUnixTimestamp(minIf(first, near)) AS low, toUnixTimestamp(maxIf(last, near)) AS high,
    toUInt32(countIf(NOT near)) AS beyond
FROM (
    SELECT min(received_at) AS first, max(received_at) AS last, count() AS rows,
        sum(rows) OVER (ORDER BY bucket ${from === undefined ? "DESC" : "ASC"}
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - rows < ${budgetRows} AS near
    FROM turns ${since} GROUP BY toStartOfFiveMinutes(received_at) AS bucket
)`,
    {},
    signal,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0) * 1_000_000;
  return { low: at("low"), high: at("high"), cut: at("beyond") > 0 };
}

/** The receipts of the rows that are asked for values; the manifests tell how many lie where. */
async function sampled(
  engine: Engine,
  query: EventQuery,
  signal: AbortSignal | undefined,
): Promise<Receipts> {
  const from = firstReceipt(query);
  const order = from === undefined ? "last_received DESC, batch DESC" : "last_received, batch";
  const since =
    from === undefined ? "" : `WHERE last_received >= fromUnixTimestamp64Micro(${from})`;
  const answer = await engine.query(
    `SELECT minIf(first_received, near) AS low, maxIf(last_received, near) AS high
FROM (
    SELECT first_received, last_received,
        sum(events) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            - events < ${valuesRows} AS near
    FROM batches ${since}
)`,
    {},
    signal,
  );
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  return { low: at("low"), high: at("high"), cut: false };
}
