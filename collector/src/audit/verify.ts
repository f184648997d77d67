/**
 * @module Verify: walks an audit log, its rotated files and its checkpoints, and says where the
 * chain was edited, cut or reordered (`turnproof audit verify`).
 */
import type { KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";

import type { Keyring } from "../auth/keyring.ts";
import { openCheckpoint } from "./checkpoint.ts";
import { rotatedFiles } from "./recover.ts";
import { genesis, hashOfLine, openRecord } from "./record.ts";

/** What is wrong, and at which record. */
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

/** What is verified, and with which keys. */
export interface VerifyOptions {
  readonly file: string;
  readonly keyring: Keyring;
  readonly origin: string;
  readonly publicKey: KeyObject;
  /** Another place of the checkpoints than beside the file. */
  readonly checkpoints?: string;
}

/** Verifies a whole log; a missing file is an empty log, which a checkpoint contradicts. */
export async function verifyAudit(options: VerifyOptions): Promise<AuditVerification> {
  const { file, keyring, origin, publicKey } = options;
  const findings: AuditFinding[] = [];
  const heads: string[] = [];
  let previous = genesis;
  for (const path of [...(await rotatedFiles(file)), file]) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text === "") continue;
    if (!text.endsWith("\n")) findings.push({ code: "audit_line_torn", record: heads.length + 1 });
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const record = openRecord(line, keyring);
      const position = heads.length + 1;
      if (record === undefined) findings.push({ code: "audit_seal_broken", record: position });
      else if (record.seq !== position) {
        findings.push({ code: "audit_order_broken", record: position });
      }
      if (record !== undefined && record.prev !== previous) {
        findings.push({ code: "audit_chain_broken", record: position });
      }
      previous = hashOfLine(line);
      heads.push(previous);
    }
  }
  const place = options.checkpoints ?? `${file}.checkpoints`;
  const lines = (await readFile(place, "utf8").catch(() => "")).split("\n").filter(Boolean);
  for (const line of lines) {
    const checkpoint = openCheckpoint(line, origin, publicKey);
    if (checkpoint === undefined) {
      findings.push({ code: "audit_checkpoint_broken", record: heads.length });
    } else if (heads[checkpoint.seq - 1] !== checkpoint.head) {
      findings.push({ code: "audit_cut", record: Math.min(checkpoint.seq, heads.length + 1) });
    }
  }
  return {
    ok: findings.length === 0,
    records: heads.length,
    checkpoints: lines.length,
    findings,
  };
}
