/**
 * @module DamageFile: damage of a store that is known, in the data directory: the next process
 * knows it before a read meets it again.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { replaceFile } from "@turnproof/journal";
import { isoNow } from "@turnproof/semconv";
import { z } from "zod";

import type { Config } from "../config/config.ts";
import type { Log } from "../log.ts";
import { serverPlaceOf } from "./store-places.ts";

/** Name of the file; none lies there while no damage is known. */
const damageFileName = "store-damage.json";

const schema = z.strictObject({
  version: z.literal(1),
  damaged: z.array(
    z.strictObject({
      /** The store, without credentials. */
      store: z.string(),
      /** As in the error `store_corrupt`. */
      field: z.string(),
      /** When it was first met, ISO 8601 UTC. */
      met_at: z.string(),
    }),
  ),
});

type Entry = z.infer<typeof schema>["damaged"][number];

/** Known damage of one store. */
export interface DamageFile {
  /** What an earlier process knew. */
  readonly earlier: readonly Omit<Entry, "store">[];
  /** Replaces what is known; a disk that refuses it is tried again with the next change. */
  keep(known: readonly Omit<Entry, "store">[]): void;
  /** Resolves when everything is written that was passed to `keep`. */
  written(): Promise<void>;
}

/** What is passed on to the records of damage. */
interface RememberedDamage {
  readonly isServer: boolean;
  readonly withdraws: boolean;
  readonly file?: Pick<DamageFile, "earlier" | "keep">;
}

/**
 * What the known damage of a collector rests on; no file for a store that the host opened, or that
 * ends with the process.
 * @param server host of the store's server; null without one
 */
export function rememberedDamage(
  {
    config,
    log,
    options,
    opened,
  }: {
    readonly config: Config;
    readonly log: Log;
    /** With a store that the host opened. */
    readonly options: { readonly store?: unknown; readonly judge?: unknown };
    readonly opened: ((deadlineMs: number) => Promise<void>)[];
  },
  server: string | null,
): RememberedDamage {
  const of = {
    isServer: server !== null,
    withdraws: options.judge !== false && !config.readOnly,
  };
  if (options.store !== undefined || config.backend === "ephemeral") return of;
  const place = serverPlaceOf(config, server ?? undefined) ?? config.backend;
  const file = openDamageFile(config.dataDir, place, log);
  // Read-only mode writes nothing beside the evidence.
  if (config.readOnly) return { ...of, file: { earlier: file.earlier, keep: () => {} } };
  opened.push(() => file.written());
  return { ...of, file };
}

/** Opens the file of a data directory. @param store whose damage it is, without credentials */
function openDamageFile(dataDir: string, store: string, log: Log): DamageFile {
  const path = join(dataDir, damageFileName);
  const found = read(path, store, log);
  const others = found.filter((entry) => entry.store !== store);
  let last = Promise.resolve();
  return {
    earlier: found
      .filter((entry) => entry.store === store)
      .map(({ field, met_at }) => ({ field, met_at })),
    keep(known) {
      const damaged = [...others, ...known.map((entry) => ({ store, ...entry }))];
      last = last.then(async () => {
        try {
          if (damaged.length === 0) rmSync(path, { force: true });
          else await replaceFile(path, Buffer.from(JSON.stringify({ version: 1, damaged })));
        } catch {
          log.warn("store_damage_not_kept", { file: damageFileName });
        }
      });
    },
    written: () => last,
  };
}

/** A file that cannot be read stands for damage of the store as a whole: a check ends it. */
function read(path: string, store: string, log: Log): readonly Entry[] {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8"))).damaged;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    log.warn("store_damage_unreadable", { file: damageFileName });
    return [{ store, field: "", met_at: isoNow() }];
  }
}
