/** @module Preferences: theme, clock and density, stored only in the browser. */
import { timeText } from "../display/figures.ts";
import type { DisplayClock, TimeForm } from "../display/figures.ts";
import { showTicks } from "./time-axis.ts";

const choices = {
  theme: ["system", "light", "dark"],
  density: ["normal", "dense"],
  clock: ["utc", "local"],
} as const;

/** Name of a preference. */
export type Preference = keyof typeof choices;

const names: { readonly [value: string]: string } = {
  system: "Theme: system",
  light: "Theme: light",
  dark: "Theme: dark",
  normal: "Rows: normal",
  dense: "Rows: dense",
  utc: "Times in UTC",
  local: "Times in local time",
};

/** The chosen value. */
export function preference(name: Preference): string {
  return document.documentElement.getAttribute(`data-${name}`) ?? choices[name][0];
}

/** The clock in which times are shown. */
export function clock(): DisplayClock {
  return preference("clock") === "local" ? "local" : "utc";
}

/** Chooses the next value; returns its name. */
export function turnPreference(name: Preference): string {
  const values: readonly string[] = choices[name];
  return choose(name, values[(values.indexOf(preference(name)) + 1) % values.length] ?? "");
}

/** Chooses a value; returns its name. */
export function choose(name: Preference, next: string): string {
  document.documentElement.setAttribute(`data-${name}`, next);
  try {
    localStorage.setItem(`turnproof.${name}`, next);
  } catch {
    // Storage can be forbidden; the choice then lasts as long as the page.
  }
  if (name === "clock") showTimes(document);
  showSwitches();
  window.dispatchEvent(new CustomEvent("turnproof:preference", { detail: name }));
  return names[next] ?? next;
}

/** Rewrites the times under a node in the chosen clock. */
export function showTimes(within: ParentNode): void {
  for (const node of within.querySelectorAll<HTMLTimeElement>("time[data-form]")) {
    const form = node.dataset["form"] as TimeForm;
    const text = timeText(node.dateTime, clock(), form);
    if (node.textContent !== text) node.textContent = text;
    node.title = timeText(node.dateTime, clock(), "full");
  }
  for (const figure of within.querySelectorAll<HTMLElement>("[data-histogram]")) {
    showTicks(figure, clock());
  }
}

/** Shows the switches with their values. */
export function showSwitches(): void {
  for (const box of document.querySelectorAll<HTMLElement>("[data-switches]")) box.hidden = false;
  for (const name of Object.keys(choices) as Preference[]) {
    const value = preference(name);
    const button = document.querySelector<HTMLElement>(`[data-switch="${name}"]`);
    if (button === null) continue;
    button.title = names[value] ?? value;
    const word = button.querySelector("[data-word]");
    if (word !== null) word.textContent = value === "utc" ? "UTC" : "local";
  }
}
