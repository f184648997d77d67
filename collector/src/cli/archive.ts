/**
 * @module Archive: the configured providers, whole, for operators' commands: their retention and
 * what an earlier version left lie beside the ports that a collector serves. None for ClickHouse,
 * which has an administrative side of its own, and for what lies in a process.
 */
import { openings } from "../backend/backend.ts";
import type { Archive, Room } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";

/** What the configuration names for the room. */
export function backendOf(config: Config, room: Room): Config["backend"] | Config["memoryBackend"] {
  return room === "evidence" ? config.backend : config.memoryBackend;
}

/**
 * Opens the provider of a room; undefined where it is not one of these three. With `mayChange` false
 * nothing is made or migrated: `not_configured` says that the schema is behind.
 * @throws CodedError of the provider, `not_configured` without its connection string
 */
export async function openArchive(
  config: Config,
  room: Room,
  { mayChange = true }: { readonly mayChange?: boolean } = {},
): Promise<Archive | undefined> {
  const backend = backendOf(config, room);
  return backend === "none" ? undefined : openings[backend].whole?.(config, room, mayChange);
}
