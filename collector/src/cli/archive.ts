/**
 * @module Archive: the configured providers with their administrative operations, for operator
 * commands: retention, and data of earlier versions. Not for ClickHouse, which has separate
 * administrative access, nor for stores in memory.
 */
import { openings } from "../backend/backend.ts";
import type { Archive, StoreKind } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";

/** The configured backend of this store. */
export function backendOf(
  config: Config,
  kind: StoreKind,
): Config["backend"] | Config["memoryBackend"] {
  return kind === "evidence" ? config.backend : config.memoryBackend;
}

/**
 * Opens the provider of a store; undefined where it is not one of these three. With `mayChange`
 * false nothing is created or migrated: `not_configured` means that the schema is behind.
 * @throws CodedError of the provider, `not_configured` without its connection string
 */
export async function openArchive(
  config: Config,
  kind: StoreKind,
  { mayChange = true }: { readonly mayChange?: boolean } = {},
): Promise<Archive | undefined> {
  const backend = backendOf(config, kind);
  return backend === "none" ? undefined : openings[backend].whole?.(config, kind, mayChange);
}
