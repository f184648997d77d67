/**
 * @module EventsView: the view `events` with every field of every event as a column, for people's
 * SQL and for dashboards. It unpacks the bodies of bundles, so it costs some microseconds per
 * column and event; frequent queries on turns use `turn_ledger`.
 */
import { registryRows } from "@turnproof/semconv";

import { rareFields, sharedFields, slot } from "../bundle/fields.ts";
import { eventDocuments } from "../tables/event-columns.ts";
import type { SqlView } from "./turn-views.ts";

/** JSON paths count from one. */
const place = (name: keyof typeof slot): number => slot[name] + 1;
const slotText = (name: keyof typeof slot): string => `JSONExtractString(event, ${place(name)})`;

/** The event's own value, else that of its segment's head; 0 marks the head's value as absent. */
const sharedRaw = (name: string): string =>
  `if(JSONHas(rest, '${name}'), JSONExtractRaw(rest, '${name}'), JSONExtractRaw(head, '${name}'))`;
const shared = (name: string): string =>
  `if(startsWith(${sharedRaw(name)}, '"'), JSONExtractString(${sharedRaw(name)}), '')`;
const flag = (raw: string): string =>
  `CAST(multiIf(${raw} = 'true', true, ${raw} = 'false', false, NULL), 'Nullable(Bool)')`;

const end = `base * 1000000000 + JSONExtractInt(event, ${place("end")})`;
const isText = (name: "end"): string => `JSONType(event, ${place(name)}) = 'String'`;
const hasTook = `JSONType(event, ${place("took")}) != 'Null'`;
const parsed = (text: string): string => `parseDateTime64BestEffortOrZero(${text}, 9, 'UTC')`;

/** Lists inside an event, and their columns. */
function refColumns(side: "input" | "output"): readonly Column[] {
  const lines = `JSONExtractArrayRaw(rest, '${side}_refs')`;
  return refLists(side, lines, "x");
}

function refLists(side: string, lines: string, one: string): readonly Column[] {
  const texts = { types: "resource_type", refs: "ref", versions: "version", roles: "role" };
  return [
    ...Object.entries(texts).map(([name, field]): Column => [
      `${side}_${name}`,
      `arrayMap(x -> JSONExtractString(${one}, '${field}'), ${lines})`,
    ]),
    [`${side}_ownership`, `arrayMap(x -> JSONExtractRaw(${one}, 'ownership_verified'), ${lines})`],
    [
      `${side}_provenance`,
      `arrayMap(x -> JSONExtractString(${one}, 'provenance_status'), ${lines})`,
    ],
  ];
}

type Column = readonly [name: string, sql: string];

const ledger = "JSONExtractArrayRaw(rest, 'selection_ledger')";

const nested: readonly Column[] = [
  ...refColumns("input"),
  ...refColumns("output"),
  ...refLists("ledger", ledger, "JSONExtractRaw(x, 'resource')"),
  ["ledger_ranks", `arrayMap(x -> JSONExtract(x, 'candidate_rank', 'Nullable(Int64)'), ${ledger})`],
  [
    "ledger_scores",
    `arrayMap(x -> JSONExtract(x, 'relevance_score', 'Nullable(Float64)'), ${ledger})`,
  ],
  ["ledger_selected", `arrayMap(x -> JSONExtractRaw(x, 'selected'), ${ledger})`],
  ["ledger_reasons", `arrayMap(x -> JSONExtractString(x, 'selection_reason'), ${ledger})`],
  ["identity_derived", "JSONExtract(rest, 'identity_derived', 'Array(String)')"],
  [
    "link_traces",
    "arrayMap(x -> JSONExtractString(x, 'trace_id'), JSONExtractArrayRaw(rest, 'links'))",
  ],
  [
    "link_spans",
    "arrayMap(x -> JSONExtractString(x, 'span_id'), JSONExtractArrayRaw(rest, 'links'))",
  ],
  ["dropped_reasons", "JSONExtractKeys(rest, 'dropped')"],
  ["dropped_counts", "arrayMap(x -> x.2, JSONExtractKeysAndValues(rest, 'dropped', 'Int64'))"],
];

