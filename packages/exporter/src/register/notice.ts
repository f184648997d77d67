/**
 * @module Notice: one line on standard error, for people who run an application. OpenTelemetry's
 * own log is silent unless an application enables it, so a failed set-up would go unnoticed.
 * `OTEL_LOG_LEVEL=none` disables it.
 */
import type { Variables } from "./environment.ts";

/** Writes a sentence in plain words; never content. */
export type WriteNotice = (sentence: string) => void;

/** Writes to standard error, unless the variables disable it. */
export function noticeOn(variables: Variables): WriteNotice {
  const silent = variables["OTEL_LOG_LEVEL"]?.trim().toLowerCase() === "none";
  return (sentence) => {
    if (!silent) process.stderr.write(`turnproof: ${sentence}\n`);
  };
}
