/**
 * @module Log: structured lines on stderr, with an allowlist of fields. An unlisted field does
 * not compile and is left out, so content cannot reach a log by mistake (faults W9).
 */
import { isoNow } from "@turnproof/semconv";
import pc from "picocolors";

/** Fields that a line may carry besides time, level and event. */
const fieldNames = [
  "accounts",
  "address",
  "at",
  "at_least",
  "attempt",
  "backend",
  "bytes",
  "cause",
  "code",
  "command",
  "count",
  "data_dir",
  "elapsed_ms",
  "ended",
  "error_type",
  "field",
  "file",
  "host",
  "limit",
  "lost_frames",
  "method",
  "parts",
  "path",
  "port",
  "principal",
  "reason",
  "record",
  "request_id",
  "result",
  "route",
  "sentence",
  "signal",
  "spans",
  "status",
  "table",
  "target",
  "url",
  "variable",
  "version",
] as const;
const allowed: ReadonlySet<string> = new Set(fieldNames);

type Fields = {
  readonly [Name in (typeof fieldNames)[number]]?: string | number | boolean | undefined;
};

/** Writes lines; each has an event name of the collector's own vocabulary. */
export interface Log {
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
}

type Level = "info" | "warn" | "error";

/** A log in the given form; `write` receives one line at a time. */
export function createLog(
  form: "json" | "pretty",
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const line = (level: Level, event: string, fields: Fields = {}): void => {
    const kept = Object.entries(fields).filter(
      ([name, value]) => allowed.has(name) && value !== undefined,
    );
    const time = isoNow();
    if (form === "json") {
      write(`${JSON.stringify({ time, level, event, ...Object.fromEntries(kept) })}\n`);
      return;
    }
    const paint = level === "error" ? pc.red : level === "warn" ? pc.yellow : pc.green;
    const rest = kept.map(([name, value]) => `${pc.dim(`${name}=`)}${String(value)}`).join(" ");
    write(`${pc.dim(time.slice(11, 23))} ${paint(level.padEnd(5))} ${event} ${rest}\n`);
  };
  return {
    info: (event, fields) => line("info", event, fields),
    warn: (event, fields) => line("warn", event, fields),
    error: (event, fields) => line("error", event, fields),
  };
}

/** A log that discards everything, for embedding and tests. */
export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };
