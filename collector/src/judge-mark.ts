/**
 * @module JudgeMark: how far the judge came, kept beside the journal. Turns are never judged again
 * because a collector starts: what was received before the mark is settled, or the ledger says that
 * it is not.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { LossesState } from "./judge-losses.ts";
import type { Parts } from "./parts.ts";

/** What is kept. */
export interface JudgeState extends LossesState {
  /** Receipt up to which everything was looked at, ISO 8601 UTC. */
  readonly since: string;
  /**
   * What was received before this was judged without a loss that is known now: from `since` to here
   * it is judged again. Absent in a file of an earlier version.
   */
  readonly stale_before?: string | undefined;
}

/** The file of one collector and one store. */
export interface JudgeMark {
  /** What an earlier process kept; undefined without one, and where it judged another store. */
  readonly earlier: JudgeState | undefined;
  /** False for a store that ends with the process. */
  readonly lasts: boolean;
  /** Keeps this; a disk that refuses costs the next start some time. */
  keep(state: JudgeState): void;
}

/** The mark of a collector; one whose store is gone with the process keeps none. */
export function openMark({ config, store, server }: Parts): JudgeMark {
  if (store.name === "ephemeral") return { earlier: undefined, lasts: false, keep: () => {} };
  const file = join(config.dataDir, "judge.json");
  const of = `${store.name} ${server ?? ""}`;
  let kept = "";
  return {
    earlier: read(file, of),
    lasts: true,
    keep(state) {
      const text = JSON.stringify({ version: 1, store: of, ...state });
      if (text === kept) return;
      try {
        writeFileSync(`${file}.new`, text, { mode: 0o600 });
        renameSync(`${file}.new`, file);
        kept = text;
      } catch {
        // The next look tries again.
      }
    },
  };
}

function read(file: string, of: string): JudgeState | undefined {
  try {
    const said = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    const { version, store, since, stale_before: stale, seen, named } = said;
    if (version !== 1 || store !== of || !isTime(since)) return undefined;
    const stale_before = isTime(stale) ? stale : undefined;
    return { since, stale_before, seen: textsOf(seen), named: textsOf(named) };
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
