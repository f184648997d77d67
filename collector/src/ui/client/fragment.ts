/**
 * @module Fragment: page state in the fragment of the address, so that a link keeps it and no
 * server, log or proxy sees it.
 */

/** Parameters in the fragment; empty where it is the anchor of an element. */
export function fragment(): URLSearchParams {
  const text = location.hash.slice(1);
  return new URLSearchParams(text.includes("=") ? text : "");
}

/**
 * Sets values, or removes them where they are null; changes the address without a history entry.
 */
export function setFragment(changes: Readonly<Record<string, string | null>>): void {
  const next = fragment();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  const { pathname, search } = location;
  history.replaceState(history.state, "", `${pathname}${search}${text === "" ? "" : `#${text}`}`);
}

/** Calls back when a link or the history changed the fragment. */
export function onFragment(changed: () => void): void {
  window.addEventListener("hashchange", changed);
}
