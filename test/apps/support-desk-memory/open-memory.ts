/**
 * @module The desk's memory, by where it is told to keep it: `MEMORY_DIR` a directory of files,
 * `MEMORY_POSTGRES_URL` a server, neither: gone with the process.
 */
import { ephemeralMemory, filesystem, postgres } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";

/** Opens it; close it before the process ends. */
export async function openMemory(
  env: Readonly<Record<string, string | undefined>>,
): Promise<MemoryStore> {
  const url = env["MEMORY_POSTGRES_URL"];
  if (url !== undefined) return (await postgres({ url })).memory;
  const directory = env["MEMORY_DIR"];
  if (directory !== undefined) return (await filesystem({ directory })).memory;
  return ephemeralMemory();
}
