/** @module AuditFailure: why the audit log cannot be written. */
import { basename } from "node:path";

import { systemField } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import { isFull } from "./reserve.ts";

/** Why the log cannot be written. */
export type AuditFailure = "audit_unavailable" | "disk_full";

/**
 * What prevents that a log is opened: path and reason of a failed system call, else the name of the
 * file that an error is about; the log itself where another writer has it.
 */
export function fieldOf(cause: unknown, file: string): string {
  return (
    systemField(cause, file) ?? (CodedError.is(cause) ? cause.field : undefined) ?? basename(file)
  );
}

/** A full disk ends by room, and any other failure by its cause. */
export function failureOf(cause: unknown): AuditFailure {
  const isNamed = CodedError.is(cause) && cause.code === "disk_full";
  return isNamed || isFull(cause) ? "disk_full" : "audit_unavailable";
}
