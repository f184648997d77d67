/**
 * @module PostgresPlace: PostgreSQL from the configuration: a server by its connection string, or
 * the directory of an embedded one by a `file:` URL. Only one engine may have a directory open, so
 * evidence and memory of this process share it until the last is closed.
 */
import { fileURLToPath } from "node:url";

import { CodedError } from "@turnproof/semconv";
import { postgres } from "@turnproof/store";
import type { PostgresProvider } from "@turnproof/store";

/** Part of a provider that is used. */
type Part = "evidence" | "memory" | "whole";

/** An engine in use, and the parts that use it. */
interface Held {
  readonly provider: Promise<PostgresProvider>;
  readonly parts: Set<Part>;
}

const held = new Map<string, Held>();

/**
 * The directory of an embedded PostgreSQL; undefined for a server.
 *
 * @throws CodedError `config_invalid` for a `file:` URL without a path of this machine
 */
export function postgresFolder(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    throw new CodedError("config_invalid", { field: "TURNPROOF_POSTGRES_URL" });
  }
}

/**
 * Opens the provider, of which the caller uses and closes one part. `driver_missing` has the
 * package to install, `store_locked` means that another process has the directory.
 */
export async function openPostgres(
  url: string,
  part: Part,
  migrate = true,
): Promise<PostgresProvider> {
  const path = postgresFolder(url);
  if (path === undefined) return postgres({ url, migrate });
  const known = held.get(path) ?? { provider: embedded(path, migrate), parts: new Set<Part>() };
  held.set(path, known);
  known.parts.add(part);
  try {
    return await known.provider;
  } catch (error) {
    if (held.get(path) === known) held.delete(path);
    throw error;
  }
}

/** The embedded engine, closed with the last part that uses it. */
async function embedded(path: string, migrate: boolean): Promise<PostgresProvider> {
  const provider = await postgres({ path, migrate });
  const end = provider.close.bind(provider);
  const closing = (part: Part): object => {
    const close = async (): Promise<void> => {
      const known = held.get(path);
      if (known?.parts.delete(part) !== true || known.parts.size > 0) return;
      held.delete(path);
      await end();
    };
    return { close, [Symbol.asyncDispose]: close };
  };
  // In place, because registrations about a store are keyed by the object itself.
  Object.assign(provider.evidence, closing("evidence"));
  Object.assign(provider.memory, closing("memory"));
  return Object.assign(provider, closing("whole"));
}
