/**
 * @module Page: what the browser knows of the page that is open, and small steps on its document.
 */

/** Base path of the collector, without a slash at the end. */
export const base: string = document.documentElement.dataset["base"] ?? "";

/** Where the JSON twin of this page lies; empty where there is none. */
export const twin: string = document.documentElement.dataset["twin"] ?? "";

/** The same address, asking for long lists as columns. */
export function inColumns(href: string): string {
  return `${href}${href.includes("?") ? "&" : "?"}form=columns`;
}

/** The first node that a selector finds. */
export function find<E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E | undefined {
  return within.querySelector<E>(selector) ?? undefined;
}

/** Every node that a selector finds. */
export function findAll<E extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): readonly E[] {
  return [...within.querySelectorAll<E>(selector)];
}

/** Says something to screen readers without moving anything. */
export function announce(text: string): void {
  const region = find("[data-announce]");
  if (region !== undefined) region.textContent = text;
}

/** The JSON of an address of ours, or undefined where it failed. */
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

/** Copies text; says whether it could. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
