/**
 * @module Range in the browser: the picker's fields follow the chosen clock, and pages without a
 * range pass the last one on to pages that have one. It and the other menus close as menus do.
 */
import { isoTime } from "@turnproof/semconv";

import { repeatedOffset } from "../display/figures.ts";
import type { DisplayClock } from "../display/figures.ts";
import {
  requestedRange,
  inRange,
  isRelative,
  readTime,
  relativeTexts,
  writtenTime,
} from "../display/time-range.ts";
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

/** One end of the range: what its field shows, and what the address has while that is unchanged. */
interface RangeBound {
  readonly field: HTMLInputElement;
  /** Words of a relative time, which the field cannot show, or an offset from UTC. */
  readonly hint: HTMLElement | undefined;
  readonly words: string;
  /** The value in the address; empty without one. */
  kept: string;
  /** What the field shows of it. */
  text: string;
}

/** The fields hold times of the clock in which the page shows times; an address has UTC. */
function followClock(form: HTMLFormElement): void {
  const bounds = findAll<HTMLInputElement>("input[data-kept]", form).map(boundOf);
  let shown = clock();
  const show = (): void => {
    for (const bound of bounds) {
      keepTyped(bound, shown);
      showBound(bound, clock());
    }
    shown = clock();
    const words = find("[data-range-clock]", form);
    if (words !== undefined) words.textContent = shown === "local" ? "in local time" : "in UTC";
  };
  show();
  for (const bound of bounds) bound.field.addEventListener("input", () => showHint(bound, shown));
  const other = find<HTMLButtonElement>("[data-other-clock]", form);
  if (other !== undefined) {
    other.hidden = false;
    other.addEventListener("click", () => announce(turnPreference("clock")));
  }
  window.addEventListener("turnproof:preference", show);
  form.addEventListener("formdata", ({ formData }) => {
    for (const bound of bounds) {
      keepTyped(bound, shown);
      if (bound.kept === "") formData.delete(bound.field.name);
      else formData.set(bound.field.name, bound.kept);
    }
  });
}

/** A relative time is text for a form without script; here its field is one for times. */
function boundOf(field: HTMLInputElement): RangeBound {
  const kept = field.dataset["kept"] ?? "";
  const isKept = isRelative(kept);
  if (isKept) {
    field.value = "";
    field.type = "datetime-local";
  }
  const hint = find("[data-range-hint]", field.closest("label") ?? field);
  return { field, hint, words: isKept ? relativeTexts(kept) : "", kept, text: field.value };
}

/** Takes over what was typed since the field was last written. */
function keepTyped(bound: RangeBound, shown: DisplayClock): void {
  const { value } = bound.field;
  if (value === bound.text) return;
  const at = value === "" ? Number.NaN : Date.parse(shown === "local" ? value : `${value}Z`);
  bound.text = value;
  bound.kept = Number.isNaN(at) ? "" : isoTime(at);
}

/** Writes the bound into its field, in this clock. */
function showBound(bound: RangeBound, to: DisplayClock): void {
  const utc = isRelative(bound.kept) ? undefined : readTime(writtenTime(bound.kept), 0);
  if (utc !== undefined) {
    bound.field.value = fieldText(Date.parse(utc), to);
    bound.text = bound.field.value;
  }
  showHint(bound, to);
}

function showHint({ field, hint, words, kept, text }: RangeBound, shown: DisplayClock): void {
  if (hint === undefined) return;
  const at = field.value === text ? readTime(writtenTime(kept), 0) : undefined;
  const offset = at === undefined || shown === "utc" ? "" : repeatedOffset(new Date(at)).trim();
  hint.textContent = isRelative(kept) ? (field.value === "" ? words : "") : offset;
}

/** A time as a field has it, which shows milliseconds only where there are some. */
function fieldText(atMs: number, to: DisplayClock): string {
  const minutes = to === "local" ? new Date(atMs).getTimezoneOffset() : 0;
  return isoTime(atMs - minutes * 60_000).slice(0, atMs % 1_000 === 0 ? 19 : 23);
}
