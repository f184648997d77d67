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

/** The field of a coded error: the engine and its number or name. */
export function fieldOf(engine: string, column: string | undefined): { readonly field?: string } {
  return column === undefined ? {} : { field: `${engine} ${column}` };
}
