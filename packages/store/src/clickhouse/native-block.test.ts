/** @module Tests of the Native writer and reader against each other and, in bytes, the format. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { readNative } from "./native-reader.ts";
import type { NativeValue } from "./native-sink.ts";
import { NativeBlock } from "./native-writer.ts";

const text = fc.string({ unit: "binary", maxLength: 300 }).filter((value) => value.isWellFormed());
const int = fc.maxSafeInteger();
const values: Readonly<Record<string, fc.Arbitrary<NativeValue>>> = {
  String: text,
  Bool: fc.boolean(),
  UInt8: fc.nat(255),
  UInt16: fc.nat(65_535),
  UInt32: fc.nat(4_294_967_295),
  Int64: int,
  UInt64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  "DateTime64(9, 'UTC')": fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  Float64: fc.double({ noNaN: true }),
  "Nullable(Bool)": fc.option(fc.boolean()),
  "Nullable(Int64)": fc.option(int),
  "Nullable(Float64)": fc.option(fc.double({ noNaN: true })),
  "LowCardinality(String)": fc.constantFrom("", "a", "b", "ü", "x".repeat(200)),
  "Array(String)": fc.array(text, { maxLength: 5 }),
  "Array(Int64)": fc.array(int, { maxLength: 5 }),
  "Array(LowCardinality(String))": fc.array(fc.constantFrom("", "p", "q"), { maxLength: 5 }),
};

test("every column type comes back as it went in, gaps at their default", () => {
  const rows = fc.array(fc.record(values, { requiredKeys: ["Int64"] }), { maxLength: 40 });
  fc.assert(
    fc.property(rows, (list) => {
      const block = new NativeBlock();
      for (const row of list) {
        for (const [type, value] of Object.entries(row)) {
          if (value !== undefined) block.set(`c ${type}`, type, value);
        }
        block.endRow();
      }
      const table = readNative(Buffer.from(block.encode().bytes));
      for (const [type, held] of [...table.columns].map(
        ([name, column]) => [name.slice(2), column] as const,
      )) {
        for (const [i, row] of list.entries()) {
          const stated = row[type as keyof typeof row];
          if (stated !== undefined) expect(held[i]).toStrictEqual(stated);
          else expect([null, "", 0, 0n, false].includes(held[i] as never) || sizeOf(held[i]) === 0);
        }
      }
    }),
    { numRuns: 200 },
  );
});

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : -1;
}

test("a dictionary of more than 256 and 65,536 texts keeps every index", () => {
  for (const count of [255, 256, 257, 70_000]) {
    const block = new NativeBlock();
    for (let i = 0; i < count; i += 1) {
      block.set("label", "LowCardinality(String)", `v${i}`);
      block.endRow();
    }
    const column = readNative(Buffer.from(block.encode().bytes)).columns.get("label");
    expect(column?.[0]).toBe("v0");
    expect(column?.[count - 1]).toBe(`v${count - 1}`);
    expect(new Set(column).size).toBe(count);
  }
});

test("text that is not well formed is refused", () => {
  const block = new NativeBlock();
  expect(() => block.set("t", "String", "a\ud800")).toThrow(RangeError);
});

test("the bytes of a block stay while the next blocks are built, and may be transferred", () => {
  const build = (letter: string): ReturnType<NativeBlock["encode"]> => {
    const block = new NativeBlock();
    for (let row = 0; row < 3_000; row += 1) {
      block.set("text", "String", letter.repeat(200));
      block.set("list", "Array(LowCardinality(String))", [letter, `${row}`]);
      block.set("maybe", "Nullable(Int64)", row % 2 === 0 ? null : row);
      block.endRow();
    }
    return block.encode();
  };
  const first = build("a");
  const copy = Buffer.from(first.bytes);
  const second = build("b");
  expect(copy.equals(first.bytes)).toBe(true);
  const texts = readNative(Buffer.from(second.bytes)).columns.get("text");
  expect(new Set(texts)).toEqual(new Set(["b".repeat(200)]));
  const { bytes } = structuredClone(first, { transfer: [first.bytes.buffer as ArrayBuffer] });
  expect(copy.equals(bytes)).toBe(true);
  expect(first.bytes).toHaveLength(0);
});
