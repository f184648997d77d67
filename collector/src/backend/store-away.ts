/** @module StoreAway: whether the store can be used now, for pages that have a part without it. */
import type { EvidenceStore } from "@turnproof/store";

import { reasonWords } from "./store-reason.ts";

/** Why a store cannot be used. */
export interface StoreAway {
  /** Code of its check. */
  readonly code: string;
  /** The same in words. */
  readonly reason: string;
}

/** Null where the store answers its check. */
export async function storeAway({
  store,
  server,
}: {
  readonly store: Pick<EvidenceStore, "check">;
  /** Its host; null for one in the data directory. */
  readonly server: string | null;
}): Promise<StoreAway | null> {
  const { ok, code = "internal_error", reason } = await store.check();
  const isServer = server !== null;
  return ok ? null : { code, reason: reasonWords({ code, field: reason, isServer }) };
}
