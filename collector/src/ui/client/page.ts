/** @module Page: facts about the open page, and small operations on its document. */

/** Base path of the collector, without a slash at the end. */
export const base: string = document.documentElement.dataset["base"] ?? "";

/** Address of this page's JSON twin; empty without one. */
export const twin: string = document.documentElement.dataset["twin"] ?? "";

/** The same address, requesting long lists as columns. */
export function inColumns(href: string): string {
  return `${href}${href.includes("?") ? "&" : "?"}form=columns`;
}

/** The first node that matches a selector. */
export function find<E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | undefined {
  return within.querySelector<E>(selector) ?? undefined;
}

/** Every node that matches a selector. */
export function findAll<E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): readonly E[] {
  return [...within.querySelectorAll<E>(selector)];
}

/** Announces a text to screen readers without moving the focus. */
export function announce(text: string): void {
  const region = find("[data-announce]");
  if (region !== undefined) region.textContent = text;
}

/** The query that this page applies. */
export function pageQuery(): URLSearchParams {
  return new URLSearchParams(document.documentElement.dataset["query"] ?? location.search);
}

/** The JSON of an address of ours, or undefined when it failed. */
export async function fetchJson<T>(href: string, signal?: AbortSignal): Promise<T | undefined> {
  try {
    const response = await fetch(href, {
      headers: { accept: "application/json" },
      ...(signal === undefined ? {} : { signal }),
    });
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** An element of the pages, drawn in the browser. */
export function drawn(element: unknown): Node {
  if (element instanceof Node) return element;
  const fragment = document.createDocumentFragment();
  for (const each of [element].flat(9)) if (each instanceof Node) fragment.append(each);
  return fragment;
}

/** Copies text; returns whether it succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
