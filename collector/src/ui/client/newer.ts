/**
 * @module Newer: the way back over the pages of a list. A cursor leads to older rows only, so the
 * tab keeps the cursors that led here. Without them the footer's link to the first page is the way
 * back.
 */
import { find } from "./page.ts";

/** The pages that led to this one, by their cursors; the first page has none. */
type Trail = readonly string[];

const keyPrefix = "turnproof-trail ";
/** Most pages of a trail. */
const pagesMax = 200;

/**
 * Shows the page before in the footer, and keeps the trail when the link to the next one is used.
 */
export function startNewer(): void {
  showNewer();
  document.addEventListener("click", (event) => {
    const older = (event.target as Element).closest<HTMLAnchorElement>("[data-older]");
    if (older === null) return;
    const { trail, at, here } = place();
    const led = at < 0 ? [here] : [...trail.slice(0, at), here];
    keep([...led, cursorOf(older)].slice(-pagesMax));
  });
}

/** Shows the page before in a footer that was just drawn. */
export function showNewer(): void {
  const end = find("[data-window] .end");
  const { trail, at } = place();
  if (end === undefined || at <= 0) return;
  end.insertBefore(linkTo(trail[at - 1] ?? ""), end.querySelector("[data-older]"));
}

/** The open page in its trail. */
function place(): { readonly trail: Trail; readonly at: number; readonly here: string } {
  const here = cursorOf(location);
  const trail = read();
  return { trail, at: here === "" ? 0 : trail.indexOf(here), here };
}

function linkTo(cursor: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.className = "button";
  link.href = addressOf(cursor);
  link.textContent = "Newer";
  link.dataset["newer"] = "";
  link.dataset["control"] = "page newer";
  return link;
}

function addressOf(cursor: string): string {
  const query = new URLSearchParams(location.search);
  if (cursor === "") query.delete("cursor");
  else query.set("cursor", cursor);
  return `${location.pathname}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

function cursorOf({ search }: { readonly search: string }): string {
  return new URLSearchParams(search).get("cursor") ?? "";
}

/** A list with other filters has another trail. */
function keyOf(): string {
  return `${keyPrefix}${addressOf("")}`;
}

function read(): Trail {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf()) ?? "[]") as Trail;
  } catch {
    return [];
  }
}

function keep(trail: Trail): void {
  try {
    sessionStorage.setItem(keyOf(), JSON.stringify(trail));
  } catch {
    // Without storage the footer's link to the first page is the way back.
  }
}
