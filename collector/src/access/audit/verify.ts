/**
 * @module Verify: walks an audit log, its rotated files and its checkpoints, and reports where the
 * chain was edited, truncated or reordered (`turnproof audit verify`). Files are read in parts, so
 * memory does not grow with the log.
 */
import type { KeyObject } from "node:crypto";

import type { Keyring } from "../keyring.ts";
import type { AuditCheckpoint } from "./checkpoint.ts";
import { ownCheckpoints, receivedCheckpoints } from "./checkpoint-walk.ts";
import type { FiledCheckpoint } from "./checkpoint-walk.ts";
import type { LogExtent } from "./extent.ts";
import { logLines } from "./lines.ts";
import { createTree, hashLeaf } from "./merkle.ts";
import type { Tree } from "./merkle.ts";
import { keptTree } from "./recover.ts";
import { cutEvent, deletedEvent, genesis, hashOfLine, openRecord } from "./record.ts";
import { hasSalt, leafHolds, leafOf, prevOf, subjectOf } from "./record.ts";
import type { AuditRecord } from "./record.ts";
import { openSalts, saltsFile } from "./salts.ts";
import type { Salts } from "./salts.ts";

/** A problem, and its record. */
export interface AuditFinding {
  readonly code:
    | "audit_seal_broken"
    | "audit_chain_broken"
    | "audit_order_broken"
    | "audit_line_torn"
    | "audit_leaf_broken"
    | "audit_cut"
    | "audit_salts_missing"
    | "audit_history_differs"
    | "audit_checkpoint_broken"
    | "audit_checkpoint_cut"
    | "audit_wrong_key";
  /** Position in the whole log, from 1. */
  readonly record: number;
  /** Number of checkpoints that it concerns. */
  readonly checkpoints?: number;
}

/** Result of a verification. */
export interface AuditVerification {
  readonly ok: boolean;
  readonly records: number;
  readonly checkpoints: number;
  /**
   * Received checkpoints that are there only in part, as a full disk or an interrupted copy leaves
   * them. They cover nothing and are no finding; `checkpoints` does not count them.
   */
  readonly checkpoints_cut: number;
  /**
   * Records whose salt was removed: nothing compares their contents with their leaves any more, so
   * that they rest on the seal alone, whose key is on the host.
   */
  readonly unsalted: number;
  /** The first ones; `findings_total` counts all. */
  readonly findings: readonly AuditFinding[];
  readonly findings_total: number;
}

/** Files to verify, and the keys. */
export interface VerifyOptions {
  readonly file: string;
  /** Keys of the seals, called when there is a record. */
  readonly keyring: () => Keyring;
  /** The audit scope. */
  readonly origin: string;
  /** Key of the checkpoints, called when there is one. */
  readonly publicKey: () => KeyObject;
  /** Files of checkpoints that were received elsewhere, instead of the one beside the log. */
  readonly checkpoints?: readonly string[];
  /** Checks only what was there at a start: the log is being written. */
  readonly extent?: LogExtent;
}

/** Most salts that a deletion removes: a user's id has two stored forms at most. */
const saltsOfDeletion = 2;

/** Findings that are listed. */
const listedMax = 1_000;

/** State of a walk over the lines. */
class Walk {
  readonly salts: Salts;
  readonly findings: AuditFinding[] = [];
  total = 0;
  records = 0;
  previous: string = genesis;
  /** Number that the next record has. */
  expected = 1;
  /** The previous line was reported; its consequences are not reported again. */
  broken = false;
  sealed = 0;
  /**
   * First of the lines before this one whose seals do not open, one after the other; 0 for none.
   */
  unopened = 0;
  /** Runs of lines that another key sealed. */
  foreignRuns = 0;
  unsalted = 0;
  /** First record without its salt, and the first of those that are of no user; 0 for none. */
  firstUnsalted = 0;
  firstOwnUnsalted = 0;
  /** Subjects without their salt; those of users among them are counted. */
  readonly unsaltedSubjects = new Set<string>();
  unsaltedUsers = 0;
  /** Records at the start of a deletion, and at its end, which alone earlier versions wrote. */
  deletionsBegun = 0;
  deletionsEnded = 0;
  readonly tree: Tree = createTree();
  cuts = 0;
  /** Findings about checkpoints themselves, which change no root of the log. */
  ofCheckpoints = 0;
  /** Cuts that a start found and recorded. */
  recordedCuts = 0;

