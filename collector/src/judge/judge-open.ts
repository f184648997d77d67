/**
 * @module JudgeOpen: roots with an open or unfinished turn. Their verdict can change without new
 * events: time passes, their process reports again after a pause, or it restarts. So the judge
 * records when, and after which process's report, to judge again.
 */
import type { ProducerLife } from "@turnproof/evidence";
import { compareTimes, isoTime } from "@turnproof/semconv";

/** Most roots in memory; an evicted one is judged when it receives events again. */
const rootsMax = 100_000;
/** After this long without a report a process is no longer waited for. */
const silentMs = 24 * 3_600_000;

/** A root with an operation that began and did not end. */
export interface Unended {
  /** Until when all of it is open if nothing arrives; null where nothing is open. */
  readonly until: string | null;
  /** The processes that it waits for. */
  readonly producers: readonly string[];
  /** Mark of the window that was judged. */
  readonly asOf: string;
}

/** The roots in which something did not end. */
export interface OpenRoots {
  /** Records a root, or with null that all of it ended. */
  note(root: string, unended: Unended | null): void;
  /** Whether there are any. */
  any(): boolean;
  /** Roots whose time is over, or whose processes have news in these lives. */
  due(now: string, lives: readonly ProducerLife[]): readonly string[];
}

/** No roots at first. */
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
      const earliest = isoTime(Date.parse(now) - silentMs);
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
