/**
 * @module Pending: disagreements that are not settled yet, each with its reason. Empty where the
 * judge and the oracle read the law alike.
 */
import type { Verdict } from "@turnproof/evidence";

import type { JudgedWindow, OracleVerdict } from "./law.ts";

/** True where a disagreement is known and listed here. */
export function isPending(
  _window: JudgedWindow,
  _expected: OracleVerdict,
  _verdict: Verdict,
): boolean {
  return false;
}
