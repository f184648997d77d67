/**
 * @module JudgeOpen: roots with a turn that is open or unfinished. Nothing has to arrive in them
 * for that to change: time passes, their process is heard of again after a pause, or it starts
 * anew. So the judge keeps when, and upon whose word, it looks again.
 */
import { compareTimes } from "@turnproof/evidence";
import type { ProducerLife } from "@turnproof/evidence";

/** Roots that are remembered; the judge looks at one that was forgotten when it speaks again. */
const rootsMax = 100_000;
/** A process that says nothing for so long is not heard of again. */
const silentMs = 24 * 3_600_000;

/** What is known of a root in which something began and did not end. */
export interface Unended {
  /** Until when all of it is open if nothing arrives; null where none of it is. */
  readonly until: string | null;
  /** The processes that it waits for. */
  readonly producers: readonly string[];
  /** Mark of the window that was judged. */
  readonly asOf: string;
}

/** The roots in which something did not end. */
export interface OpenRoots {
  /** Remembers a root, or with null that all of it ended. */
  note(root: string, unended: Unended | null): void;
  /** Whether any is remembered. */
  any(): boolean;
  /** Roots whose time is over, or of whose processes there is news in these lives. */
  due(now: string, lives: readonly ProducerLife[]): readonly string[];
}

/** Remembers nothing yet. */
export function createOpenRoots(): OpenRoots {
  const open = new Map<string, Unended>();
  return {
    note(root, unended) {
      open.delete(root);
      if (unended === null) return;
      open.set(root, unended);
      for (const oldest of open.keys()) {
        if (open.size <= rootsMax) break;
        open.delete(oldest);
      }
    },
    any: () => open.size > 0,
    due(now, lives) {
      const byId = new Map(lives.map((life) => [life.producer_id, life]));
      const byInstance = Map.groupBy(lives, (life) => life.instance);
      const earliest = new Date(Date.parse(now) - silentMs).toISOString();
      const due: string[] = [];
      for (const [root, { until, producers, asOf }] of open) {
        const own = producers.flatMap((id) => byId.get(id) ?? []);
        const news =
          until === null
            ? own.some((life) => compareTimes(life.last, asOf) > 0)
            : own.some((life) => {
                const others = life.instance === undefined ? [] : byInstance.get(life.instance);
                return others?.some((other) => isAnew(other, life, asOf)) ?? false;
              });
        if (news || (until !== null && compareTimes(until, now) < 0)) due.push(root);
        else if (until === null && compareTimes(asOf, earliest) < 0) open.delete(root);
      }
      return due;
    },
  };
}

/** Whether another process of the instance began after the window was judged. */
function isAnew(other: ProducerLife, life: ProducerLife, asOf: string): boolean {
  return other.producer_id !== life.producer_id && compareTimes(other.first, asOf) > 0;
}
