/**
 * @module Advice: what an operator does about a loss of a service or of one of its processes, and
 * about a refusal.
 */
import type { ProducerLoss } from "@turnproof/evidence";
import { codes } from "@turnproof/semconv";

import { countText, wordsOf } from "../../ui/display/figures.ts";
import type { ProcessRange, ProducerRange } from "./range-rows.ts";

/** What to do about reasons that processes report. */
const lossAdvice: { readonly [reason: string]: string } = {
  queue_full: "Give its span processor a larger queue or a spool, or send to a nearer collector.",
  shutdown_deadline: "Call shutdown and wait for it before the process ends, or use a spool.",
  export_failed: "Check its log and its connection to this collector; use a spool.",
  span_unmapped: "Its spans have invalid span ids: check its instrumentation.",
};

/** The same of a reason that refusals of this collector may have caused. */
const refusedAdvice: typeof lossAdvice = {
  export_failed:
    "Check the refusals on this page and its connection to this collector; use a spool.",
};

/** What to do about refusals by code; for other codes their sentence is shown. */
const refusalAdvice: { readonly [code: string]: string } = {
  unauthenticated: "Give the sender a token of TURNPROOF_INGEST_TOKENS.",
  throttled: "A sender repeats an invalid token: find it by its address, and give it a valid one.",
  ingest_off: "Receiving is switched off: set TURNPROOF_INGEST=on.",
  journal_full: "Check the store: it stores less than arrives. The sender retries.",
  journal_failed: "Check the disk of the data directory. The sender retries.",
  overloaded: "Configure smaller batches, or add a collector. The sender retries.",
  body_too_large: "Configure smaller batches; a request of this size is always refused.",
  metrics_not_accepted: "Send metrics elsewhere: the collector does not store metrics.",
  span_application_foreign:
    "The token is bound to another application: give it a token of its own.",
};

const notSeen = "Contact an operator of all tenants: losses are of whole processes.";
const notReadable = "Repair the store first: the reports of its processes cannot be read.";
const addProcessor =
  "Add Turnproof's span processor to it: it numbers events and reports what it lost.";

const neverReported = "Check whether it was killed before its first report.";

/** By the most frequent reason of a loss. */
function reasonAdvice(reasons: Readonly<Record<string, number>>, refusals: boolean): string {
  const [reason] = Object.entries(reasons).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (reason === undefined) return "Its report gives no reason: check its log.";
  const refused = refusals ? refusedAdvice[reason] : undefined;
  if (refused !== undefined) return refused;
  return lossAdvice[reason] ?? `It reports “${wordsOf(reason)}”: check its log.`;
}

function writeAdvice(failures: number): string {
  return `Its recorder failed to write ${countText(failures)} times: check its store.`;
}

/**
 * One sentence about a process in the newest rows; `part`: the reader may read only a part of its
 * events; `refusals`: the page shows what this collector refused.
 */
export function processAdvice(
  of: ProducerLoss,
  { part = false, refusals = false }: { readonly part?: boolean; readonly refusals?: boolean } = {},
): string {
  const { producer_id: id, lost, reported, write_failures: failures } = of;
  if (part) return notSeen;
  if (lost !== null && lost > 0) {
    const reasons = reported?.reasons ?? {};
    const counted = Object.values(reasons).reduce((sum, count) => sum + count, 0);
    return (of.sequence_gaps ?? 0) >= lost && lost > 2 * counted
      ? "Most numbers never arrived: check what is between it and this collector."
      : reasonAdvice(reasons, refusals);
  }
  if ((failures ?? 0) > 0) return writeAdvice(failures ?? 0);
  if (id === null) return addProcessor;
  if (reported === null) return neverReported;
  return of.state === "unknown"
    ? "Widen the range, so that more of its events are read."
    : "Nothing.";
}

/** One sentence about a service. `reports`: of processes, which not every principal may see. */
export function producerAdvice(
  of: Omit<ProducerRange, "what_to_do">,
  {
    late,
    silent,
    reports,
    refusals,
  }: {
    readonly late: boolean;
    readonly silent: boolean;
    readonly reports: "read" | "hidden" | "unreadable";
    readonly refusals: boolean;
  },
): string {
  if (reports === "hidden") return notSeen;
  if (reports === "unreadable") return notReadable;
  if ((of.lost ?? 0) > 0) return reasonAdvice(of.reasons, refusals);
  if ((of.write_failures ?? 0) > 0) return writeAdvice(of.write_failures ?? 0);
  if (of.service === null) return "Set service.name in the resource of its SDK.";
  if (of.processes === 0) return addProcessor;
  if (silent) return "Add Turnproof's span processor to all of its processes: some never report.";
  if (late) return "A process sent nothing after its last turn: see whether it was killed.";
  if ((of.sampled_out ?? 0) > 0) return "Nothing is lost; sampling left events out on purpose.";
  return "Nothing.";
}

/** One sentence about a process in a range. */
export function rangeProcessAdvice(
  of: Omit<ProcessRange, "what_to_do">,
  { late, refusals }: { readonly late: boolean; readonly refusals: boolean },
): string {
  if ((of.lost ?? 0) > 0) return reasonAdvice(of.reasons, refusals);
  if ((of.write_failures ?? 0) > 0) return writeAdvice(of.write_failures ?? 0);
  if (of.producer_id === null) return addProcessor;
  if (of.lost === null) return neverReported;
  return late ? "It sent nothing after its last turn: see whether it was killed." : "Nothing.";
}

/** One sentence about a refusal. */
export function refusalText(code: string): string {
  const own = Object.hasOwn(refusalAdvice, code) ? refusalAdvice[code] : undefined;
  if (own !== undefined) return own;
  return Object.hasOwn(codes, code) ? codes[code as keyof typeof codes].sentence : wordsOf(code);
}
