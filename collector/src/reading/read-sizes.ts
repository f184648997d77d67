/** @module ReadSizes: which reads keep a thread busy for long, by the CPU that they took before. */

/**
 * Addresses and traces in memory; the least recently read one goes. A longer address is not kept.
 */
const addressesMax = 10_000;
const addressLengthMax = 500;

/** `unknown`: the read names a trace of which no read was measured. */
export type ReadSize = "small" | "large" | "unknown";

/** What a thread took for a read. */
export interface ReadCost {
  readonly cpuMs: number;
  /** False where other reads ran on the thread meanwhile: the figure is theirs too. */
  readonly isAlone: boolean;
}

/** What reads cost: measured by address; an address that is new costs what its trace does. */
export interface ReadSizes {
  of(address: string): ReadSize;
  measured(address: string, cost: ReadCost): void;
}

/** Sizes by measured CPU; from `largeCpuMs` on a read is large. */
export function createReadSizes(largeCpuMs: number): ReadSizes {
  const known = new Map<string, ReadSize>();
  /** Large traces, each with the address that took long. */
  const large = new Map<string, string>();
  return {
    of(address) {
      const traces = tracesOf(address);
      const fresh = traces.length === 0 ? "small" : "unknown";
      return known.get(address) ?? (traces.some((trace) => large.has(trace)) ? "large" : fresh);
    },
    measured(address, { cpuMs, isAlone }) {
      const isLarge = cpuMs >= largeCpuMs;
      if (isLarge && !isAlone) return;
      keep(known, address, isLarge ? "large" : "small");
      for (const trace of tracesOf(address)) {
        if (isLarge) keep(large, trace, address);
        else if (large.get(trace) === address) large.delete(trace);
      }
    },
  };
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  if (key.length > addressLengthMax) return;
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > addressesMax && oldest !== undefined) map.delete(oldest);
}

/** Ids of the traces that an address names. */
function tracesOf(address: string): readonly string[] {
  return address.match(/\b[0-9a-f]{32}\b/g) ?? [];
}
