/**
 * @module Throttle of wrong credentials: five a minute from one address, and fifty in total. Valid
 * credentials never wait and missing ones do not count (security: Principals, faults W7).
 */

/** Counts failures by address over a sliding minute. */
export interface Throttle {
  /** Counts a failure; returns the seconds to wait when it exceeded the limit, else 0. */
  failed(address: string): number;
}

const windowMs = 60_000;
const perAddressMax = 5;
const globalMax = 50;
const addressesMax = 10_000;

/** A throttle of this process. */
export function createThrottle(now: () => number = Date.now): Throttle {
  const failures = new Map<string, number[]>();
  let all: number[] = [];
  const recent = (times: readonly number[], at: number): number[] =>
    times.filter((time) => at - time < windowMs);
  return {
    failed: (address) => {
      const at = now();
      all = [...recent(all, at), at].slice(-globalMax - 1);
      const own = [...recent(failures.get(address) ?? [], at), at].slice(-perAddressMax - 1);
      failures.delete(address);
      failures.set(address, own);
      if (failures.size > addressesMax) failures.delete(failures.keys().next().value ?? "");
      const oldest = own.length > perAddressMax ? own[0] : all.length > globalMax ? all[0] : at;
      if (own.length <= perAddressMax && all.length <= globalMax) return 0;
      return Math.max(1, Math.ceil((windowMs - (at - (oldest ?? at))) / 1000));
    },
  };
}
