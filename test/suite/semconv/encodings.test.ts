/** @module Encodings: every known secret in all clothes, against one row of each shape. */
import { registryRows, screenIdentity, screenValue } from "@turnproof/semconv";
import type { AttributeRow, Shape } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { encodings } from "./corpus-encodings.ts";
import { publishedTokens } from "./corpus-published.ts";
import { drawer, seeded } from "./corpus-random.ts";
import { addresses, vendorTokens } from "./corpus-secrets.ts";
import { mayStand, textShapes } from "./places.ts";

const shapes = textShapes.filter((shape) => shape !== "time");
const rowOf = (shape: Shape, type: AttributeRow["type"]): AttributeRow | undefined =>
  registryRows.find((row) => row.shape === shape && row.type === type);
const rows = shapes.flatMap((shape) => rowOf(shape, "string") ?? []);
const lists = shapes.flatMap((shape) => rowOf(shape, "string[]") ?? []);

const draw = drawer(seeded(Number(process.env["TURNPROOF_TEST_SEED"] ?? 99)));
const rounds = Number(process.env["TURNPROOF_TEST_ROUNDS"] ?? 3);
const tokens = Array.from({ length: rounds }, () =>
  Object.values({ ...vendorTokens, ...publishedTokens }).map((make) => make(draw)),
).flat();
const secrets = [...tokens, ...addresses.map(([, text]) => text)];

describe("published formats", () => {
  test.each(Object.entries(publishedTokens))("%s is refused by every shape", (_format, make) => {
    const passed: string[] = [];
    for (let count = 0; count < 25; count++) {
      const secret = make(draw);
      for (const row of rows) if (screenValue(row, secret) === undefined) passed.push(row.shape);
    }
    expect(passed).toEqual([]);
  });

  test("are many", () => {
    expect(Object.keys(publishedTokens).length).toBeGreaterThan(70);
    expect(secrets.length).toBeGreaterThan(180 * rounds);
  });
});

describe("encodings", () => {
  test.each(Object.entries(encodings))("%s is seen through", (_name, encode) => {
    const passed = secrets.flatMap((secret) => {
      const text = encode(secret);
      return rows
        .filter((row) => screenValue(row, text) === undefined && !mayStand(row, secret))
        .map(
          (row) => `${row.shape}: ${secret.slice(0, 6)}… ${text.slice(0, 24)}… (${text.length})`,
        );
    });
    expect(passed).toEqual([]);
  });

  test("an identity in any of them is refused by us", () => {
    const row = rowOf("id", "string") as AttributeRow;
    const passed = Object.values(encodings).flatMap((encode) =>
      secrets.filter(
        (secret) => !mayStand(row, secret) && "value" in screenIdentity(row, encode(secret)),
      ),
    );
    expect(passed).toEqual([]);
  });
});

describe("a secret over several entries of a list", () => {
  test("is refused wherever it is cut, with company before and behind", () => {
    const passed: string[] = [];
    // What only a word before it, or the end of a word behind it, gives away: not by its pieces.
    const reported =
      /named|^aws_secret|^azure_|segment_config|newrelic_lic|secret_colon|random_prefixed|azure_storage|mailgun_new|vault_legacy|telegram|discord|mailchimp/;
    const forms = Object.entries({ ...vendorTokens, ...publishedTokens }).flatMap(
      ([format, make]) => (reported.test(format) ? [] : [make]),
    );
    for (const secret of forms.map((make) => make(draw))) {
      for (const cut of [1, 2, 3, 5, 8, 13, secret.length - 3]) {
        const parts = ["first", secret.slice(0, cut), secret.slice(cut), "last"];
        for (const row of lists) {
          if (screenValue(row, parts) === undefined && screenValue(row, [secret]) !== undefined) {
            passed.push(`${row.shape}: ${secret.slice(0, 6)}… at ${cut}`);
          }
        }
      }
    }
    expect(passed).toEqual([]);
  });

  test("an e-mail address cut at its at sign is refused", () => {
    for (const row of lists) {
      for (const parts of [
        ["alice@", "example.com"],
        ["alice", "@example.com"],
        ["x", "alice@", "mail.example.co.uk", "y"],
      ]) {
        expect(screenValue(row, parts)).toBeDefined();
      }
    }
  });

  test("ordinary lists pass", () => {
    const row = rowOf("id", "string[]") as AttributeRow;
    for (const list of [
      ["4539", "1488", "0343", "6467"],
      ["policy@v2", "faq.md", "@handle"],
      ["sk", "pk", "AKIA"],
      ["doc-1", "doc-2", ""],
    ]) {
      expect(
        screenValue(
          row,
          list.filter((entry) => entry !== ""),
        ),
      ).toBeUndefined();
    }
  });
});
