/** @module StoreCheck: whether a store answers, and how long that took. */
import { CodedError } from "@turnproof/semconv";

import type { CheckResult } from "./evidence-store.ts";

/** Runs a small query; an error is a result too, by its code. */
export async function checkBy(request: () => Promise<unknown>): Promise<CheckResult> {
  const started = performance.now();
  try {
    await request();
    return { ok: true, elapsedMs: performance.now() - started };
  } catch (error) {
    const code = CodedError.is(error) ? error.code : "store_unavailable";
    const elapsedMs = performance.now() - started;
    const reason = CodedError.is(error) ? error.field : undefined;
    return { ok: false, code, ...(reason === undefined ? {} : { reason }), elapsedMs };
  }
}
