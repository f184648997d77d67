/** The guard's patterns are linear, a second engine agrees with them, and no value takes long. */
import { readFileSync, readdirSync } from "node:fs";

import { RE2JS } from "re2js";
import { checkSync } from "recheck";
import { describe, expect, test } from "vitest";

import { limits, operationPattern, registryRows, screenValue } from "@turnproof/semconv";

import { ordinaryTexts, randomIds } from "./corpus-ordinary.ts";
import { drawer, seeded } from "./corpus-random.ts";
import { addresses, disguises, vendorTokens } from "./corpus-secrets.ts";

const guardFolder = new URL("../../../packages/semconv/src/guard/", import.meta.url);

/** A regular expression literal after an operator, a bracket or the start of a line. */
const literal =
  /(?<=^\s*|[=(,:!&|?]\s*)\/(?![/*])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([gimsuy]*)(?=[.;,)\s])/gm;

const patterns: readonly RegExp[] = [
  operationPattern,
  ...readdirSync(guardFolder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, guardFolder), "utf8").replace(
        /^\s*(?:\/?\*|\/\/).*$/gm,
        "",
      );
      return [...source.matchAll(literal)].map(([, body, flags]) => new RegExp(body ?? "", flags));
    }),
];

const draw = drawer(seeded(31));
const texts: readonly string[] = [
  ...ordinaryTexts.flatMap((each) => each.texts),
  ...Object.values(randomIds).map((make) => make(draw)),
  ...Object.values(vendorTokens).flatMap((make) => disguises(make(draw))),
  ...addresses.flatMap(([, text]) => [text, ...disguises(text)]),
];

describe("patterns", () => {
  test("are all found in the sources", () => {
    expect(patterns.length).toBeGreaterThan(50);
    expect(patterns.map((pattern) => pattern.source)).toContain(operationPattern.source);
  });

  test.each(patterns.map((pattern) => [String(pattern).slice(0, 90), pattern] as const))(
    "%s is linear",
    (_name, pattern) => {
      // The automaton proves it, in no time; the checker's other way only looks for an attack.
      const checker = { checker: "automaton", timeout: 60_000 } as const;
      const found = checkSync(pattern.source, pattern.flags, checker);
      expect([
        found.status,
        found.status === "unknown" ? undefined : found.complexity.type,
      ]).toEqual(["safe", expect.stringMatching(/^(?:linear|safe|constant)$/)]);
    },
  );

  test("a second engine gives the same verdicts", () => {
    for (const pattern of patterns) {
      const flags = pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0;
      const source = pattern.source
        .replaceAll("(?<!", "(?:")
        .replaceAll("\\/", "/")
        .replaceAll("\\p{sc=", "\\p{");
      if (source.includes("(?!")) continue;
      const judge = RE2JS.compile(RE2JS.translateRegExp(source), flags);
      const plain = new RegExp(pattern.source, pattern.flags.replace("g", ""));
      const differing = texts.filter((text) => plain.test(text) !== judge.matcher(text).find());
      expect(differing, String(pattern)).toEqual([]);
    }
  });
});

describe("time", () => {
  const hostile: readonly string[] = [
    ..."aA0._-:/@=+ ~".split("").map((mark) => mark.repeat(240)),
    "a.".repeat(120),
    "1.".repeat(120),
    "1:".repeat(120),
    "a@".repeat(120),
    "@a.".repeat(80),
    "a@a.a".repeat(48),
    "eyJ".repeat(80),
    "ghp_".repeat(60),
    "sk-".repeat(80),
    "password ".repeat(26),
    "token:".repeat(40),
    "4111 ".repeat(48),
    "DE89 3704 ".repeat(24),
    "www".repeat(80),
    "x:y@".repeat(60),
    "A/".repeat(120),
    "abc/".repeat(60),
    "QUFB".repeat(60),
    "QUE-".repeat(60),
    "MFRA-".repeat(48),
    "0x41-".repeat(48),
    "::".repeat(120),
    "a.b.".repeat(59) + "com",
  ];
  const rows = registryRows.filter((row) => row.type === "string" && row.shape !== "closed");

  test("no value of 240 characters takes a millisecond", () => {
    for (const row of rows) for (const text of hostile) screenValue(row, text);
    const slow: string[] = [];
    for (const text of [...hostile, ...texts]) {
      for (const row of rows.filter(
        (each, at) => rows.findIndex((r) => r.shape === each.shape) === at,
      )) {
        let best = Infinity;
        for (let round = 0; round < 5; round++) {
          const start = performance.now();
          screenValue(row, text.slice(0, limits.stringCharsMax));
          best = Math.min(best, performance.now() - start);
        }
        if (best > 1) slow.push(`${row.shape}: ${text.slice(0, 12)} ${best.toFixed(2)} ms`);
      }
    }
    expect(slow).toEqual([]);
  });

  test("a mebibyte costs no more than its length check", () => {
    for (const seed of ["a", "a@", "password=", "1.", "eyJ", " "]) {
      const text = seed.repeat(Math.ceil(1_048_576 / seed.length));
      for (const row of rows) {
        let best = Infinity;
        for (let round = 0; round < 5; round++) {
          const start = performance.now();
          expect(screenValue(row, text)).toBe("attribute_too_long");
          best = Math.min(best, performance.now() - start);
        }
        expect(best).toBeLessThan(1);
      }
    }
  });
});
