/**
 * @module Audit log: opens the log that every access is recorded in. It fails closed: a request
 * that cannot be recorded is not served (security: Audit).
 */
import { dirname } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import { newestCheckpoint } from "./extent.ts";
import { appendText, openLogFile } from "./log-file.ts";
import { recoverChain } from "./recover.ts";
import { cutEvent } from "./record.ts";
import { createReserve } from "./reserve.ts";
import { holdLog } from "./writer-lock.ts";
import type { AuditOptions, Audit } from "./contract.ts";
import { AuditWriter } from "./audit-writer.ts";
import { failureOf, fieldOf } from "./audit-failure.ts";

/**
 * Opens the log: takes the writer's lock, sets a torn last line aside and continues the chain.
 *
 * @throws CodedError `audit_unavailable` with path and reason of what cannot be read or written, or
 * naming the log that another writer has
 */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  try {
    makeDirectory(dirname(options.file));
    const lock = await holdLog(options.file, options.lock);
    try {
      const chain = await recoverChain(options.file, options.keyring);
      const newest = await newestCheckpoint(options.file, options.signer);
      const file = await openLogFile(options.file, options.append);
      const reserve = createReserve(`${options.file}.reserve`, options.append ?? appendText);
      const log = new AuditWriter(options, chain, { lock, reserve, file });
      await reserve.refill();
      // Which targets have it is stored nowhere, and a repeat is no finding.
      if (newest.note !== undefined) options.shipper?.ship(newest.size, newest.note);
      // The chain keeps it: later checkpoints and states of the tree fit the shorter log.
      const isCut = Math.max(newest.size, chain.keptSize) > Math.max(chain.seq, chain.tree.size);
      if (isCut) await log.append({ event: cutEvent, result: "audit_cut" });
      if (chain.torn) await log.append({ event: "log.recovered", result: "ok" });
      log.coverAfter(newest.size);
      void log.checkStart(newest.bytes);
      return log;
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (cause) {
    throw new CodedError(failureOf(cause), {
      field: fieldOf(cause, options.file),
      cause,
    });
  }
}
