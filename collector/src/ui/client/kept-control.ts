/**
 * @module KeptControl: the control that was used by keyboard has the focus on the page to which it
 * led. A control is named by `data-control`, a group and its place in it (`sort duration_ms`): the
 * same name has it on each page. Back is the matter of LeftLink.
 */
import { findAll } from "./page.ts";

/** The control that was used last, until the next page takes it. */
interface Used {
  /** Path of the page to which it led; its query may be written in another form there. */
  readonly path: string;
  readonly name: string;
  /** Number among the visible controls of its group. */
  readonly at: number;
}

const keptAs = "turnproof control";

const nameOf = ({ dataset }: HTMLElement): string => dataset["control"] ?? "";

function groupOf(name: string): readonly HTMLElement[] {
  const [group] = name.split(" ", 1);
  return findAll("[data-control]").filter(
    (one) => nameOf(one).split(" ", 1)[0] === group && one.checkVisibility(),
  );
}

function keep(control: HTMLElement | null | undefined, address: string): void {
  const name = control === null || control === undefined ? "" : nameOf(control);
  if (control === null || control === undefined || name === "") return;
  const used: Used = {
    path: new URL(address, location.href).pathname,
    name,
    at: groupOf(name).indexOf(control),
  };
  try {
    sessionStorage.setItem(keptAs, JSON.stringify(used));
  } catch {
    // Storage can be forbidden; the next page then begins at its top, as without script.
  }
}

function take(): Used | undefined {
  try {
    const used = sessionStorage.getItem(keptAs);
    sessionStorage.removeItem(keptAs);
    return used === null ? undefined : (JSON.parse(used) as Used);
  } catch {
    return undefined;
  }
}

/**
 * Focuses the control that led here, or the one that stands in its place: a term that was removed
 * has no chip, the oldest page no older one, and a closed menu shows its button only.
 */
export function returnToControl(): void {
  const used = take();
  if (used?.path !== location.pathname || document.activeElement !== document.body) return;
  const group = groupOf(used.name);
  // A term has a chip and, below it, the value of its facet, which is the one that can be undone.
  const same = group.findLast((one) => nameOf(one) === used.name);
  const control = same ?? group[Math.min(Math.max(used.at, 0), group.length - 1)];
  control?.focus({ preventScroll: true });
  control?.scrollIntoView({ block: "nearest" });
}

/** Keeps the control by which this page is left. */
export function keepControls(): void {
  document.addEventListener("click", (event) => {
    const { target, detail, ctrlKey, metaKey, shiftKey } = event;
    const link = (target as Element).closest<HTMLAnchorElement>("a[data-control]");
    // Enter on a link is a click without a press of a button. Its page may open in another tab.
    if (link === null || detail !== 0 || ctrlKey || metaKey || shiftKey) return;
    keep(link, link.href);
  });
  document.addEventListener("submit", ({ target, submitter }) => {
    const isByKeys = submitter?.matches(":focus-visible, form:has(:focus-visible) *") === true;
    if (isByKeys) keep(submitter, (target as HTMLFormElement).action);
  });
}
