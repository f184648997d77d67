/**
 * @module Failure: the error output of a command, with what to do next. Configuration problems are
 * a table, codes their sentence, anything else its name; with `--json` the code is written to
 * stdout as well.
 */
import { CodedError, codes } from "@turnproof/semconv";
import type { CodeRow } from "@turnproof/semconv";

import { ConfigError } from "../config/read-config.ts";
import { isFull } from "../access/audit/reserve.ts";
import { deletionReasons } from "../access/audit/deletion-reason.ts";
import { Refusal } from "./client.ts";
import { UnreadableLine } from "./event-file.ts";
import { optionAdvice } from "./report-format.ts";
import { reasonAdvice, refusedCall } from "./system-failure.ts";
import { exitCodes, fail, printJson, printTable } from "./terminal.ts";

/** How a failure is reported. */
export interface FailureOptions {
  readonly json?: boolean;
  /** Exit code of a refusal and of a failure, where 1 has another meaning; default 1. */
  readonly refusedCode?: number;
  /** Options of the command's range; default `--since` and `--until`. */
  readonly rangeOptions?: readonly [string, string];
  /** Where a start writes: a full disk names it. */
  readonly dataDir?: string;
}

/** Runs a command; an error becomes a sentence and an exit code. */
export async function attempt(options: FailureOptions, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(error, options);
  }
}

/** What to do next, by code. */
const advice: { readonly [code: string]: string | undefined } = {
  journal_locked: "Stop the other collector, or choose another --data-dir.",
  store_locked: "Stop the other collector, or choose another --data-dir.",
  store_refused_statement: "Use PostgreSQL 15 or later; waiting does not help.",
  store_corrupt:
    "Restore that folder of the data directory, or move it away to start without what it holds; " +
    "the journal keeps what was not stored yet.",
  disk_full: "Make room on the disk of the data directory, or of the place that is named.",
  folder_locked: "Another run of the command fills it. Wait for its end.",
  key_unusable:
    "Restore the file in the data directory from a copy. To go on with a new key, remove the file " +
    "and its line in keys-made, or make an empty keys-made where there is none: what the old one " +
    "signed or keyed is then another's.",
  audit_unavailable: "Another collector may hold the file (TURNPROOF_UI_AUDIT_LOG).",
  data_directory_other:
    "Name the collector's own with --data-dir or TURNPROOF_DATA_DIR, and its TURNPROOF_SIGNING_KEY " +
    "where it has one. After a change of the key, restart the collector first.",
  export_damaged: "Export again into another folder.",
  unreachable: "Start it with `turnproof`, or name another with --url or TURNPROOF_URL.",
  answer_incomplete: "Run the command again; an export to files continues with --resume.",
  url_invalid: "Name it with --url or TURNPROOF_URL, e.g. http://127.0.0.1:4318.",
  unauthenticated: "Name a token with --token or TURNPROOF_TOKEN.",
  forbidden: "Another role is needed; `/settings.json` shows the role of this token.",
  sides_overlap:
    "Without the turns that both sides have, the baseline is empty. Exclude them by a term of the " +
    "baseline, such as -release:3.3.",
  not_configured: "`turnproof doctor` lists what is set.",
};

/**
 * What to do next after a failure, in sentences: by the system's reason where the field has one,
 * else by the code.
 */
export function adviceOf(code: string, field = ""): string | undefined {
  return reasonAdvice(field) ?? advice[code];
}

/** The same for a parameter that the collector refused. */
const parameterAdvice: { readonly [field: string]: string | undefined } = {
  ...optionAdvice,
  out:
    "--out names a new or empty folder; `turnproof export` also takes one of an earlier export. " +
    "Name another folder, or empty this one.",
  reason: `--reason takes one of ${deletionReasons.join(", ")}; the log takes no free text.`,
  resume:
    "The folder has an export: --resume continues one with the same table, format and filters. " +
    "Else name another folder.",
};

