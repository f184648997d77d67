/**
 * @module Verify: walks an audit log, its rotated files and its checkpoints, and reports where the
 * chain was edited, truncated or reordered (`turnproof audit verify`).
 */
import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";

import type { Keyring } from "../keyring.ts";
import { openCheckpoint } from "./checkpoint.ts";
import { rotatedFiles } from "./recover.ts";
import { genesis, hashOfLine, openRecord } from "./record.ts";

/** A problem, and its record. */
interface AuditFinding {
  readonly code:
    | "audit_seal_broken"
    | "audit_chain_broken"
    | "audit_order_broken"
    | "audit_line_torn"
    | "audit_cut"
    | "audit_checkpoint_broken";
  /** Position in the whole log, from 1. */
  readonly record: number;
}

/** Result of a verification. */
export interface AuditVerification {
  readonly ok: boolean;
  readonly records: number;
  readonly checkpoints: number;
  readonly findings: readonly AuditFinding[];
}

/** Files to verify, and the keys. */
export interface VerifyOptions {
  readonly file: string;
  readonly keyring: Keyring;
  readonly origin: string;
  readonly publicKey: KeyObject;
  /** Path of the checkpoints, when not beside the file. */
  readonly checkpoints?: string;
}

/** State of a walk over the lines. */
interface Walk {
  readonly findings: AuditFinding[];
  /** Hash of each line by its record's number. */
  readonly heads: Map<number, string>;
  records: number;
  previous: string;
  /** Number that the next record has. */
  expected: number;
  /** The previous line was reported; its consequences are not reported again. */
  broken: boolean;
}

/** Verifies a whole log; a missing file is an empty log, which a checkpoint contradicts. */
export async function verifyAudit(options: VerifyOptions): Promise<AuditVerification> {
  const { file, keyring } = options;
  const walk: Walk = {
    findings: [],
    heads: new Map(),
    records: 0,
    previous: genesis,
    expected: 1,
    broken: false,
  };
  for (const path of [...(await rotatedFiles(file)), file]) {
    // A file that is gone shows as a gap in the chain.
    const text = await readFile(path, "utf8").catch(() => "");
    if (text === "") continue;
    if (!text.endsWith("\n")) {
      walk.findings.push({ code: "audit_line_torn", record: walk.records + 1 });
    }
    for (const line of text.split("\n")) if (line !== "") readLine(walk, line, keyring);
  }
  const place = options.checkpoints ?? `${file}.checkpoints`;
  // Without checkpoints the chain alone is checked; the report has their number.
  const lines = (await readFile(place, "utf8").catch(() => "")).split("\n").filter(Boolean);
  for (const line of lines) readCheckpoint(walk, line, options);
  const { findings, records } = walk;
  return { ok: findings.length === 0, records, checkpoints: lines.length, findings };
}

/** One edited or removed line is one finding, at the first record that shows it. */
function readLine(walk: Walk, line: string, keyring: Keyring): void {
  const record = openRecord(line, keyring);
  walk.records += 1;
  const at = walk.records;
  if (record === undefined) walk.findings.push({ code: "audit_seal_broken", record: at });
  else if (record.prev !== walk.previous && !walk.broken) {
    walk.findings.push({ code: "audit_chain_broken", record: at });
  } else if (record.seq !== walk.expected) {
    walk.findings.push({ code: "audit_order_broken", record: at });
  }
  walk.broken = record === undefined;
  walk.previous = hashOfLine(line);
  if (record !== undefined) walk.heads.set(record.seq, walk.previous);
  walk.expected = (record?.seq ?? walk.expected) + 1;
}

function readCheckpoint(walk: Walk, line: string, options: VerifyOptions): void {
  const { findings, heads } = walk;
  const checkpoint = openCheckpoint(line, options.origin, options.publicKey);
  if (checkpoint === undefined) {
    findings.push({ code: "audit_checkpoint_broken", record: walk.records });
    return;
  }
  const head = heads.get(checkpoint.seq);
  const isGap = head === undefined && checkpoint.seq < walk.expected;
  if (head === checkpoint.head || (isGap && findings.length > 0)) return;
  const record = Math.min(checkpoint.seq, walk.records + 1);
  const isKnown = findings.some(({ code, record: at }) => code === "audit_cut" && at === record);
  if (!isKnown) findings.push({ code: "audit_cut", record });
}
