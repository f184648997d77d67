/**
 * @module TextPrefix: a prefix as a range, `>= from` and `< to`, which an index answers. Every
 * engine orders the texts of these columns by the bytes of UTF-8.
 */

/** The texts with a prefix. */
export interface PrefixRange {
  readonly from: string;
  /** The first text after them. */
  readonly to: string;
}

/** True for a prefix of printable ASCII without spaces; another one has no text. */
export function isPrefix(of: string): boolean {
  return /^[!-~]+$/.test(of);
}

/** The range of a valid prefix. */
export function prefixRange(of: string): PrefixRange {
  const last = of.length - 1;
  return { from: of, to: `${of.slice(0, last)}${String.fromCharCode(of.charCodeAt(last) + 1)}` };
}
