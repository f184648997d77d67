/** @module Observability: the judge's functions under the names of the requirements. */
export {
  buildCausalWaterfall,
  buildTraceHealth,
  compareTraceWindows,
  reconcileOutcome,
} from "@turnproof/evidence";
