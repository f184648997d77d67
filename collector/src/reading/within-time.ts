/** @module WithinTime: a call to another thread that has a time limit of its own. */
import { CodedError } from "@turnproof/semconv";

/** Limit in milliseconds, and what else is done at it. */
export interface TimeLimit {
  readonly answerMsMax: number;
  readonly late: () => void;
}

/**
 * The result of a call. At the limit its signal aborts, and the result is a failure whether or not
 * the other side reacts to it.
 * @throws CodedError `store_timeout` at the limit; otherwise what the call throws
 */
export async function withinTime<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { answerMsMax, late }: TimeLimit,
): Promise<T> {
  const stop = new AbortController();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    over.reject(new CodedError("store_timeout"));
    stop.abort();
    late();
  }, answerMsMax);
  timer.unref();
  try {
    return await Promise.race([call(stop.signal), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
