/**
 * @module IdleCollection: frees the memory of a thread after large answers. V8 collects an old heap
 * when it grows again, so a thread that has nothing to do keeps hundreds of megabytes of garbage.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** After the last answer; results that are kept for a page's next requests are gone by then. */
const idleMs = 12_000;
/** A smaller heap is left alone: a collection takes the thread up to a tenth of a second. */
const heapBytesMin = 128 * 2 ** 20;

/** Work of this thread; when none has been done for some time, garbage is collected. */
export function collectedWhenIdle(
  collect: () => void = collectAll,
  heapBytes: () => number = () => getHeapStatistics().total_physical_size,
): <T>(work: () => Promise<T>) => Promise<T> {
  let working = 0;
  let timer: NodeJS.Timeout | undefined;
  const idle = (): void => {
    if (working === 0 && heapBytes() > heapBytesMin) collect();
  };
  return async (work) => {
    working += 1;
    clearTimeout(timer);
    try {
      return await work();
    } finally {
      working -= 1;
      clearTimeout(timer);
      timer = setTimeout(idle, idleMs).unref();
    }
  };
}

/** Node has no other way to request a collection without a flag of the whole process. */
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}
