/** @module Alerts in the browser: what is refused is explained at its form. */
import { startInlineProblems } from "../../ui/client/inline-problem.ts";
import { find } from "../../ui/client/page.ts";

/** Starts the page. */
export function start(): void {
  startInlineProblems("main");
  // A browser gives no focus by `autofocus` where the address has a fragment.
  find("#draft[aria-invalid]")?.focus();
}
