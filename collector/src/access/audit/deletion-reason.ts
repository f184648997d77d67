/**
 * @module Deletion reason: why a user is deleted. The list is closed, so that no content enters the
 * audit log.
 */
import { CodedError } from "@turnproof/semconv";

/** The reasons that a record may have. */
export const deletionReasons = [
  "user_request",
  "contract_ended",
  "legal_order",
  "mistaken_collection",
] as const;
export type DeletionReason = (typeof deletionReasons)[number];

/**
 * The reason with this code; undefined without one.
 *
 * @throws CodedError `parameter_invalid` for any other text, without the text
 */
export function deletionReason(code: string | undefined): DeletionReason | undefined {
  if (code === undefined) return undefined;
  const reason = deletionReasons.find((known) => known === code);
  if (reason === undefined) throw new CodedError("parameter_invalid", { field: "reason" });
  return reason;
}
