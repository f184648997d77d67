/** @module Tests of the formats of text: each value reads back as it was. */
import { expect, test } from "vitest";
import type { ColumnValue } from "@turnproof/store";
import { isoOfMicros } from "@turnproof/semconv";

import type { ColumnData } from "./column-data.ts";
import { csvLines, linesOf } from "./text-formats.ts";

const texts = [
  "",
  "plain",
  'a "quoted" word',
  "comma, and\r\nlines\n",
  "Grüße 漢字 🙂, too",
  'no separator "é',
  "\ud800 alone",
  "\u0000\u001f\u007f\\ back",
  "=1+1",
  `${"long ".repeat(40_000)}"end`,
];
const column = (type: ColumnData["type"], values: readonly ColumnValue[]): ColumnData => ({
  name: `${type} "é`,
  type,
  values,
});
const columns: readonly ColumnData[] = [
  column("flag", [null, true, false]),
  column("text", texts),
  column("json", ['{"a":"é"}', null, '{"b":[1,"x,y"]}', "null"]),
  column("integer", [0, -1, Number.MAX_SAFE_INTEGER]),
  column("number", [0.1, -0, 1e21, Number.NaN, 5e-324]),
  column("time", [0, -1, 1_779_000_000_123_456, 253_402_300_800_000_000, "as text", 999_999]),
  column("texts", [[], ["a", 'b"'], ["é,"], null]),
  column("text", []),
].map(({ values, ...of }) => ({
  ...of,
  values: texts.map((_, row) => values[row] ?? null),
}));

/** The values of each row. */
const rows = texts.map((_, row) =>
  columns.map(({ type, values }) => ({ type, value: values[row] ?? null })),
);

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const joined = (pieces: Iterable<Uint8Array>): string => [...pieces].map(decoded).join("");

test("lines of JSON are those of the encoder of the language", () => {
  const lines = rows.map((cells) => {
    const fields = cells.map(({ type, value }, at) => {
      const shown = type === "time" && typeof value === "number" ? isoOfMicros(value) : value;
      const text = type === "json" && typeof value === "string" ? value : JSON.stringify(shown);
      return `${JSON.stringify(columns[at]?.name)}:${text}`;
    });
    return `{${fields.join(",")}}\n`;
  });
  const encoded = decoded(new TextEncoder().encode(lines.join("")));
  expect(joined(linesOf(columns))).toBe(encoded);
  expect([...linesOf([])]).toEqual([]);
  // Many rows are several pieces of whole lines, each in a buffer of its own.
  const many = columns.map((of) => ({ ...of, values: Array(20).fill(of.values).flat() }));
  const pieces = [...linesOf(many)];
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.map((piece) => decoded(piece).at(-1))).toEqual(pieces.map(() => "\n"));
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(pieces.length);
  expect(pieces.map(decoded).join("")).toBe(encoded.repeat(20));
});

test.each([false, true])(
  "cells of CSV are quoted where they need it, for sheets %s",
  (forSheets) => {
    const cell = ({ type, value }: (typeof rows)[number][number]): string => {
      if (value === null) return "";
      if (type === "time" && typeof value === "number") return isoOfMicros(value);
      const own = typeof value === "object" ? JSON.stringify(value) : String(value);
      const safe = forSheets && typeof value === "string" && /^[=+\-@\t\r\n]/.test(own);
      const text = safe ? `'${own}` : own;
      return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const head = columns.map(({ name }) => name).join(",");
    const lines = [head, ...rows.map((cells) => cells.map(cell).join(","))];
    const expected = decoded(new TextEncoder().encode(`${lines.join("\r\n")}\r\n`));
    expect(joined(csvLines(columns, { head: true, forSheets }))).toBe(expected);
  },
);

test("a column without any value has its separators", () => {
  const empty = { name: "a", type: "text", values: [null, null] } as const;
  const last = { name: "b", type: "text", values: [null, "x"] } as const;
  const of = (all: readonly ColumnData[]): string =>
    joined(csvLines(all, { head: false, forSheets: false }));
  expect(of([empty, last, empty])).toBe(",,\r\n,x,\r\n");
  expect(of([empty])).toBe("\r\n\r\n");
});
