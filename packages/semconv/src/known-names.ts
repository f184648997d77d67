/**
 * @module Known names: names that an operator lists as readable although the guard would refuse
 * them. One list for all copies of this package in a process, as for keyed fields.
 */
const slot = Symbol.for("turnproof.known-names");
const place = globalThis as { [slot]?: ReadonlySet<string> };

/** Sets the names that are readable from now on, besides those that the guard admits. */
export function allowNames(names: readonly string[]): void {
  place[slot] = new Set(names.map((name) => name.normalize("NFC")));
}

/** True for a name that is listed. */
export function isKnownName(name: string): boolean {
  return place[slot]?.has(name.normalize("NFC")) === true;
}

/**
 * Reads names from a setting: separated by semicolons or line ends, because names contain commas.
 */
export function parseNames(text: string): readonly string[] {
  return text
    .split(/[;\r\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
