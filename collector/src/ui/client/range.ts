/**
 * @module Range in the browser: the picker closes like a menu, its fields follow the chosen clock,
 * and pages without a range pass the last one on to pages that have one.
 */
import { askedRange, inRange } from "../display/time-range.ts";
import { announce, find, findAll } from "./page.ts";
import { clock, turnPreference } from "./preferences.ts";

const keptAs = "turnproof range";

/** Starts the picker of the page, and the links of the rail. */
export function startRange(): void {
  const picker = find<HTMLDetailsElement>("[data-range]");
  passOn(picker !== undefined);
  if (picker === undefined) return;
  const close = (): void => {
    picker.open = false;
  };
  document.addEventListener("pointerdown", (event) => {
    if (!picker.contains(event.target as Node)) close();
  });
  picker.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !picker.open) return;
    close();
    find("summary", picker)?.focus();
    event.stopPropagation();
  });
  const form = find<HTMLFormElement>("[data-range-form]", picker);
  if (form !== undefined) followClock(form);
}

/** The range of this page, or else the last one of this tab. */
function passOn(hasRange: boolean): void {
  let query = new URLSearchParams(location.search);
  try {
    if (hasRange) {
      sessionStorage.setItem(keptAs, new URLSearchParams(askedRange(query)).toString());
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
            ? new Date(value).toISOString()
            : `${value.length === 16 ? `${value}:00` : value}Z`,
        );
    }
  });
}

/** A field's value in the other clock. */
function moved(value: string, to: string): string {
  const at = new Date(to === "local" ? `${value}Z` : value);
  const minutes = to === "local" ? at.getTimezoneOffset() : 0;
  return new Date(at.getTime() - minutes * 60_000).toISOString().slice(0, 19);
}
