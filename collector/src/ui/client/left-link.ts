/**
 * @module LeftLink: the link that had the focus when a page was left, so that Back returns to it. A
 * row of a list has a place of its own in the address or the history; any other link of the page is
 * found by its address and its number among the links with that address.
 */
import { findAll } from "./page.ts";

/** A link in the state of an entry of the history. */
interface PlacedLink {
  readonly href: string;
  readonly at: number;
}

type EntryState = Readonly<Record<string, unknown>>;

function entryState(): EntryState {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? (state as EntryState) : {};
}

function linksTo(href: string): readonly HTMLElement[] {
  return findAll("main a[href]").filter((link) => link.getAttribute("href") === href);
}

/** The place of an element that is such a link. */
function placeOf(element: EventTarget | null): PlacedLink | undefined {
  if (!(element instanceof HTMLElement) || "row" in element.dataset) return undefined;
  const href = element.getAttribute("href");
  if (href === null) return undefined;
  const at = linksTo(href).indexOf(element);
  return at === -1 ? undefined : { href, at };
}

function returnToLink(): void {
  const { link } = entryState();
  if (typeof link !== "object" || link === null || document.activeElement !== document.body) return;
  const { href, at } = link as PlacedLink;
  const left = linksTo(href)[at];
  left?.focus({ preventScroll: true });
  left?.scrollIntoView({ block: "nearest" });
}

/** Returns the focus to the link of this entry, and notes the one that has it. */
export function rememberLinks(): void {
  returnToLink();
  window.addEventListener("pageshow", returnToLink);
  document.addEventListener("focusin", ({ target }) => {
    const place = placeOf(target);
    const { link, ...others } = entryState();
    if (place === undefined && link === undefined) return;
    history.replaceState(place === undefined ? others : { ...others, link: place }, "");
  });
}
