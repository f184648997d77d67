/**
 * @module Registry: every attribute once, with both of its names (vocabulary: Attributes). The
 * guard, the type of an event's attributes, the README's table, and the columns of the SQL view
 * with their comments are derived from it. An attribute without a row leaves no process and enters
 * no store.
 */
import { eventKinds } from "./kinds.ts";
import type { EventKind } from "./kinds.ts";
import { limits } from "./limits.ts";
import { identityRows, ownRows, processRows, releaseRows } from "./registry/identity.ts";
import { cacheRows, memoryRows } from "./registry/memory.ts";
import { modelRows } from "./registry/model.ts";
import { namedRows } from "./registry/named.ts";
import { learningRows, outcomeRows, qualityRows } from "./registry/outcome.ts";
import { protocolRows } from "./registry/protocol.ts";
import { provenanceRows } from "./registry/provenance.ts";
import { recorderRows } from "./registry/recorder.ts";
import { ledgerRows, refRows } from "./registry/references.ts";
import { requestRows } from "./registry/request.ts";
import { kindGroups } from "./registry/row.ts";
import type {
  AttributeRow,
  AttributeType,
  Keyed,
  Shape,
  Slot,
  WrittenRow,
} from "./registry/row.ts";
import { toolRows } from "./registry/tool.ts";
import {
  artifactStatuses,
  cacheDecisions,
  eventPhases,
  eventStatuses,
  learningEvents,
  ownershipValues,
  parserStatuses,
  provenanceStatuses,
  toolOutcomes,
} from "./states.ts";

/** Rows whose values are stored under `attributes` of an event. */
type AttributeTable = typeof releaseRows &
  typeof modelRows &
  typeof toolRows &
  typeof memoryRows &
  typeof cacheRows &
  typeof recorderRows &
  typeof provenanceRows &
  typeof outcomeRows &
  typeof learningRows &
  typeof qualityRows &
  typeof requestRows &
  typeof namedRows &
  typeof protocolRows;

type Table = AttributeTable &
  typeof identityRows &
  typeof ownRows &
  typeof processRows &
  typeof refRows &
  typeof ledgerRows;

/** Short name of any registered attribute. */
export type RegistryName = keyof Table;
/** Short name of an attribute that is stored under `attributes`. */
export type AttributeName = keyof AttributeTable;

const closedValues: { readonly [event: string]: readonly string[] } = {
  scope: ["user", "anonymous"],
  event_kind: eventKinds,
  phase: eventPhases,
  status: eventStatuses,
  input_ownership: ownershipValues,
  output_ownership: ownershipValues,
  input_provenance: ["", ...provenanceStatuses],
  output_provenance: ["", ...provenanceStatuses],
  tool_outcome: toolOutcomes,
  scope_applied: ["user", "anonymous", "shared", "admin"],
  cache_decision: cacheDecisions,
  artifact_status: artifactStatuses,
  parser_status: parserStatuses,
  learning_event: learningEvents,
};

/**
 * Plain types: a dictionary per label column (LowCardinality) made inserts five times slower for
 * the same bytes, because most columns of a row are empty. The store names the few columns that
 * gain from one.
 */
function columnOf(type: AttributeType): string {
  switch (type) {
    case "string":
      return "String";
    case "boolean":
      return "Nullable(Bool)";
    case "int":
      return "Nullable(Int64)";
    case "double":
      return "Nullable(Float64)";
    case "string[]":
      return "Array(String)";
    case "boolean[]":
      return "Array(Bool)";
    case "int[]":
      return "Array(Int64)";
    case "double[]":
      return "Array(Float64)";
  }
}

/** Shapes whose texts name a subject that must not be confused with another. */
const namingShapes: ReadonlySet<Shape> = new Set(["name", "tool", "subject", "host"] as const);

function keyedOf(slot: Slot, shape: Shape): Keyed | undefined {
  if (namingShapes.has(shape)) return "name";
  return slot === "identity" && shape !== "closed" ? "identity" : undefined;
}

function expand(slot: Slot, rows: { readonly [event: string]: WrittenRow }): AttributeRow[] {
  return Object.entries(rows).map(([event, { kinds, ...facts }]) => ({
    ...facts,
    event,
    slot,
    keyed: keyedOf(slot, facts.shape),
    values: closedValues[event],
    cap: limits.stringCharsMax,
    kinds: kindGroups[kinds] as "all" | readonly EventKind[],
    column: columnOf(facts.type),
    since: "0.1.0",
  }));
}

/** Every row, in the order in which tables, columns and documents show them. */
export const registryRows: readonly AttributeRow[] = [
  ...expand("identity", identityRows),
  ...expand("own", ownRows),
  ...expand("attributes", releaseRows),
  ...expand("own", processRows),
  ...expand("refs", refRows),
  ...expand("ledger", ledgerRows),
  ...[
    modelRows,
    toolRows,
    memoryRows,
    cacheRows,
    recorderRows,
    provenanceRows,
    outcomeRows,
    learningRows,
    qualityRows,
    requestRows,
    namedRows,
    protocolRows,
  ].flatMap((rows) => expand("attributes", rows)),
];

/** Rows by the event's short name: code refers to a name as `attribute.input_tokens.span`. */
export const attribute: { readonly [K in RegistryName]: AttributeRow } = Object.fromEntries(
  registryRows.map((row) => [row.event, row]),
) as { readonly [K in RegistryName]: AttributeRow };

/** Rows by the span's attribute name. */
export const attributeBySpanName: ReadonlyMap<string, AttributeRow> = new Map(
  registryRows.map((row) => [row.span, row]),
);

/** True when an event of this kind may carry the row. */
export function mayCarry(row: AttributeRow, kind: EventKind): boolean {
  return row.kinds === "all" || row.kinds.includes(kind);
}
