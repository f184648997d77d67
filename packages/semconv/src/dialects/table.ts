/**
 * @module Dialect table: what one tells of a foreign vocabulary — names only. Mapping is the
 * exporter's; here stands which source name means which registry row, who decides the kind, and
 * under which names identity travels (design 6.1). No name that can carry content is ever listed.
 */
import type { EventKind } from "../kinds.ts";
import type { RegistryName } from "../registry.ts";
import type { Dialect } from "../states.ts";

/**
 * How a source value becomes the row's value:
 * `as_is`; `ms_from_s` seconds to milliseconds; `list_of_one` a text to a list; `json_list` a list,
 * or the JSON text of one; `lower` to lower case; `error_status` an HTTP status of 400 and above to
 * its digits, below that nothing; `error_level` the text ERROR to the status `error`, anything else
 * to nothing; `usage_json` a JSON object of counts to several rows, by `usageDetailNames`;
 * `identity_json` a JSON object of free metadata to the rows of `metadataNames`, and nothing else.
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
  /** When present, the name means the row on spans of these kinds only. */
  readonly only?: readonly EventKind[];
}

/** An attribute whose value decides the kind. A value that is not listed makes a `span`. */
export interface KindRule {
  readonly source: string;
  readonly kinds: { readonly [value: string]: EventKind };
  /** Words that mean a kind only where a request enters: without a parent in the same process. */
  readonly atEntry?: { readonly [value: string]: EventKind };
}

/**
 * Where a library has no other place for a name than the span's own. It is read for these words of
 * a kind rule only, in the turn or tool call that they make, and must pass the guard as a name.
 */
export interface SpanNameRule {
  readonly source: string;
  readonly words: readonly string[];
  readonly to: "agent_name" | "tool_name";
  /** What stands before the name; without it no name is read. */
  readonly prefix?: string;
  /** An attribute that must be there as well. */
  readonly beside?: string;
  /** Names of a library's own classes, which nobody chose. */
  readonly except?: readonly string[];
}

/** Identity rows that a dialect can name. */
export type DialectIdentity = "application_id" | "agent_id" | "user_id" | "thread_id" | "run_id";

/** A source name of an identity. Earlier entries of the same row win. */
export interface IdentityName {
  readonly source: string;
  readonly to: DialectIdentity;
}

/**
 * Everything that is known of one dialect, GenAI's own names included where libraries mix them in.
 * A source name that a table lists is read as the table says, even when it is a registry row's own
 * name; every other registry name means its row. Of several names for one row, the registry's own
 * comes first, then the table's order.
 */
export interface DialectTable {
  readonly dialect: Dialect;
  /** Instrumentation scopes that speak it: whole names, and beginnings of names. */
  readonly scopes: readonly string[];
  readonly scopePrefixes: readonly string[];
  /** Attributes whose presence alone says that a span speaks it. */
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

/** Endings under which applications put identity into free metadata, most specific first. */
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

/** Identity names below a prefix of free metadata. */
export function metadataIdentityNames(prefix: string): readonly IdentityName[] {
  return metadataIdentity.flatMap(([to, endings]) =>
    identityNames(
      to,
      endings.map((ending) => prefix + ending),
    ),
  );
}
