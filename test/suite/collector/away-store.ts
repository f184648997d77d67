/**
 * @module AwayStore: a store whose server can be switched off, so that no read and no check of it
 * comes back, or whose evidence can be damaged, so that only its ledger is read.
 */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

/** Whether the server is there, and its evidence whole. */
export type Place = "there" | "away" | "damaged";

/** The store, and the switch; it is there at first. */
export function awayStore(of: EvidenceStore): {
  readonly store: EvidenceStore;
  readonly put: (place: Place) => void;
} {
  let at: Place = "there";
  const field = "connect ECONNREFUSED";
  const fails = (): Promise<never> =>
    Promise.reject(
      at === "away"
        ? new CodedError("store_unavailable", { field })
        : new CodedError("store_corrupt", { field: "evidence" }),
    );
  const check = (): ReturnType<EvidenceStore["check"]> =>
    at === "away"
      ? Promise.resolve({ ok: false, code: "store_unavailable", reason: field, elapsedMs: 0 })
      : of.check();
  const reads = new Set(["page", "find", "root", "roots", "bundles", "quietRoots", "standing"]);
  const isRead = (name: string): boolean => /^(list|count|call)|^turn/.test(name);
  const switched = <T extends object>(target: T, reading: (name: string) => boolean): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== "function") return value;
        const call = value as (...given: unknown[]) => unknown;
        return (...given: unknown[]): unknown =>
          reading(String(name)) ? fails() : call.apply(object, given);
      },
    });
  const evidence = switched(of, (name) => at !== "there" && reads.has(name));
  const ledger = switched({ ...of.ledger }, (name) => at === "away" && isRead(name));
  return {
    store: new Proxy(evidence, {
      get: (object, name) =>
        name === "ledger" ? ledger : name === "check" ? check : Reflect.get(object, name),
    }),
    put: (place) => {
      at = place;
    },
  };
}
