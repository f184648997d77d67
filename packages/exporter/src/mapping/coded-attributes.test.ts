/** @module Tests of attributes by name code. */
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { CodedAttributes, statedUnder, sourceCode, sourceNames } from "./coded-attributes.ts";

const model = sourceCode.get(attribute.model.span) ?? -1;
const tool = sourceCode.get(attribute.tool_name.span) ?? -1;

test("a name that comes twice keeps its place and takes the later value, as a record would", () => {
  const coded = new CodedAttributes();
  coded.put(model, "first");
  coded.put(tool, "search");
  coded.put(model, "second");
  expect(Object.entries(coded.record())).toEqual([
    [attribute.model.span, "second"],
    [attribute.tool_name.span, "search"],
  ]);
});

test("nothing of the last span is said by the next", () => {
  const coded = new CodedAttributes();
  coded.put(model, "first");
  coded.put(tool, "search");
  coded.clear();
  expect(coded.get(model)).toBeUndefined();
  expect(coded.record()).toEqual({});
  coded.put(tool, "other");
  expect(coded.length).toBe(1);
  expect(statedUnder({ attributes: {}, coded }, attribute.tool_name.span)).toBe("other");
  expect(statedUnder({ attributes: {}, coded }, attribute.model.span)).toBeUndefined();
});

test("by name there is no prototype of ours", () => {
  const coded = new CodedAttributes();
  sourceNames.forEach((_, code) => coded.put(code, code));
  const record = coded.record();
  expect({ ...record }).toEqual(Object.fromEntries(sourceNames.map((name, code) => [name, code])));
  expect("constructor" in record).toBe(false);
});
