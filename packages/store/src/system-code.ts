/**
 * @module SystemCode: why a driver could not reach its server, by the operating system's name
 * (`ECONNREFUSED`, `ENOTFOUND`) from a closed list, so that no value is passed on.
 */

/** The code of a failed connection, wherever the driver has it; undefined without one. */
export function systemCodeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, cause, errors, reason } = error as Readonly<Record<string, unknown>>;
  if (typeof code === "string" && /^E[A-Z_]{2,20}$/.test(code)) return code;
  for (const inner of [cause, ...(Array.isArray(errors) ? errors : []), ...serversOf(reason)]) {
    const found = systemCodeOf(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Errors of MongoDB's driver for each server that it could not select. */
function serversOf(reason: unknown): readonly unknown[] {
  const servers = (reason as { readonly servers?: unknown } | undefined)?.servers;
  if (!(servers instanceof Map)) return [];
  return [...servers.values()].map((server) => (server as { readonly error?: unknown }).error);
}

/** The field of a coded error: the engine and its number or name, and a table that is gone. */
export function fieldOf(
  engine: string,
  column: string | undefined,
  table?: string,
): { readonly field?: string } {
  if (column === undefined) return {};
  return { field: [engine, column, ...(table === undefined ? [] : [table])].join(" ") };
}

/** Our tables, which are there as soon as a store was opened. */
const tables: ReadonlySet<string> = new Set([
  "batches",
  "bundle_words",
  "bundles",
  "collector_state",
  "evidence_batches",
  "evidence_bundles",
  "evidence_roots",
  "operator_rows",
  "root_epochs",
  "roots",
  "turn_calls",
  "turn_ledger",
  "turn_records",
  "turn_values",
  "turn_versions",
  "turns",
]);

/**
 * The table of ours that an engine's message about a missing table names; other words of it are not
 * passed on, because they may quote values.
 */
export function missingTableOf(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  return message.match(/[a-z_]+/g)?.find((word) => tables.has(word));
}
