/**
 * @module Range in the browser: the picker's fields follow the chosen clock, and pages without a
 * range pass the last one on to pages that have one. It and the other menus close as menus do.
 */
import { isoTime } from "@turnproof/semconv";

import { requestedRange, inRange } from "../display/time-range.ts";
import { announce, find, findAll, pageQuery } from "./page.ts";
import { clock, turnPreference } from "./preferences.ts";

const keptAs = "turnproof range";

/** Starts the picker of the page, and the links of the rail. */
export function startRange(): void {
  const picker = find<HTMLDetailsElement>("[data-range]");
  passOn(picker !== undefined);
  for (const menu of findAll<HTMLDetailsElement>("[data-menu]")) closeAsMenu(menu);
  const form = find<HTMLFormElement>("[data-range-form]");
  if (form !== undefined) followClock(form);
}

/** A menu closes by Escape, which returns the focus, and by a press outside of it. */
function closeAsMenu(menu: HTMLDetailsElement): void {
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    find("summary", menu)?.focus();
    event.stopPropagation();
  });
}

/** The range of this page, or else the last one of this tab. */
function passOn(hasRange: boolean): void {
  let query = pageQuery();
  try {
    if (hasRange) {
      sessionStorage.setItem(keptAs, new URLSearchParams(requestedRange(query)).toString());
      return;
    }
    query = new URLSearchParams(sessionStorage.getItem(keptAs) ?? "");
  } catch {
    // Storage can be forbidden; the range then ends at a page without one.
    return;
  }
  for (const link of findAll<HTMLAnchorElement>("[data-ranged]")) {
    link.setAttribute("href", inRange(link.getAttribute("href") ?? "", query));
  }
}

/** The fields hold times of the clock in which the page shows times; an address has UTC. */
function followClock(form: HTMLFormElement): void {
  const fields = findAll<HTMLInputElement>("input[type=datetime-local]", form);
  let shown = "utc";
  const show = (): void => {
    for (const field of fields) {
      if (field.value !== "" && shown !== clock()) field.value = moved(field.value, clock());
    }
    shown = clock();
    const words = find("[data-range-clock]", form);
    if (words !== undefined) words.textContent = shown === "local" ? "in local time" : "in UTC";
  };
  show();
  const other = find<HTMLButtonElement>("[data-other-clock]", form);
  if (other !== undefined) {
    other.hidden = false;
    other.addEventListener("click", () => announce(turnPreference("clock")));
  }
  window.addEventListener("turnproof:preference", show);
  form.addEventListener("formdata", ({ formData }) => {
    for (const { name, value } of fields) {
      if (value === "") formData.delete(name);
      else
        formData.set(
          name,
          shown === "local"
            ? isoTime(new Date(value).getTime())
            : `${value.length === 16 ? `${value}:00` : value}Z`,
        );
    }
  });
}

/** A field's value in the other clock. */
function moved(value: string, to: string): string {
  const at = new Date(to === "local" ? `${value}Z` : value);
  const minutes = to === "local" ? at.getTimezoneOffset() : 0;
  return isoTime(at.getTime() - minutes * 60_000).slice(0, 19);
}
