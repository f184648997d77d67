/**
 * @module Deletion mentions: shared records that contain the user or one of the user's traces:
 * replays, recommendations and experiments. Shared memory itself has no tenant by design
 * (requirements: Scope hierarchy 5), so only records that quote evidence are searched.
 */
import type { AdministeredMemory, Json } from "@turnproof/store";

const quoting = ["replay", "recommendation", "experiment"] as const;
const pageRows = 200;

/** Deletes them, or counts them. */
export async function deleteMentions(
  memory: AdministeredMemory,
  given: {
    readonly users: readonly string[];
    readonly roots: ReadonlySet<string>;
    readonly dryRun: boolean;
  },
): Promise<{ readonly found: number; readonly deleted: number; readonly remaining: number }> {
  const names = new Set([...given.users, ...given.roots]);
  const found: (readonly [(typeof quoting)[number], string])[] = [];
  for (const kind of quoting) {
    let after: string | undefined;
    do {
      const page = await memory.shared.list(kind, {
        limit: pageRows,
        ...(after === undefined ? {} : { after }),
      });
      for (const { id, data } of page.records) if (mentions(data, names)) found.push([kind, id]);
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
  let deleted = 0;
  for (const [kind, id] of given.dryRun ? [] : found) {
    if (await memory.shared.delete(kind, id)) deleted += 1;
  }
  return { found: found.length, deleted, remaining: found.length - deleted };
}

/** True where a text in it is exactly one of these. */
function mentions(value: Json, names: ReadonlySet<string>): boolean {
  if (typeof value === "string") return names.has(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner) => mentions(inner, names));
}
