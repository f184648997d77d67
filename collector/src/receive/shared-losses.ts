/**
 * @module SharedLosses: losses of the journals of all collectors of a store. A turn is judged by
 * any of them, so each has to know what the others lost.
 */
import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { serialQueue } from "@turnproof/journal";
import { codeOf, isoTime } from "@turnproof/semconv";
import type { CollectorState, StateRow } from "@turnproof/store";
import { z } from "zod";

import type { Log } from "../log.ts";
import type { JournalLosses } from "./otlp/journal-losses.ts";

/** Losses of this collector and of the others, as far as they were read. */
export interface SharedLosses {
  losses(): JournalLosses;
  /** Resolves when the others' were read once; queries the store where they were not. */
  known(): Promise<void>;
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

/**
 * Shares the losses.
 *
 * @param name of this collector, the same after a restart; null: it only reads
 */
export function shareLosses(
  state: CollectorState,
  name: string | null,
  own: () => JournalLosses,
  log: Pick<Log, "warn">,
): SharedLosses {
  let others: ReadonlyMap<string, OthersRow> | undefined;
  const pass = async (): Promise<void> => {
    const rows = await state.list("losses");
    const before = others ?? new Map<string, OthersRow>();
    others = new Map(
      rows
        .filter((row) => row.name !== name)
        .map((row) => [row.name, readRow(row, before.get(row.name), log)]),
    );
    if (name === null) return;
    const value = JSON.stringify(own());
    const written = rows.find((row) => row.name === name);
    if (value !== written?.value) {
      const version = (written?.version ?? 0) + 1;
      await state.write("losses", { name, version, value, keepUntilMs: Date.now() + keepMs });
    }
  };
  // One after the other: two writes of one version would leave the older losses.
  const passes = serialQueue();
  const exchange = (): Promise<void> => passes(pass);
  let failing = false;
  const attempt = async (): Promise<void> => {
    try {
      await exchange();
      failing = false;
    } catch (error) {
      const code = codeOf(error);
      if (!failing) log.warn("losses_not_exchanged", { code });
      failing = true;
    }
  };
  const timer = setInterval(() => void attempt(), everyMs).unref();
  void attempt();
  return {
    losses: () => merged([own(), ...[...(others ?? [])].map(([, row]) => row.losses)]),
    async known() {
      if (others === undefined) await exchange();
    },
    exchange,
    close: () => clearInterval(timer),
  };
}

/** Losses in a row of another collector. */
interface OthersRow {
  readonly losses: JournalLosses;
  /** Value that cannot be read; absent where it was read. */
  readonly unreadable?: string;
}

/**
 * A row that cannot be read hides no other row. Its collector's last known losses stay; where none
 * are known, all turns until now may miss evidence.
 */
function readRow(
  { name, value }: Pick<StateRow, "name" | "value">,
  before: OthersRow | undefined,
  log: Pick<Log, "warn">,
): OthersRow {
  try {
    return { losses: lossesRow.parse(JSON.parse(value)) };
  } catch {
    if (before?.unreadable === value) return before;
    log.warn("losses_unreadable", { field: name });
    const to = isoTime(Date.now());
    const all = { from: null, to, lost: 1, sampled_out: 0, write_failures: 0 };
    const losses = before?.losses ?? { quarantined_roots: [], losses: [all] };
    return { losses, unreadable: value };
  }
}

function merged(all: readonly JournalLosses[]): JournalLosses {
  return {
    quarantined_roots: [...new Set(all.flatMap((one) => one.quarantined_roots))].toSorted(),
    losses: all.flatMap((one) => one.losses),
  };
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
