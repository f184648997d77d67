/** @module StoreReadiness: whether the store answers, and takes what the drain writes. */
import type { Parts } from "../parts.ts";

/** The store's state for probes and metrics. */
export interface StoreReadiness {
  readonly ok: boolean;
  /** Why it does not answer, or why it refused the last batch; null where neither is so. */
  readonly code: string | null;
}

/** Checks the store now. One that answers may be read-only, or its disk full. */
export async function storeReadiness({
  store,
  ingest,
}: Pick<Parts, "store" | "ingest">): Promise<StoreReadiness> {
  const { ok, code = null } = await store.check();
  if (!ok) return { ok, code };
  const { failure } = ingest.report().drain;
  return { ok: failure === null, code: failure };
}
