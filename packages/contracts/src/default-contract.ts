/** @module DefaultContract: what holds for a turn that declares nothing. */
import { defineContract } from "./language/contract.ts";
import type { TurnContract } from "./language/contract.ts";

/** The turn ended, nothing in it failed, and its tools succeeded. */
export const defaultContract: TurnContract = defineContract({
  name: "default",
  description: "The turn ended, nothing in it failed, and its tools succeeded.",
  expect: [{ clause: "ended" }, { clause: "no_errors" }, { clause: "tools_clean" }],
});
