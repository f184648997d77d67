/** @module Observability: the judge's functions under the names that the requirements give them. */
export {
  buildCausalWaterfall,
  buildTraceHealth,
  compareTraceWindows,
  reconcileOutcome,
} from "@turnproof/evidence";