const times: readonly Column[] = [
  // The row's last receipt, by which rows are skipped before they are unpacked.
  ["received_at", "row_received_at"],
  [
    "event_received_at",
    "fromUnixTimestamp64Micro(received + JSONExtractInt(rest, 'received'), 'UTC')",
  ],
  [
    "timestamp",
    `if(${isText("end")}, ${parsed(slotText("end"))}, fromUnixTimestamp64Nano(${end}, 'UTC'))`,
  ],
  [
    "started_at",
    `multiIf(${hasTook}, fromUnixTimestamp64Nano(${end} - JSONExtractInt(event, ${place("took")}), 'UTC'),
        JSONHas(rest, 'started_at'), ${parsed("JSONExtractString(rest, 'started_at')")}, NULL)`,
  ],
  [
    "duration_ms",
    `multiIf(JSONHas(rest, 'duration_ms'), JSONExtract(rest, 'duration_ms', 'Nullable(Float64)'),
        ${hasTook}, JSONExtractInt(event, ${place("took")}) / 1e6, NULL)`,
  ],
];

const eventId = `if(JSONHas(rest, 'event_id'), JSONExtractString(rest, 'event_id'),
        concat(${slotText("span")}, ':', ${slotText("phase")}))`;

const own: readonly Column[] = [
  ["root_trace_id", "root_trace_id"],
  ["batch", "batch"],
  ["event_kind", slotText("kind")],
  ["phase", slotText("phase")],
  ["status", slotText("status")],
  ["span_id", slotText("span")],
  ["parent_span_id", slotText("parent")],
  ["operation", slotText("operation")],
  ["producer_seq", `JSONExtract(event, ${place("seq")}, 'Nullable(Int64)')`],
  ["event_id", eventId],
  ["full_event_id", eventId],
  [
    "scope",
    `multiIf(${sharedRaw("user_id")} = 'null', 'anonymous',
        startsWith(${sharedRaw("user_id")}, '"'), 'user', '')`,
  ],
  ["schema_version", `toInt64OrZero(${sharedRaw("schema_version")})`],
  ["ingest_trusted", flag(sharedRaw("ingest_trusted"))],
  ["parent_remote", flag("JSONExtractRaw(rest, 'parent_remote')")],
];

/** Parts of an event as JSON text, as in an export. */
const documents: readonly Column[] = [
  ["attributes_json", "attributes"],
  ...eventDocuments.map((name): Column => [`${name}_json`, `JSONExtractRaw(rest, '${name}')`]),
];

/** True, false, null (the explicit unknown) and absent are four states. */
const acknowledged: Column = ["acknowledged", "JSONExtractRaw(attributes, 'acknowledged')"];

/** Every column of the view, each once. */
function columns(): readonly Column[] {
  const all = new Map<string, string>([...times, ...own, ...nested, ...documents, acknowledged]);
  const add = (name: string, sql: string): void => {
    if (!all.has(name)) all.set(name, sql);
  };
  for (const name of sharedFields) add(name, shared(name));
  for (const name of rareFields) add(name, `JSONExtractString(rest, '${name}')`);
  for (const { event: name, column, slot: at } of registryRows) {
    if (at === "attributes") add(name, `JSONExtract(attributes, '${name}', '${column}')`);
    else add(name, shared(name));
  }
  for (const name of ["links", "selection_ledger", "dropped"]) all.delete(name);
  return [...all];
}

/** The query behind the view. */
function eventsQuery(): string {
  const shown = columns().map(([name, sql]) => `    ${sql} AS ${name}`);
  return `SELECT
${shown.join(",\n")}
FROM (
    SELECT row_received_at, root_trace_id, batch, packed.1 AS received, packed.2 AS base,
        packed.3 AS head, packed.4 AS event, JSONExtractRaw(event, ${place("attributes")}) AS attributes,
        JSONExtractRaw(event, ${place("rest")}) AS rest
    FROM (
        SELECT received_at AS row_received_at, root_trace_id, batch,
            arrayFlatten(arrayMap(segment -> arrayMap(one -> (JSONExtractInt(segment, 1),
                JSONExtractInt(segment, 2), JSONExtractRaw(segment, 3), one),
                arraySlice(JSONExtractArrayRaw(segment), 4)),
                JSONExtractArrayRaw(concat('[', body, ']')))) AS all
        FROM bundles WHERE events > 0
    ) ARRAY JOIN all AS packed
)`;
}

/** Comments of columns: the attribute's brief in the registry. */
function comments(): readonly (readonly [column: string, comment: string])[] {
  const shown = new Set(columns().map(([name]) => name));
  return registryRows
    .filter((row) => shown.has(row.event))
    .map((row) => [row.event, row.brief] as const);
}

/** The view of events. */
export function eventsView(): SqlView {
  return { name: "events", query: eventsQuery(), comments: comments() };
}