  constructor(salts: Salts) {
    this.salts = salts;
  }

  report(code: AuditFinding["code"], record: number): void {
    const last = this.findings.at(-1);
    if (code === "audit_cut" && last?.code === code && last.record === record) return;
    this.total += 1;
    if (code === "audit_cut") this.cuts += 1;
    if (this.findings.length < listedMax) this.findings.push({ code, record });
  }

  /** The lines since `unopened`, up to `last`, were edited. */
  reportEdited(last: number): void {
    for (let at = this.unopened; at <= last; at += 1) this.report("audit_seal_broken", at);
    this.unopened = 0;
  }

  reportCheckpoint(code: "audit_checkpoint_broken" | "audit_checkpoint_cut", record: number): void {
    this.ofCheckpoints += 1;
    this.report(code, Math.max(1, record));
  }

  /** One finding for all checkpoints of another key. */
  reportForeign(): void {
    const at = this.findings.findIndex(({ checkpoints }) => checkpoints !== undefined);
    const { record, checkpoints = 0 } = this.findings[at] ?? { record: Math.max(1, this.records) };
    const finding = { code: "audit_wrong_key", record, checkpoints: checkpoints + 1 } as const;
    if (at >= 0) this.findings[at] = finding;
    else {
      this.total += 1;
      this.ofCheckpoints += 1;
      this.findings.push(finding);
    }
  }

  /** First record without its salt where salts are gone that no deletion removes; 0 for none. */
  get lostSalt(): number {
    const removable = saltsOfDeletion * Math.max(this.deletionsBegun, this.deletionsEnded);
    if (this.salts.missing || this.unsaltedUsers > removable) return this.firstUnsalted;
    return this.firstOwnUnsalted;
  }

  /** Counts a record without its salt. */
  countUnsalted({ subject }: AuditRecord, own: string, at: number): void {
    this.unsalted += 1;
    this.firstUnsalted ||= at;
    if (subject === undefined) this.firstOwnUnsalted ||= at;
    else if (!this.unsaltedSubjects.has(own)) this.unsaltedUsers += 1;
    this.unsaltedSubjects.add(own);
  }

  /** Whether the only thing wrong so far is that every seal was made with another key. */
  get foreignSeals(): boolean {
    return this.records > 0 && this.sealed === 0 && this.total - this.cuts >= this.records;
  }
}

/** Verifies a whole log; a missing file is an empty log, which a checkpoint contradicts. */
export async function verifyAudit(options: VerifyOptions): Promise<AuditVerification> {
  const { file, extent } = options;
  let keyring: Keyring | undefined;
  // Before anything is awaited: a writer makes the file of salts anew.
  const walk = new Walk(openSalts(saltsFile(file)));
  // Before the lines: a writer keeps the state of later ones.
  const kept = (await keptTree(file))?.size ?? 0;
  const { origin: scope, publicKey, checkpoints: received } = options;
  const key = { scope, publicKey, bytes: extent?.checkpointBytes };
  const checkpoints = await (received === undefined
    ? ownCheckpoints(`${file}.checkpoints`, key)
    : receivedCheckpoints(received, key));
  const compareUpTo = async (size: number): Promise<void> => {
    for (let next = await checkpoints.due(size); next !== undefined;) {
      compare(walk, next);
      next = await checkpoints.due(size);
    }
  };
  await compareUpTo(0);
  const recordsMax = extent?.records ?? Number.POSITIVE_INFINITY;
  for await (const { lines, torn } of logLines(file)) {
    if (walk.records >= recordsMax) break;
    if (torn) walk.report("audit_line_torn", walk.records + 1);
    for (const line of lines.slice(0, recordsMax - walk.records)) {
      keyring ??= options.keyring();
      readLine(walk, line, keyring);
      if (checkpoints.dueSize <= walk.tree.size) await compareUpTo(walk.tree.size);
    }
  }
  if (walk.unopened > 0) walk.reportEdited(walk.records);
  await compareUpTo(Number.POSITIVE_INFINITY);
  const isWhole = recordsMax === Number.POSITIVE_INFINITY;
  if (isWhole && kept > walk.expected - 1 && walk.cuts === 0) {
    walk.report("audit_cut", walk.records + 1);
  }
  if (walk.lostSalt > 0) walk.report("audit_salts_missing", walk.lostSalt);
  const { findings, records, total, unsalted } = walk;
  const { count, cut } = checkpoints;
  const counts = { records, checkpoints: count, checkpoints_cut: cut, unsalted } as const;
  if (walk.foreignSeals) {
    const found = [{ code: "audit_wrong_key", record: 1 }] as const;
    return { ok: false, ...counts, findings: found, findings_total: 1 };
  }
  return { ok: total === 0, ...counts, findings, findings_total: total };
}

