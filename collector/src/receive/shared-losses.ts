/**
 * @module SharedLosses: losses of the journals of all collectors of a store. A turn is judged by
 * any of them, so each has to know what the others lost.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { CollectorState } from "@turnproof/store";

import type { JournalLosses } from "./otlp/journal-losses.ts";

/** Losses of this collector and of the others, as far as they were read. */
export interface SharedLosses {
  losses(): JournalLosses;
  /** Resolves when this collector's are written and the others' are read. */
  exchange(): Promise<void>;
  close(): void;
}

const everyMs = 5_000;
const keepMs = 400 * 86_400_000;

/** Shares the losses. @param name of this collector, the same after a restart */
export function shareLosses(
  state: CollectorState,
  name: string,
  own: () => JournalLosses,
): SharedLosses {
  let others: readonly JournalLosses[] = [];
  const pass = async (): Promise<void> => {
    const value = JSON.stringify(own());
    const rows = await state.list("losses");
    const before = rows.find((row) => row.name === name);
    if (value !== before?.value) {
      const version = (before?.version ?? 0) + 1;
      await state.write("losses", { name, version, value, keepUntilMs: Date.now() + keepMs });
    }
    others = rows.flatMap((row) =>
      row.name === name ? [] : [JSON.parse(row.value) as JournalLosses],
    );
  };
  // One after the other: two writes of one version would leave the older losses.
  let last: Promise<void> = Promise.resolve();
  const exchange = (): Promise<void> => (last = last.then(pass, pass));
  // While the store is away nothing is judged either.
  const timer = setInterval(() => void exchange().catch(() => {}), everyMs).unref();
  void exchange().catch(() => {});
  return {
    losses: () => merged([own(), ...others]),
    exchange,
    close: () => clearInterval(timer),
  };
}

function merged(all: readonly JournalLosses[]): JournalLosses {
  return {
    quarantined_roots: [...new Set(all.flatMap((one) => one.quarantined_roots))].toSorted(),
    losses: all.flatMap((one) => one.losses),
  };
}

/** The name of the collector of a data directory; made once. */
export function collectorName(dataDir: string): string {
  const file = join(dataDir, "collector-id");
  try {
    writeFileSync(file, randomUUID(), { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}
