/**
 * @module Settings in the browser: the switches of theme, rows and clock as named choices.
 */
import { findAll, find } from "../../ui/client/page.ts";
import { preference, turnPreference } from "../../ui/client/preferences.ts";
import type { Preference } from "../../ui/client/preferences.ts";

/** Starts the page. */
export function start(): void {
  const box = find("[data-choices]");
  if (box === undefined) return;
  box.hidden = false;
  const choices = findAll<HTMLInputElement>("[data-choice]", box);
  const nameOf = (choice: HTMLInputElement): Preference => choice.dataset["choice"] as Preference;
  const show = (): void => {
    for (const choice of choices) choice.checked = preference(nameOf(choice)) === choice.value;
  };
  box.addEventListener("change", (event) => {
    const choice = event.target as HTMLInputElement;
    const name = nameOf(choice);
    // A switch cycles through its values; three steps pass every one of them.
    for (let turn = 0; turn < 3 && preference(name) !== choice.value; turn += 1) {
      turnPreference(name);
    }
  });
  window.addEventListener("turnproof:preference", show);
  show();
}
