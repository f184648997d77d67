/**
 * @module Row: the registry's entry for one attribute, and the form in which the tables are
 * written: an object under the event's short name.
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

/** Any value an attribute can have. */
export type AttributeValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly number[]
  | readonly boolean[];

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
 * The positive shape that a value must match before any detector runs (privacy: How a value is
 * judged): `id` an opaque identifier, `tenant` the id of a tenant in any form, `fingerprint` a
 * keyed or plain digest, `name` a display name (at most four words and 48 characters), `tool` the
 * name of a tool (no spaces), `subject` an id or a display name, `model` a model name, `label` a
 * token of a vocabulary that hosts may extend, `version` a version or revision, `host` a bare host
 * name, `route` a path of a service with places for values, `closed` one of the row's closed
 * values, `time` an ISO 8601 UTC time, `none` a number or boolean.
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

/**
 * How far the name may still change: that of OpenTelemetry's conventions, whose `development`
 * includes release candidates; names of our own are in `development` before version 1.
 */
export type Stability = "stable" | "development";

/** What is written down for an attribute, and stands in its row as it is written. */
export interface RowFacts {
  /** The span's attribute name, unique. */
  readonly span: string;
  readonly type: AttributeType;
  readonly holds: Holds;
  readonly shape: Shape;
  /** One sentence: what the value means. At most 160 characters, unique. */
  readonly brief: string;
  /** Values, or entries of a list, that the guard admits. */
  readonly examples: readonly (string | number | boolean)[];
  readonly stability: Stability;
  /** Where the rule or name comes from: a URL, or a heading of this repository's docs. */
  readonly source: string;
}

/** A row as the tables write it. */
export interface WrittenRow extends RowFacts {
  readonly kinds: KindGroup;
}

/** Where the value is stored on an event. */
export type Slot = "identity" | "own" | "refs" | "ledger" | "attributes";

/**
 * What happens to a text that the row refuses: an `identity` is replaced by its keyed fingerprint
 * where a key is set and refused where none is; a `name` is always replaced, so that two subjects
 * stay distinct.
 */
export type Keyed = "identity" | "name";

/** One attribute: both names, and everything that is defined for it. */
export interface AttributeRow extends RowFacts {
  /** The event's short name, unique. */
  readonly event: string;
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
}
