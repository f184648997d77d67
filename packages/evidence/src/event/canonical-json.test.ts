/** Canonical JSON: sorted keys, and values that JSON holds. */
import { expect, test } from "vitest";

import { canonicalJson } from "./canonical-json.ts";

test("canonical JSON sorts keys by code unit and writes what JSON can hold", () => {
  expect(canonicalJson({ b: [1e21, -0, Number.NaN], a: undefined, "": "\u20ac\n", A: null })).toBe(
    '{"":"\u20ac\\n","A":null,"b":[1e+21,0,null]}',
  );
});
