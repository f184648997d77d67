/**
 * @module Notice: one line on standard error, for people who run an application and not for its
 * log. OpenTelemetry's own log is silent unless an application asks for it, so a set-up that does
 * not work would say nothing. `OTEL_LOG_LEVEL=none` keeps it silent.
 */
import type { Variables } from "./environment.ts";

/** Says a sentence in plain words; never content. */
export type Notice = (sentence: string) => void;

/** Says it on standard error, unless the variables silence it. */
export function noticeOn(variables: Variables): Notice {
  const silent = variables["OTEL_LOG_LEVEL"]?.trim().toLowerCase() === "none";
  return (sentence) => {
    if (!silent) process.stderr.write(`turnproof: ${sentence}\n`);
  };
}
