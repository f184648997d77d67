/** @module StoreUnavailable: whether the store answers now, and if not, which host and why. */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import { reasonWords } from "./store-reason.ts";

/** Why a store cannot be used. */
export interface StoreUnavailable {
  /** Code of its check. */
  readonly code: string;
  /** The same in words. */
  readonly reason: string;
}

/** Null where the store answers its check. */
export async function storeUnavailable({
  store,
  server,
}: {
  readonly store: Pick<EvidenceStore, "check">;
  /** Its host; null for one in the data directory. */
  readonly server: string | null;
}): Promise<StoreUnavailable | null> {
  const { ok, code = "internal_error", reason } = await store.check();
  const isServer = server !== null;
  return ok ? null : { code, reason: reasonWords({ code, field: reason, isServer }) };
}

/** Where a store is that cannot be reached, and why. */
export interface StorePlace {
  /** Host and port of its server, without credentials; null for one in the data directory. */
  readonly host: string | null;
  /** Null where it is unknown. */
  readonly reason: string | null;
}

/** Undefined where the error is another one than that of a store which cannot be reached. */
export function placeOf(error: Error, server: string | null): StorePlace | undefined {
  if (!CodedError.is(error) || error.code !== "store_unavailable") return undefined;
  const { code, field } = error;
  const isServer = server !== null;
  const reason = field === undefined ? null : reasonWords({ code, field, isServer });
  return { host: server, reason };
}
