/**
 * @module DoctorEvidence: result of `turnproof doctor` for the filesystem store's evidence file.
 */
import { CodedError } from "@turnproof/semconv";
import { checkEvidenceFile } from "@turnproof/store/admin";
import type { EvidenceFileState } from "@turnproof/store/admin";

/** One check: its subject, its result, and what to do. */
export interface Check {
  readonly check: string;
  /** `unknown` where its subject could not be inspected. */
  readonly state: "ok" | "warn" | "unknown" | "fail";
  readonly message: string;
}

const check = "evidence file";
const restore = "restore the folder from a copy, or move it away to start without what it holds";

/** Most traces that a message names. */
const tracesNamedMax = 5;

/** How many traces, with the first of them. */
export function tracesText(count: number, roots: readonly string[]): string {
  const word = count === 1 ? "1 trace" : `${count} traces`;
  const named = roots.slice(0, tracesNamedMax);
  if (named.length === 0) return word;
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  return `${word} (${named.join(", ")}${more})`;
}

/** Sentences for each result, with what to do about it. */
const sentences: Readonly<
  Record<
    Exclude<EvidenceFileState["found"], "part_missing" | "rows_missing" | "rows_damaged">,
    string
  >
> = {
  whole: "It is whole.",
  none: "It will be made at the start.",
  damaged: `store_corrupt: evidence.sqlite is damaged; ${restore}.`,
  newer_version: "store_version_newer: a newer version wrote evidence.sqlite; start that version.",
  older_version: `store_corrupt: evidence.sqlite has an unknown version of its tables; ${restore}.`,
  log_unreadable:
    "store_corrupt: evidence.sqlite-wal cannot be read, and the next start drops it; " +
    "restore both files from one copy, or start to go on without what only the log held.",
  log_alone:
    "store_corrupt: evidence.sqlite-wal lies there without evidence.sqlite; " +
    "put the file that it belongs to beside it, or move it away.",
};

/** Checks the file in this folder and changes nothing. */
export async function evidenceCheck(folder: string): Promise<Check> {
  try {
    const look = await checkEvidenceFile(folder);
    if (look.found === "part_missing") {
      const message = `store_corrupt: evidence.sqlite lacks ${look.name}; ${restore}.`;
      return { check, state: "fail", message };
    }
    if (look.found === "rows_missing") {
      const message =
        `evidence_missing: ${look.rows} rows of ${look.roots} traces are gone from ` +
        `evidence.sqlite without a deletion; ${restore}.`;
      return { check, state: "fail", message };
    }
    if (look.found === "rows_damaged") {
      const message =
        `store_corrupt: evidence.sqlite has ${look.rows} ` +
        `${look.rows === 1 ? "bundle" : "bundles"} with changed bytes, in ` +
        `${tracesText(look.roots, look.traces)}; ${restore}.`;
      return { check, state: "fail", message };
    }
    const isWell = look.found === "whole" || look.found === "none";
    return { check, state: isWell ? "ok" : "fail", message: sentences[look.found] };
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    return { check, state: "fail", message: error.message };
  }
}
