/**
 * @module Dialects: the tables of every foreign vocabulary, and two sets for a decoder: attribute
 * keys that it may copy, and scope names that it may keep. It skips anything else by its length.
 */
import { codingNames } from "./dialects/coding-agents.ts";
import { genAi } from "./dialects/gen-ai.ts";
import { langfuse } from "./dialects/langfuse.ts";
import { mastra } from "./dialects/mastra.ts";
import { openInference } from "./dialects/openinference.ts";
import { openLlmetry } from "./dialects/openllmetry.ts";
import { structuralFamilies } from "./dialects/structural.ts";
import type { DialectTable } from "./dialects/table.ts";
import { vercelAi } from "./dialects/vercel-ai.ts";
import { attribute, registryRows } from "./registry.ts";
import { dialects } from "./states.ts";
import type { Dialect } from "./states.ts";

/**
 * Every dialect, most specific marks first: a span gets the first one whose mark or scope it has.
 */
export const dialectTables: readonly DialectTable[] = [
  mastra,
  langfuse,
  openInference,
  openLlmetry,
  vercelAi,
  genAi,
];

/** Tables by the name of their dialect. */
export const dialectTable: ReadonlyMap<Dialect, DialectTable> = new Map(
  dialectTables.map((table) => [table.dialect, table]),
);

/** Every attribute key that a decoder may copy: registry rows, dialect names, structural names. */
export const sourceAttributeNames: ReadonlySet<string> = new Set([
  ...registryRows.map((row) => row.span),
  ...dialectTables.flatMap((table) => [
    ...table.marks,
    ...table.kindRules.map((rule) => rule.source),
    ...(table.spanNames ?? []).map((rule) => rule.source),
    ...table.names.map((name) => name.source),
    ...table.identity.map((name) => name.source),
  ]),
  ...Object.keys(structuralFamilies),
  ...Object.values(codingNames),
  "exception.type",
]);

/**
 * Attribute keys whose texts are plain names of agents, tools, workflows, services or hosts. A
 * decoder keeps such a text as its digest, however long it is.
 */
export const nameSources: ReadonlySet<string> = new Set(
  [...sourceAttributeNames].filter((source) => {
    const written = dialectTables.flatMap((table) =>
      table.names.filter((name) => name.source === source),
    );
    const rows = [
      ...registryRows.filter((row) => row.span === source),
      ...written.map(({ to }) => attribute[to]),
    ];
    const whole = written.every(({ adapter }) => adapter === "as_is");
    return whole && rows.length > 0 && rows.every((row) => row.keyed === "name");
  }),
);

/** How a span was received that a collector forwards. */
export interface ForwardedOrigin {
  /** Decides what its fields mean. */
  readonly dialect: Dialect;
  /** False where its principal may not assert verification, acknowledgement and ownership. */
  readonly isTrusted: boolean;
}

/** Every origin of a forwarded span. */
export const forwardedOrigins: readonly ForwardedOrigin[] = dialects.flatMap((dialect) =>
  [true, false].map((isTrusted) => ({ dialect, isTrusted })),
);

/** Scope of the spans that a collector forwards from this origin, under our names. */
export function forwardedScope({ dialect, isTrusted }: ForwardedOrigin): string {
  return `@turnproof/forward/${dialect}${isTrusted ? "" : "/untrusted"}`;
}

/** Complete scope names in the tables; `dialectOfScope` matches beginnings as well. */
export const knownScopeNames: ReadonlySet<string> = new Set([
  ...dialectTables.flatMap((table) => table.scopes),
  ...forwardedOrigins.map(forwardedScope),
]);

/** The dialect of an instrumentation scope, or undefined for an unknown one. */
export function dialectOfScope(scopeName: string): Dialect | undefined {
  for (const table of dialectTables) {
    if (table.scopes.includes(scopeName)) return table.dialect;
    if (table.scopePrefixes.some((prefix) => scopeName.startsWith(prefix))) return table.dialect;
  }
  return undefined;
}

/** Attributes that mark spans whose own name is the only source of an agent's or tool's name. */
export const namedSpanMarks: readonly string[] = [
  ...new Set(dialectTables.flatMap((table) => (table.spanNames ?? []).map(({ source }) => source))),
];