/**
 * One edited or removed line is one finding, at the first record that shows it, and so are lines of
 * another key that follow each other.
 */
function readLine(walk: Walk, line: string, keyring: Keyring): void {
  const record = openRecord(line, keyring);
  walk.records += 1;
  const at = walk.records;
  // The log may be written meanwhile: a salt is stored before the first line that it is for.
  if (record !== undefined && !walk.unsaltedSubjects.has(subjectOf(record))) {
    if (!hasSalt(record, walk.salts)) walk.salts.reread();
  }
  if (walk.unopened > 0) endRun(walk, record?.prev ?? prevOf(line), record !== undefined);
  if (record === undefined) walk.unopened ||= at;
  else if (record.prev !== walk.previous && !walk.broken) walk.report("audit_chain_broken", at);
  else if (record.seq !== walk.expected) walk.report("audit_order_broken", at);
  else if (!leafHolds(line, record, walk.salts)) walk.report("audit_leaf_broken", at);
  if (record?.event === cutEvent) {
    walk.recordedCuts += 1;
    walk.report("audit_cut", at);
  }
  if (record !== undefined) walk.sealed += 1;
  if (record?.event === deletedEvent) {
    if (record.result === "begun") walk.deletionsBegun += 1;
    else walk.deletionsEnded += 1;
  }
  if (record !== undefined && !hasSalt(record, walk.salts)) {
    walk.countUnsalted(record, subjectOf(record), at);
  }
  walk.broken = record === undefined;
  walk.previous = hashOfLine(line);
  walk.expected = (record?.seq ?? walk.expected) + 1;
  walk.tree.append(hashLeaf(leafOf(line)));
}

/**
 * A line that continues the chain shows that the one before it was not edited since. Where it
 * opens, it proves so for the lines before it whose seals do not: another key made them.
 */
function endRun(walk: Walk, prev: string | undefined, opens: boolean): void {
  if (prev !== walk.previous) return walk.reportEdited(walk.records - 1);
  if (!opens) return;
  walk.foreignRuns += 1;
  walk.report("audit_wrong_key", walk.unopened);
  walk.unopened = 0;
}

/** Compares a checkpoint with the log so far, which has its size or is shorter. */
function compare(walk: Walk, { checkpoint, sizeBefore }: FiledCheckpoint): void {
  if (checkpoint.of === "wrong_key") walk.reportForeign();
  else if (checkpoint.of === "cut" || checkpoint.of === "other") {
    walk.reportCheckpoint("audit_checkpoint_cut", walk.records);
  } else if (checkpoint.of === "broken") {
    walk.reportCheckpoint("audit_checkpoint_broken", walk.records);
  } else compareHead(walk, checkpoint, sizeBefore);
}

function compareHead(
  walk: Walk,
  head: Extract<AuditCheckpoint, { readonly size: number }>,
  sizeBefore: number,
): void {
  const { tree, records } = walk;
  // Where the log records a cut itself, checkpoints before it are about what is gone.
  const isRecorded = walk.recordedCuts > 0;
  if (head.size > tree.size) {
    // A line that was dropped and reported before makes a log shorter than its checkpoints state.
    if (head.size > walk.expected - 1 && !isRecorded) walk.report("audit_cut", records + 1);
    return;
  }
  if (head.size < tree.size) {
    if (head.size < sizeBefore && !isRecorded) {
      walk.reportCheckpoint("audit_checkpoint_broken", head.size);
    }
    return;
  }
  const same =
    head.of === "chain"
      ? head.head === walk.previous
      : head.root === tree.root().toString("base64");
  // What was found in lines before it makes every later root another one.
  const isClean = walk.total === walk.foreignRuns + walk.ofCheckpoints && walk.unopened === 0;
  if (!same && isClean) walk.report("audit_history_differs", head.size);
}
