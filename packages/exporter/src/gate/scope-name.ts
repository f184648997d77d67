/**
 * @module Scope name: keeps the part of an instrumentation scope's name that is in the tables. The
 * rest is foreign text; the receiver's decoder cuts it the same way.
 */
import { dialectTables, knownScopeNames } from "@turnproof/semconv";

const prefixes: readonly string[] = dialectTables.flatMap((table) => table.scopePrefixes);

/** Scopes of our own packages; the mapping does not use them. */
const ownScopes: ReadonlySet<string> = new Set([
  "@turnproof/instrumentation",
  "@turnproof/exporter",
  "@turnproof/memory",
  "@turnproof/agent",
]);

/** The complete name, its known beginning, or undefined. */
export function dialectScopeName(name: string): string | undefined {
  if (knownScopeNames.has(name)) return name;
  return prefixes.find((prefix) => name.startsWith(prefix));
}

/** The exported name of a scope; empty for an unknown one. */
export function leavingScopeName(name: string): string {
  return ownScopes.has(name) ? name : (dialectScopeName(name) ?? "");
}
