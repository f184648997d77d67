/**
 * @module Navigation: the links beside every page. A page's route declares its own link, or the one
 * that is current on it; `joinNavigation` puts them in order.
 */
import type { IconName } from "../ui/icons.tsx";

/** A link of the rail. */
export interface NavigationLink {
  /** Position among the links, from 1. */
  readonly order: number;
  /** Path below the base path. */
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  /** Key after `g` that opens it. */
  readonly key: string;
}

/** A page that has no link of its own: the link that is current on it, by its path. */
export interface NavigationChild {
  readonly under: string;
  /** Path of the page, where it is not below the link's. */
  readonly href: string;
}

/** A link, and all paths on which it is current. */
export interface NavigationPlace extends NavigationLink {
  readonly paths: readonly string[];
}

/**
 * The links in their order.
 *
 * @throws Error where two links have one position, path or key, or a page is under no link
 */
export function joinNavigation(
  entries: readonly (NavigationLink | NavigationChild)[],
): readonly NavigationPlace[] {
  const links = entries.filter((entry) => "key" in entry);
  const children = entries.filter((entry) => "under" in entry);
  for (const field of ["order", "href", "key"] as const) {
    const values = new Set(links.map((link) => link[field]));
    if (values.size < links.length) throw new Error(`two links of the rail have one ${field}`);
  }
  const stray = children.find(({ under }) => !links.some(({ href }) => href === under));
  if (stray !== undefined) throw new Error(`${stray.href} is under no link of the rail`);
  return links
    .toSorted((a, b) => a.order - b.order)
    .map((link) => {
      const below = children.filter(({ under }) => under === link.href);
      return { ...link, paths: [link.href, ...below.map(({ href }) => href)] };
    });
}

/** The link that is current on a path: the one with the longest path that begins it. */
export function placeAt(
  rail: readonly NavigationPlace[],
  path: string,
): NavigationPlace | undefined {
  const lengthOf = ({ paths }: NavigationPlace): number =>
    Math.max(0, ...paths.filter((one) => path.startsWith(one)).map((one) => one.length));
  const [best] = rail.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return best === undefined || lengthOf(best) === 0 ? undefined : best;
}
