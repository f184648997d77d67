/** @module PreparedRefusal: how a store that accepts events only answers a prepared batch. */
import { CodedError } from "@turnproof/semconv";

/** `appendPrepared` of a provider that does not declare `prepared`; the caller sends the events. */
export async function refusePrepared(): Promise<never> {
  throw new CodedError("store_rejected_row");
}
