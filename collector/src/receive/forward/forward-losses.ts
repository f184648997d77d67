/**
 * @module ForwardLosses: spans that the other endpoint will never have, by reason, in a file that
 * outlives the process. It is written before a loss takes effect, so a kill counts it twice at
 * worst, and never not at all.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Why spans are not sent: no room in the queue, refused there, damaged here, ids of no span. */
export type ForwardLoss = "queue_full" | "refused" | "damaged" | "unmapped";

/** Counts by reason. */
export type ForwardLossCounts = Readonly<Record<ForwardLoss, number>>;

const none: ForwardLossCounts = { queue_full: 0, refused: 0, damaged: 0, unmapped: 0 };

/** The account. */
export interface ForwardLosses {
  readonly counts: ForwardLossCounts;
  add(reason: ForwardLoss, spans: number): void;
}

/** Opens the account of a file. */
export function openForwardLosses(file: string): ForwardLosses {
  mkdirSync(dirname(file), { recursive: true });
  let counts = read(file);
  return {
    get counts() {
      return counts;
    },
    add(reason, spans) {
      if (spans === 0) return;
      counts = { ...counts, [reason]: counts[reason] + spans };
      writeFileSync(`${file}.new`, JSON.stringify(counts), { flush: true, mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function read(file: string): ForwardLossCounts {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Not there yet. Replaced as a whole, it is never half a file.
    return none;
  }
  const entries = Object.keys(none).map((reason) => {
    const count = (parsed as Readonly<Record<string, unknown>>)[reason];
    return [reason, typeof count === "number" ? count : 0];
  });
  return Object.fromEntries(entries) as ForwardLossCounts;
}
