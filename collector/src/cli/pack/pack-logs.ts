/**
 * @module PackLogs: the rows of the table that rest on the audit log and on the log of retention:
 * access to the logs, and what was removed from them.
 */

import { compareTimes } from "@turnproof/semconv";

import type { PackFacts, PackRow } from "./pack-facts.ts";
import { capital } from "../../ui/display/capital.ts";

const accessRow = {
  article: "12 (traceability)",
  duty: "Access to the logs is recorded, and the record shows later changes.",
} as const;

/** Needs receipts, accesses of the window and a tree head over them: deletions are no access. */
export function traceability(facts: PackFacts): PackRow {
  const { audit, events } = facts;
  if (audit === null) {
    return { ...accessRow, state: "not_evidenced", because: "No audit log is configured." };
  }
  if (!audit.ok) {
    const because = `The audit log has ${audit.findings} findings.`;
    return { ...accessRow, state: "not_evidenced", because };
  }
  const { accesses = 0, covered = false } = audit.window ?? {};
  const missing = [
    ...(events.first_received === null ? ["no receipt lies in the window"] : []),
    ...(accesses === 0 ? ["the audit log has no access in the window"] : []),
  ];
  if (missing.length > 0) {
    return { ...accessRow, state: "not_evidenced", because: sentence(missing) };
  }
  const lacks = [
    ...(audit.tree_head === null || !covered
      ? ["no signed tree head covers all records of the window"]
      : []),
    ...unrecordedTimes(facts),
  ];
  if (lacks.length > 0) return { ...accessRow, state: "partial", because: sentence(lacks) };
  const because = `${accesses} accesses of the window are recorded, and ${audit.records} records hold under the signed tree head.`;
  return { ...accessRow, state: "proven", because };
}

/** Times of the window whose accesses are in no record; earlier rules did not look for them. */
function unrecordedTimes({
  from,
  events,
  oldest_kept: oldest,
  audit,
}: PackFacts): readonly string[] {
  const { since = null, off = [] } = audit?.window ?? {};
  const kept = [events.first_received, oldest].filter((at) => at !== null);
  const isLate = since !== null && compareTimes(since, from) > 0;
  return [
    ...(isLate && kept.some((at) => compareTimes(at, since) < 0)
      ? [`accesses before ${since} are not recorded`]
      : []),
    ...off.map((time) => `accesses from ${time.from} to ${time.to} are not recorded`),
  ];
}

/** By the rules of packs without runs of retention, so that those verify as they were signed. */
export function earlierTraceability({ audit }: PackFacts): PackRow {
  if (audit === null) {
    return { ...accessRow, state: "not_evidenced", because: "No audit log is configured." };
  }
  if (!audit.ok) {
    const because = `The audit log has ${audit.findings} findings.`;
    return { ...accessRow, state: "not_evidenced", because };
  }
  if (audit.tree_head === null) {
    const because = "No checkpoint of the audit log is signed yet.";
    return { ...accessRow, state: "partial", because };
  }
  const because = `${audit.records} records hold under the signed tree head.`;
  return { ...accessRow, state: "proven", because };
}

/** Proven only where no removal by the collector's commands can be missing or without counts. */
export function removals(
  { from, to, audit, deletions, rules }: PackFacts,
  { log, since, runs }: NonNullable<PackFacts["retentions"]>,
): PackRow {
  const article = "12 (removals)";
  const duty = "What is removed from the logs is recorded, with its reason.";
  if (log === null || since === null) {
    const because = "No run of retention is recorded; runs of earlier versions are not.";
    const state = deletions.length > 0 ? "partial" : "not_evidenced";
    return { article, duty, state, because };
  }
  if (!log.ok) {
    const because = `The log of retention has ${log.findings} findings.`;
    return { article, duty, state: "not_evidenced", because };
  }
  const open = runs.filter(({ result }) => result === "begun" || result === "failed").length;
  const reasons = [
    ...(Date.parse(since) > Date.parse(from) ? [`runs before ${since} are not recorded`] : []),
    ...(open > 0 ? [`${open} runs have no recorded end`] : []),
    ...(log.tree_head === null ? ["no checkpoint of the log of retention is signed yet"] : []),
    ...(audit === null || !audit.ok ? ["deletions of users rest on no whole audit log"] : []),
    ...(deletions.some(({ reason }) => reason === "reason not recorded")
      ? ["a deletion of a user has no reason"]
      : []),
  ];
  if (reasons.length > 0) return { article, duty, state: "partial", because: sentence(reasons) };
  const users = deletions.filter(({ result }) => result !== "begun").length;
  const counts = `${runs.length} runs of retention with counts, and ${users} deletions of users with reasons`;
  // The first rules count those of the window alone.
  if (rules === undefined || rules === 2)
    return { article, duty, state: "proven", because: `${counts}.` };
  const after = [...runs, ...deletions.filter(({ result }) => result !== "begun")].filter(
    ({ at }) => compareTimes(at, to) >= 0,
  ).length;
  const because = `${counts}, up to the making of the pack; ${after} of them after the window.`;
  return { article, duty, state: "proven", because };
}

/** Reasons as one sentence. */
export function sentence(reasons: readonly string[]): string {
  return `${capital(reasons.join("; "))}.`;
}
