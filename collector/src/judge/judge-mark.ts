/**
 * @module JudgeMark: the judge's progress, stored beside the journal. A restart never judges turns
 * again: what was received before the mark is settled, or the ledger lists it as unsettled.
 */
import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { replaceFile } from "@turnproof/journal";

import type { Config } from "../config/config.ts";
import { beyond, markWaitMs } from "./judge-timing.ts";
import type { LossesState } from "./judge-losses.ts";
import type { JudgeParts } from "../parts.ts";

/** What is kept. */
export interface JudgeState extends LossesState {
  /** Receipt up to which everything was checked, ISO 8601 UTC. */
  readonly since: string;
  /**
   * Rows received before this were judged without a loss that is known now: from `since` to here
   * they are judged again. Absent in a file of an earlier version.
   */
  readonly stale_before?: string | undefined;
}

/** The file of one collector and one store. */
export interface JudgeMark {
  /** State of an earlier process; undefined without one, and where it judged another store. */
  readonly earlier: JudgeState | undefined;
  /** False for a store that ends with the process. */
  readonly lasts: boolean;
  /**
   * Stores the state, durably when it resolves. Never rejects: when the disk refuses, the next
   * start takes longer. One call at a time.
   */
  keep(state: JudgeState): Promise<void>;
}

/** The mark of a collector; for a store in memory nothing is stored. */
export function openMark({ config, store, server, log }: JudgeParts): JudgeMark {
  if (store.name === "ephemeral") return { earlier: undefined, lasts: false, keep: async () => {} };
  const file = join(config.dataDir, "judge.json");
  const of = `${store.name} ${server ?? ""}`;
  let kept = "";
  return {
    earlier: read(file, of, log),
    lasts: true,
    async keep(state) {
      const text = JSON.stringify({ version: 1, store: of, ...state });
      if (text === kept) return;
      try {
        await replaceFile(file, Buffer.from(text));
        kept = text;
      } catch {
        // The next check tries again.
      }
    },
  };
}

/**
 * How far the judge is behind, beyond what it takes without a backlog; null where no judge keeps a
 * mark, and until this process has kept one: the age of an earlier process's mark is mostly the
 * time for which the collector was stopped.
 */
export async function judgeBehind(
  { dataDir }: Pick<Config, "dataDir">,
  nowMs: number,
): Promise<number | null> {
  const file = join(dataDir, "judge.json");
  // Without a file no judge has kept a mark yet.
  const [text, keptMs] = await Promise.all([
    readFile(file, "utf8").catch(() => ""),
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  ]);
  if (keptMs < performance.timeOrigin) return null;
  const since = parsed(text)?.state.since;
  return since === undefined ? null : beyond(markWaitMs, nowMs - Date.parse(since));
}

/** A damaged file counts as none and is logged: the judge then goes back a day. */
function read(file: string, of: string, log: JudgeParts["log"]): JudgeState | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      log.warn("judge_mark_unreadable", { count: 1 });
    return undefined;
  }
  const stated = parsed(text);
  if (stated === undefined) {
    log.warn("judge_mark_damaged", { count: 1, bytes: Buffer.byteLength(text) });
    return undefined;
  }
  return stated.store === of ? stated.state : undefined;
}

/** The parsed file; undefined for an unknown version. */
function parsed(text: string): { readonly store: string; readonly state: JudgeState } | undefined {
  let stated: unknown;
  try {
    stated = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof stated !== "object" || stated === null) return undefined;
  const {
    version,
    store,
    since,
    stale_before,
    seen = [],
    named = [],
  } = stated as Record<string, unknown>;
  const isWhole =
    version === 1 &&
    typeof store === "string" &&
    isTime(since) &&
    (stale_before === undefined || isTime(stale_before)) &&
    isTexts(seen) &&
    isTexts(named);
  return isWhole ? { store, state: { since, stale_before, seen, named } } : undefined;
}

/** ISO 8601 UTC, as the judge writes it. */
function isTime(value: unknown): value is string {
  const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
  return typeof value === "string" && form.test(value) && !Number.isNaN(Date.parse(value));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
