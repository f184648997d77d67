/**
 * @module The desk's memory, by the variables that set its place: `MEMORY_DIR` a directory of
 * files, `MEMORY_POSTGRES_URL` a PostgreSQL, `MEMORY_PGLITE_DIR` the embedded one,
 * `MEMORY_MONGODB_URL` a MongoDB, none of them: gone with the process.
 */
import { ephemeralMemory, filesystem, mongodb, postgres } from "@turnproof/store";
import type { AdministeredMemory } from "@turnproof/store";

/** Opens it; close it before the process ends. */
export async function openMemory(
  env: Readonly<Record<string, string | undefined>>,
): Promise<AdministeredMemory> {
  const url = env["MEMORY_POSTGRES_URL"];
  if (url !== undefined) return (await postgres({ url })).memory;
  const path = env["MEMORY_PGLITE_DIR"];
  if (path !== undefined) return (await postgres({ path })).memory;
  const documents = env["MEMORY_MONGODB_URL"];
  if (documents !== undefined) return (await mongodb({ url: documents })).memory;
  const directory = env["MEMORY_DIR"];
  if (directory !== undefined) return (await filesystem({ directory })).memory;
  return ephemeralMemory();
}
