/** @module CallMeasures: what is measured of one call. */

import { elapsedMs } from "@turnproof/semconv";

import type { Call } from "./call.ts";

/** Measures of a call; undefined is not recorded. */
export interface CallMeasures {
  readonly duration_ms: number | undefined;
  readonly first_token_ms: number | undefined;
  readonly tokens: number | undefined;
  readonly results: number | undefined;
}

/** The measures of a call. */
export function callMeasures({ event, start, end, finished }: Call): CallMeasures {
  const { attributes: stated } = event;
  const own =
    event.duration_ms ??
    (start === undefined || end === undefined ? undefined : elapsedMs(start, end));
  const chunk = stated.time_to_first_chunk;
  return {
    duration_ms: finished ? own : undefined,
    first_token_ms: stated.ttft_ms ?? (chunk === undefined ? undefined : chunk * 1_000),
    tokens:
      stated.total_tokens ??
      (stated.input_tokens === undefined || stated.output_tokens === undefined
        ? undefined
        : stated.input_tokens + stated.output_tokens),
    results: stated.result_count,
  };
}
