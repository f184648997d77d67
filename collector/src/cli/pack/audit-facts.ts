/** @module AuditFacts: what the audit log and the log of retention show for an evidence pack. */
import { existsSync, readFileSync } from "node:fs";

import { compareTimes } from "@turnproof/semconv";

import { auditFileOf, retentionFileOf, retentionScopeOf } from "../../access/audit/audit-file.ts";
import { readPublicKey } from "../../access/audit/checkpoint.ts";
import { logLines } from "../../access/audit/lines.ts";
import { originOf, verifierKey } from "../../access/audit/note.ts";
import { deletedEvent, offEvent, openRecord } from "../../access/audit/record.ts";
import type { AuditRecord } from "../../access/audit/record.ts";
import { verifyAudit } from "../../access/audit/verify.ts";
import { readKeyring } from "../../access/stable-secret.ts";
import type { Config } from "../../config/config.ts";
import type { PackFacts, PackLog, PackRetention } from "./pack-facts.ts";

/** The logs' states, and the removals that they record since the start of the window. */
export interface AuditFacts {
  readonly log: PackFacts["audit"];
  readonly deletions: PackFacts["deletions"];
  readonly retentions: NonNullable<PackFacts["retentions"]>;
}

interface PackTimes {
  readonly from: string;
  readonly to: string;
}

/** Verifies the logs and reads them. */
export async function auditFacts(config: Config, times: PackTimes): Promise<AuditFacts> {
  const retentions = await retentionFacts(config, times);
  const file = auditFileOf(config);
  if (!existsSync(file)) return { log: null, deletions: [], retentions };
  const log = await logFacts(config, file, config.auditScope);
  const deletions: PackFacts["deletions"] = [];
  let accesses = 0;
  let last = 0;
  let since: string | null = null;
  let offFrom: string | undefined;
  const off: { from: string; to: string }[] = [];
  const endOff = (at: string): void => {
    if (offFrom !== undefined) off.push(...within({ from: offFrom, to: at }, times));
    offFrom = undefined;
  };
  for await (const record of recordsOf(config, file)) {
    since ??= record.ts;
    if (record.event === offEvent) offFrom ??= record.ts;
    else if (record.route !== undefined) endOff(record.ts);
    if (isIn(record, times)) {
      last = record.seq;
      if (record.route !== undefined) accesses += 1;
    }
    if (record.event !== deletedEvent || !mayRemove(record, times)) continue;
    const { ts: at, reason = "reason not recorded", result } = record;
    deletions.push({ at, reason, result });
  }
  endOff(times.to);
  const covered = last > 0 && sizeOf(log.tree_head) >= last;
  return { log: { ...log, window: { accesses, covered, since, off } }, deletions, retentions };
}

async function retentionFacts(
  config: Config,
  times: PackTimes,
): Promise<NonNullable<PackFacts["retentions"]>> {
  const file = retentionFileOf(config);
  if (!existsSync(file)) return { log: null, since: null, runs: [] };
  const log = await logFacts(config, file, retentionScopeOf(config));
  const runs: PackRetention[] = [];
  let since: string | null = null;
  for await (const record of recordsOf(config, file)) {
    since ??= record.ts;
    const { ts: at, reason = "reason not recorded", result, retention } = record;
    if (retention === undefined || !mayRemove(record, times)) continue;
    // The log has one writer at a time: an end is that of the start before it.
    if (result !== "begun" && runs.at(-1)?.result === "begun") runs.pop();
    runs.push({ at, reason, result: result as PackRetention["result"], ...retention });
  }
  return { log, since, runs };
}

async function* recordsOf(config: Config, file: string): AsyncGenerator<AuditRecord> {
  for await (const { lines } of logLines(file)) {
    const keyring = readKeyring(config.sessionSecret, config.dataDir);
    for (const line of lines) {
      const record = openRecord(line, keyring);
      if (record !== undefined) yield record;
    }
  }
}

/** The part of a time that lies in the window; none where it ends before or begins after. */
function within(time: PackTimes, window: PackTimes): readonly PackTimes[] {
  const from = compareTimes(time.from, window.from) < 0 ? window.from : time.from;
  const to = compareTimes(time.to, window.to) > 0 ? window.to : time.to;
  return compareTimes(from, to) < 0 ? [{ from, to }] : [];
}

function isIn({ ts }: AuditRecord, { from, to }: PackTimes): boolean {
  return compareTimes(ts, from) >= 0 && compareTimes(ts, to) < 0;
}

/** A removal after the end of the window takes rows of it too: the pack lacks them. */
function mayRemove({ ts }: AuditRecord, { from }: PackTimes): boolean {
  return compareTimes(ts, from) >= 0;
}

async function logFacts(config: Config, file: string, scope: string): Promise<PackLog> {
  const keyring = readKeyring(config.sessionSecret, config.dataDir);
  const publicKey = readPublicKey(config.dataDir);
  const result = await verifyAudit({
    file,
    keyring: () => keyring,
    origin: scope,
    publicKey: () => publicKey,
  });
  return {
    ok: result.ok,
    records: result.records,
    checkpoints: result.checkpoints,
    findings: result.findings_total,
    tree_head: newestNote(`${file}.checkpoints`, originOf(scope)),
    key: verifierKey(originOf(scope), publicKey),
  };
}

/** The last note of a file of checkpoints; null where there is none. */
function newestNote(file: string, origin: string): string | null {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const at = text.startsWith(`${origin}\n`) ? text.lastIndexOf(`${origin}\n`) : -1;
  return at < 0 ? null : text.slice(at);
}

/** Number of records under a note. */
function sizeOf(note: string | null): number {
  return Number(note?.split("\n")[1] ?? 0);
}
