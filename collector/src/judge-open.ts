/**
 * @module JudgeOpen: roots with a turn that is open. Nothing has to arrive for one to count as
 * unfinished, so the judge keeps the time at which it looks again.
 */
import { compareTimes } from "@turnproof/evidence";

/** Roots that are remembered; the judge looks at one that was forgotten when it speaks again. */
const rootsMax = 100_000;

/** The roots with a turn that is open, and until when. */
export interface OpenRoots {
  /** Remembers until when a root is open, or with null that nothing of it is. */
  note(root: string, until: string | null): void;
  /** Roots whose time is over. */
  due(now: string): readonly string[];
}

/** Remembers nothing yet. */
export function createOpenRoots(): OpenRoots {
  const open = new Map<string, string>();
  return {
    note(root, until) {
      open.delete(root);
      if (until === null) return;
      open.set(root, until);
      for (const oldest of open.keys()) {
        if (open.size <= rootsMax) break;
        open.delete(oldest);
      }
    },
    due: (now) =>
      [...open].flatMap(([root, until]) => (compareTimes(until, now) < 0 ? [root] : [])),
  };
}
