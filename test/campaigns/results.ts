/**
 * @module Results of campaigns: one entry for each run, in a file of the repository. A run writes
 * its entry again and again while it goes on, so that one that is stopped keeps what it did.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Figures } from "./campaign.ts";

/** One run of one campaign. */
export interface Entry {
  readonly campaign: string;
  /** When it began, UTC. */
  readonly began: string;
  /** The commit that was attacked; `+` after it where packages had changes that it lacks. */
  readonly commit: string;
  readonly node: string;
  /** The number of its first round, and how many were done. */
  readonly first: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly figures: Figures;
  /** What broke the promise, and the round that shows it; null where it held. */
  readonly found: { readonly round: number; readonly what: string } | null;
  /** For what was found: the test that holds since. */
  readonly mended?: string;
}

const file = fileURLToPath(new URL("results.json", import.meta.url));

/** All entries, in the order of their beginning. */
export function readEntries(): readonly Entry[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly Entry[];
}

/** Puts the entry into the file, in the place of the one that began at the same time. */
export function writeEntry(entry: Entry): void {
  const isOther = (each: Entry): boolean =>
    each.began !== entry.began || each.campaign !== entry.campaign;
  const entries = [...readEntries().filter(isOther), entry].toSorted((a, b) =>
    a.began.localeCompare(b.began),
  );
  writeFileSync(`${file}.next`, `${JSON.stringify(entries, undefined, 2)}\n`);
  renameSync(`${file}.next`, file);
}

/** The number of the first round that no run did. */
export function nextRound(entries: readonly Entry[], campaign: string): number {
  const own = entries.filter((entry) => entry.campaign === campaign);
  return Math.max(0, ...own.map(({ first, rounds }) => first + rounds));
}
