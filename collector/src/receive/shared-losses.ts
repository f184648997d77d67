/**
 * @module SharedLosses: losses of the journals of all collectors of a store. A turn is judged by
 * any of them, so each has to know what the others lost.
 */
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { CollectorState } from "@turnproof/store";
import { z } from "zod";

import type { JournalLosses } from "./otlp/journal-losses.ts";

/** Losses of this collector and of the others, as far as they were read. */
export interface SharedLosses {
  losses(): JournalLosses;
  /** Resolves when this collector's are written and the others' are read. */
  exchange(): Promise<void>;
  close(): void;
}

const lossesRow: z.ZodType<JournalLosses> = z.object({
  quarantined_roots: z.array(z.string()),
  losses: z.array(
    z.object({
      producer_id: z.string().exactOptional(),
      service: z.string().exactOptional(),
      from: z.string().nullable(),
      to: z.string(),
      lost: z.number(),
      sampled_out: z.number(),
      write_failures: z.number(),
    }),
  ),
});
const everyMs = 5_000;
const keepMs = 400 * 86_400_000;

/** Shares the losses. @param name of this collector, the same after a restart; null: it only reads */
export function shareLosses(
  state: CollectorState,
  name: string | null,
  own: () => JournalLosses,
): SharedLosses {
  let others: readonly JournalLosses[] = [];
  const pass = async (): Promise<void> => {
    const rows = await state.list("losses");
    others = rows.flatMap((row) => (row.name === name ? [] : lossesIn(row.value)));
    if (name === null) return;
    const value = JSON.stringify(own());
    const before = rows.find((row) => row.name === name);
    if (value !== before?.value) {
      const version = (before?.version ?? 0) + 1;
      await state.write("losses", { name, version, value, keepUntilMs: Date.now() + keepMs });
    }
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

/** Losses in a row of another collector, of which one row that is not ours hides no other. */
function lossesIn(value: string): readonly JournalLosses[] {
  try {
    return [lossesRow.parse(JSON.parse(value))];
  } catch {
    return [];
  }
}

/** The name of the collector of a data directory; made once, and anew where a crash left none. */
export function collectorName(dataDir: string): string {
  const file = join(dataDir, "collector-id");
  const made = `${file}.${process.pid}`;
  writeFileSync(made, randomUUID(), { mode: 0o600, flush: true });
  try {
    linkSync(made, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!uuid.safeParse(readFileSync(file, "utf8")).success) renameSync(made, file);
  } finally {
    rmSync(made, { force: true });
  }
  return readFileSync(file, "utf8");
}

const uuid = z.uuid();
