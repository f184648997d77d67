/** The key table: allowlisted names are found by their bytes, others are not. */
import { sourceAttributeNames } from "@turnproof/semconv";
import fc from "fast-check";
import { expect, test } from "vitest";

import { KeyTable } from "./key-table.ts";

const names = [...sourceAttributeNames];
const table = new KeyTable(names);

function find(text: string): string | undefined {
  const bytes = Buffer.from(`..${text}..`);
  return table.names[table.find(bytes, 2, bytes.length - 2)];
}

test("every name is found, in any order, and is itself", () => {
  for (const name of [...names, ...names.toReversed()]) expect(find(name)).toBe(name);
});

test("nothing else is found: prefixes, neighbours, other cases, random texts", () => {
  const known = new Set(names);
  for (const name of names) {
    const near = [name.slice(0, -1), `${name}x`, name.toUpperCase(), ` ${name}`, `${name}\0`];
    for (const text of near) if (!known.has(text)) expect(find(text)).toBeUndefined();
    for (let at = 0; at < name.length; at++) {
      const changed = `${name.slice(0, at)}~${name.slice(at + 1)}`;
      expect(find(changed)).toBeUndefined();
    }
  }
  const anything = fc.string({ unit: "binary" }).filter((text) => !known.has(text));
  fc.assert(fc.property(anything, (text) => find(text) === undefined));
  expect(find("")).toBeUndefined();
});
