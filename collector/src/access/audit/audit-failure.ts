/** @module AuditFailure: why the audit log cannot be written. */
import { basename } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { isFull } from "./reserve.ts";

/** Why the log cannot be written. */
export type AuditFailure = "audit_unavailable" | "disk_full";

/** Name of the file that an error is about, where it has one. */
export function fileOf(cause: unknown): string | undefined {
  if (CodedError.is(cause)) return cause.field;
  const { path } = cause as NodeJS.ErrnoException;
  return path === undefined ? undefined : basename(path);
}

/** A full disk ends by room, and any other failure by its cause. */
export function failureOf(cause: unknown): AuditFailure {
  const isNamed = CodedError.is(cause) && cause.code === "disk_full";
  return isNamed || isFull(cause) ? "disk_full" : "audit_unavailable";
}