/** Reports an error and sets the exit code; prints no value and no stack. */
export function reportFailure(error: unknown, options: FailureOptions = {}): void {
  if (error instanceof ConfigError) {
    if (options.json === true) printJson({ code: error.code, problems: error.problems });
    else {
      const rows = error.problems.map(({ variable, problem }) => [variable, problem]);
      printTable(["VARIABLE", "PROBLEM"], rows);
    }
    const { length } = error.problems;
    const count = length === 1 ? "1 problem" : `${length} problems`;
    fail(`The configuration has ${count}. (${error.code})`, exitCodes.usage);
    return;
  }
  const { code, sentence, field, exitCode = exitCodes.failed } = failureOf(error, options);
  if (options.json === true) printJson({ code, detail: sentence, ...field });
  const reported = adviceFor(code, field?.field ?? "", options.rangeOptions);
  const next = reported === undefined ? "" : ` ${reported}`;
  const where = field?.field === undefined ? "" : `, ${field.field}`;
  fail(`${sentence}${next} (${code}${where})`, exitCode);
}

const timeFields: ReadonlySet<string> = new Set(["start_time", "end_time", "from", "to"]);

function adviceFor(
  code: string,
  field: string,
  [start, end]: readonly [string, string] = ["--since", "--until"],
): string | undefined {
  if (code === "range_empty") {
    return `Swap ${start} and ${end}; what happens at ${end} is not part of the range.`;
  }
  if (code === "parameter_invalid" && timeFields.has(field)) {
    return `${start} and ${end} take dates or times such as 2026-11-21 or 2026-11-21T09:30:00Z.`;
  }
  if (code === "driver_missing") return `Run: ${field}`;
  return code === "parameter_invalid" ? parameterAdvice[field] : adviceOf(code, field);
}

/** Codes of an invalid call, found by the command or the collector. */
const wrongCalls: ReadonlySet<string> = new Set([
  "config_invalid",
  "file_unreadable",
  "file_unwritable",
  "filter_not_applicable",
  "folder_missing",
  "not_a_folder",
  "parameter_invalid",
  "parameter_repeated",
  "parameter_unknown",
  "range_empty",
  "sides_overlap",
  "url_invalid",
]);

interface CommandFailure {
  readonly code: string;
  readonly sentence: string;
  readonly field?: { readonly field: string };
  readonly exitCode?: number | undefined;
}

/** Whether an error, or what caused it, is a full disk. */
function isDiskFull(error: unknown): boolean {
  for (let of = error; of instanceof Error; of = of.cause) if (isFull(of)) return true;
  return false;
}

function failureOf(error: unknown, options: FailureOptions): CommandFailure {
  const { refusedCode, dataDir } = options;
  if (isDiskFull(error)) {
    const full = new CodedError("disk_full", dataDir === undefined ? {} : { field: dataDir });
    return failureOf(full, options);
  }
  if (CodedError.is(error)) {
    const { sentence }: CodeRow = codes[error.code];
    const { code, field } = error;
    return {
      code,
      sentence,
      ...(field === undefined ? {} : { field: { field } }),
      exitCode: wrongCalls.has(code) ? exitCodes.usage : refusedCode,
    };
  }
  if (error instanceof Refusal) {
    const { code, message: sentence, field } = error;
    return {
      code,
      sentence,
      ...(field === undefined ? {} : { field: { field } }),
      ...(wrongCalls.has(code) ? { exitCode: exitCodes.usage } : { exitCode: refusedCode }),
    };
  }
  const refused = refusedCall(error);
  if (refused !== undefined) return failureOf(refused, options);
  const exitCode = exitCodes.usage;
  if (error instanceof UnreadableLine) {
    const sentence = `Line ${error.line} of a file that was named is not JSON.`;
    return { code: "file_invalid", sentence, exitCode };
  }
  if (error instanceof SyntaxError) {
    return { code: "file_invalid", sentence: "A file that was named is not JSON.", exitCode };
  }
  const name = error instanceof Error ? error.name : "unknown";
  return { code: "internal_error", sentence: `Something failed: ${name}.`, exitCode: refusedCode };
}
