/** @module AwayStore: a store whose server can be switched off: no read and no check of it comes back. */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

/** Whether the server is there. */
export type Place = "there" | "away";

/** The store, and the switch; it is there at first. */
export function awayStore(of: EvidenceStore): {
  readonly store: EvidenceStore;
  readonly put: (place: Place) => void;
} {
  let away = false;
  const field = "connect ECONNREFUSED";
  const fails = (): Promise<never> =>
    Promise.reject(new CodedError("store_unavailable", { field }));
  const check = (): ReturnType<EvidenceStore["check"]> =>
    away
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
          away && reading(String(name)) ? fails() : call.apply(object, given);
      },
    });
  const evidence = switched(of, (name) => reads.has(name));
  const ledger = switched({ ...of.ledger }, isRead);
  return {
    store: new Proxy(evidence, {
      get: (object, name) =>
        name === "ledger" ? ledger : name === "check" ? check : Reflect.get(object, name),
    }),
    put: (place) => {
      away = place === "away";
    },
  };
}
