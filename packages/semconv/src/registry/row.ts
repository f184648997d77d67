/**
 * @module Row: the registry's entry for one attribute, and the short form in which the tables are
 * written: `[span name, type, holds, shape, kinds, source]` under the event's short name.
 */
import type { EventKind } from "../kinds.ts";

/** Type of an attribute's value. Nothing is ever nested. */
export type AttributeType =
  | "string"
  | "boolean"
  | "int"
  | "double"
  | "string[]"
  | "boolean[]"
  | "int[]"
  | "double[]";

/** What an attribute holds; nothing in this list is content. */
export type Holds =
  | "identity"
  | "fingerprint"
  | "count"
  | "measure"
  | "state"
  | "label"
  | "flag"
  | "time"
  | "reference";

/**
 * The positive shape that a value must match before any detector runs (design 3.3): `id` an opaque
 * identifier, `tenant` the id of a tenant in any form, `fingerprint` a keyed or plain digest,
 * `name` a display name (at most four words and 48 characters), `tool` the name of a tool (no
 * spaces), `subject` an id or a display name, `model` a model name, `label` a token of a
 * vocabulary that hosts may extend, `version` a version or revision, `host` a bare host name,
 * `route` a path of a service with places for values, `closed` one of the row's closed values,
 * `time` an ISO 8601 UTC time, `none` a number or boolean.
 */
export type Shape =
  | "id"
  | "tenant"
  | "fingerprint"
  | "name"
  | "tool"
  | "subject"
  | "model"
  | "label"
  | "version"
  | "host"
  | "route"
  | "closed"
  | "time"
  | "none";

/** Named groups of kinds, so that a row can name all kinds that may carry it in one word. */
export const kindGroups = {
  all: "all",
  model: ["model_call", "turn", "plan", "memory_operation", "memory_retrieval", "conversation"],
  tool: ["tool_call", "execution_log"],
  memory: [
    "memory_operation",
    "memory_retrieval",
    "memory_selection",
    "memory_supply",
    "memory_reference",
  ],
  sources: [
    "memory_operation",
    "memory_retrieval",
    "memory_selection",
    "memory_supply",
    "memory_reference",
    "model_call",
    "tool_call",
    "execution_log",
    "context_binding",
  ],
  selection: ["memory_selection", "memory_retrieval", "memory_supply"],
  cache: ["cache_decision"],
  binding: ["context_binding"],
  fingerprinted: [
    "context_binding",
    "artifact",
    "contract",
    "memory_retrieval",
    "memory_selection",
    "memory_supply",
    "memory_reference",
    "learning",
  ],
  intent: ["intent"],
  artifact: ["artifact"],
  contract: ["contract"],
  delivery: ["delivery"],
  covered: ["contract", "delivery"],
  action: ["application_action", "queue_transition"],
  fallback: [
    "application_action",
    "queue_transition",
    "tool_call",
    "execution_log",
    "model_call",
    "memory_operation",
    "memory_retrieval",
    "memory_supply",
  ],
  job: [
    "application_action",
    "queue_transition",
    "intent",
    "artifact",
    "delivery",
    "outcome",
    "data_quality",
  ],
  refs: [
    "turn",
    "model_call",
    "plan",
    "intent",
    "artifact",
    "delivery",
    "contract",
    "application_action",
    "queue_transition",
    "tool_call",
    "execution_log",
    "memory_operation",
    "memory_retrieval",
    "memory_selection",
    "memory_supply",
    "memory_reference",
    "cache_decision",
    "context_binding",
    "feedback",
    "outcome",
    "learning",
  ],
  judged: ["feedback", "outcome"],
  learning: ["learning"],
  quality: ["data_quality"],
} as const;
export type KindGroup = keyof typeof kindGroups;

/** The written form of a row. */
export type RowTuple = readonly [
  span: string,
  type: AttributeType,
  holds: Holds,
  shape: Shape,
  kinds: KindGroup,
  source: string,
];

/** Where the value is stored on an event. */
export type Slot = "identity" | "own" | "refs" | "ledger" | "attributes";

/**
 * What happens to a text that the row refuses: an `identity` is replaced by its keyed fingerprint
 * where a key is set and refused where none is; a `name` is always replaced, so that two subjects
 * stay distinct.
 */
export type Keyed = "identity" | "name";

/** One attribute: both names, and everything that is defined for it. */
export interface AttributeRow {
  /** The event's short name, unique. */
  readonly event: string;
  /** The span's attribute name, unique. */
  readonly span: string;
  readonly type: AttributeType;
  readonly holds: Holds;
  readonly shape: Shape;
  readonly slot: Slot;
  /**
   * How a refused text is replaced so that it stays distinct; undefined: it is dropped and
   * counted.
   */
  readonly keyed: Keyed | undefined;
  /** Closed values, when `shape` is `closed`. */
  readonly values: readonly string[] | undefined;
  /** Characters per string, or per entry of a list. */
  readonly cap: number;
  /** Which kinds may carry it. */
  readonly kinds: "all" | readonly EventKind[];
  /** ClickHouse column type; the column's name is the event's short name. */
  readonly column: string;
  readonly since: string;
  readonly source: string;
}
