/**
 * @module Scope name: of an instrumentation scope's name, as much as the tables know. The rest is a
 * text of somebody else's making; the receiver's decoder cuts it in the same way.
 */
import { dialectTables, knownScopeNames } from "@turnproof/semconv";

const prefixes: readonly string[] = dialectTables.flatMap((table) => table.scopePrefixes);

/** Scopes of our own packages; they say nothing to the mapping. */
const ownScopes: ReadonlySet<string> = new Set([
  "@turnproof/instrumentation",
  "@turnproof/exporter",
  "@turnproof/memory",
  "@turnproof/agent",
]);

/** The whole name, its known beginning, or undefined. */
export function dialectScopeName(name: string): string | undefined {
  if (knownScopeNames.has(name)) return name;
  return prefixes.find((prefix) => name.startsWith(prefix));
}

/** The name under which a scope may leave; empty for one that nobody knows. */
export function leavingScopeName(name: string): string {
  return ownScopes.has(name) ? name : (dialectScopeName(name) ?? "");
}
