/**
 * @module App: what every page starts, and the module of the page that is open.
 */
import { showSwitches, showTimes, turnPreference } from "./preferences.ts";
import type { Preference } from "./preferences.ts";

showTimes(document);
showSwitches();

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest<HTMLElement>("[data-switch]");
  const name = button?.dataset["switch"];
  if (name === undefined || name === "help") return;
  turnPreference(name as Preference);
});
