/**
 * @module Dialect table: the shape of one foreign vocabulary, names only: which source name fills
 * which registry row, which attribute decides the kind, and which names hold identity (collector:
 * Receive). The exporter does the mapping. A name that can carry content is never listed.
 */
import type { EventKind } from "../kinds.ts";
import type { RegistryName } from "../registry.ts";
import type { Dialect } from "../states.ts";

/**
 * How a source value is converted to the row's value: `as_is`; `ms_from_s` seconds to
 * milliseconds; `list_of_one` a text to a list; `json_list` a list, or the JSON text of one;
 * `lower` to lower case; `error_status` an HTTP status of 400 and above to its digits, below that
 * nothing; `error_level` the text ERROR to the status `error`, anything else to nothing;
 * `usage_json` a JSON object of counts to several rows, by `usageDetailNames`; `identity_json` a
 * JSON object of free metadata to the rows of `metadataNames`, and nothing else.
 */
export const valueAdapters = [
  "as_is",
  "ms_from_s",
  "list_of_one",
  "json_list",
  "lower",
  "error_status",
  "error_level",
  "usage_json",
  "identity_json",
] as const;
export type ValueAdapter = (typeof valueAdapters)[number];

/** One source name: the row it fills and how. */
export interface DialectName {
  readonly source: string;
  readonly to: RegistryName;
  readonly adapter: ValueAdapter;
  /** When present, the name fills the row on spans of these kinds only. */
  readonly only?: readonly EventKind[];
}

/** An attribute whose value decides the kind. A value that is not listed makes a `span`. */
export interface KindRule {
  readonly source: string;
  readonly kinds: { readonly [value: string]: EventKind };
  /**
   * Values that decide a kind only where a request enters: without a parent in the same process.
   */
  readonly atEntry?: { readonly [value: string]: EventKind };
}

/**
 * Spans whose own name is the only source of a name. It is read for these values of a kind rule
 * only, in the turn or tool call that they make, and must pass the guard as a name.
 */
export interface SpanNameRule {
  readonly source: string;
  readonly words: readonly string[];
  readonly to: "agent_name" | "tool_name";
  /** Prefix before the name; without it no name is read. */
  readonly prefix?: string;
  /** An attribute that must be present as well. */
  readonly beside?: string;
  /** Names of the library's own classes, which are not the application's. */
  readonly except?: readonly string[];
}

/** Identity rows that a dialect can fill. */
export type DialectIdentity = "application_id" | "agent_id" | "user_id" | "thread_id" | "run_id";

/** A source name of an identity. Earlier entries of the same row win. */
export interface IdentityName {
  readonly source: string;
  readonly to: DialectIdentity;
}

/**
 * One dialect, including GenAI's own names where a library mixes them in. A source name that a
 * table lists is read as listed, even when it is a registry row's own name; every other registry
 * name fills its row. Of several names for one row the registry's own comes first, then the
 * table's order.
 */
export interface DialectTable {
  readonly dialect: Dialect;
  /** Instrumentation scopes of the dialect: complete names, and beginnings of names. */
  readonly scopes: readonly string[];
  readonly scopePrefixes: readonly string[];
  /** Attributes whose presence alone marks a span as this dialect. */
  readonly marks: readonly string[];
  /** In order of precedence; the first whose attribute is present decides. */
  readonly kindRules: readonly KindRule[];
  readonly names: readonly DialectName[];
  readonly identity: readonly IdentityName[];
  readonly spanNames?: readonly SpanNameRule[];
}

/** Names in their written form: source name → row, or row and adapter. */
export type WrittenNames = {
  readonly [source: string]: RegistryName | readonly [RegistryName, ValueAdapter];
};

/** Expands the written form, keeping its order. */
export function dialectNames(written: WrittenNames): readonly DialectName[] {
  return Object.entries(written).map(([source, target]) =>
    typeof target === "string"
      ? { source, to: target, adapter: "as_is" }
      : { source, to: target[0], adapter: target[1] },
  );
}

/** Expands `prefix` + each ending to identity names, keeping the order. */
export function identityNames(
  to: DialectIdentity,
  sources: readonly string[],
): readonly IdentityName[] {
  return sources.map((source) => ({ source, to }));
}

/** Endings of identity keys in free metadata, most specific first. */
const metadataIdentity: readonly (readonly [DialectIdentity, readonly string[]])[] = [
  ["user_id", ["userId", "user_id"]],
  [
    "thread_id",
    [
      "threadId",
      "thread_id",
      "sessionId",
      "session_id",
      "conversationId",
      "conversation_id",
      "chatId",
      "chat_id",
    ],
  ],
  ["agent_id", ["agentId", "agent_id"]],
  ["run_id", ["runId", "run_id"]],
];

/** Identity names under a metadata prefix. */
export function metadataIdentityNames(prefix: string): readonly IdentityName[] {
  return metadataIdentity.flatMap(([to, endings]) =>
    identityNames(
      to,
      endings.map((ending) => prefix + ending),
    ),
  );
}
