/** The guard against what it must let through and what it must refuse, on the assembled corpora. */
import { describe, expect, test } from "vitest";

import { registryRows, screenIdentity, screenValue } from "@turnproof/semconv";
import type { AttributeRow, Shape } from "@turnproof/semconv";

import { ordinaryTexts, randomIds } from "./corpus-ordinary.ts";
import { drawer, seeded } from "./corpus-random.ts";
import { addresses, basicPairs, disguises, vendorTokens } from "./corpus-secrets.ts";
import { mayStand, textShapes } from "./places.ts";

/** Ids drawn per form; raise it for a long run. */
const drawsPerForm = Number(process.env["TURNPROOF_TEST_DRAWS"] ?? 2_000);

/** Credentials drawn per vendor. */
const drawsPerVendor = 25;

/** One row per shape, single and list, so that every path of the guard runs. */
const textRows: readonly AttributeRow[] = textShapes.flatMap((shape) =>
  ["string", "string[]"].flatMap((type) => {
    const row = registryRows.find((each) => each.shape === shape && each.type === type);
    return row === undefined ? [] : [row];
  }),
);

const rowOf = (shape: Shape): AttributeRow => {
  const row = registryRows.find((each) => each.shape === shape && each.type === "string");
  if (row === undefined) throw new Error(`no row of shape ${shape}`);
  return row;
};

const asValue = (row: AttributeRow, text: string): unknown =>
  row.type === "string" ? text : [text];

describe("ordinary values", () => {
  for (const { shape, texts } of ordinaryTexts) {
    test(`${shape}: none of ${texts.length} is refused`, () => {
      const refused = texts.flatMap((text) => {
        const code = screenValue(rowOf(shape), text);
        return code === undefined ? [] : [`${text} → ${code}`];
      });
      expect(refused).toEqual([]);
    });
  }

  test.each(Object.entries(randomIds))("random %s ids are never refused", (_form, make) => {
    const draw = drawer(seeded(7));
    const refused: string[] = [];
    for (let count = 0; count < drawsPerForm; count++) {
      const id = make(draw);
      const code = screenValue(rowOf("id"), id);
      if (code !== undefined) refused.push(`${id} → ${code}`);
    }
    expect(refused).toEqual([]);
  });

  test("ids, models and versions may be a display name as well", () => {
    const texts = ordinaryTexts
      .filter((each) => each.shape === "label")
      .flatMap((each) => each.texts);
    const refused = texts.filter((text) => {
      const code = screenValue(rowOf("name"), text);
      return code !== undefined && code !== "attribute_shape";
    });
    expect(refused).toEqual([]);
  });
});

describe("secrets", () => {
  test("every text shape of the registry is asked", () => {
    const requested = new Set(textRows.map((row) => row.shape));
    expect([...requested].toSorted()).toEqual([...textShapes].toSorted());
  });

  test.each(Object.entries(vendorTokens))("%s is refused by every row", (_vendor, make) => {
    const draw = drawer(seeded(11));
    const passed: string[] = [];
    for (let count = 0; count < drawsPerVendor; count++) {
      const secret = make(draw);
      for (const text of [secret, ...disguises(secret)]) {
        for (const row of textRows) {
          if (screenValue(row, asValue(row, text)) === undefined) {
            passed.push(`${row.shape}: ${text.slice(0, 12)}… (${text.length})`);
          }
        }
      }
    }
    expect(passed).toEqual([]);
  });

  test.each(Object.entries(vendorTokens))("%s is called a credential", (_vendor, make) => {
    const secret = make(drawer(seeded(13)));
    const codes = (["id", "name", "model"] as const).map((shape) =>
      screenValue(rowOf(shape), secret),
    );
    expect(codes.some((code) => code === "attribute_credential" || code === "attribute_url")).toBe(
      true,
    );
  });

  test.each(Object.entries(basicPairs))(
    "%s in base64 is refused, an id in it is not",
    (_, make) => {
      const draw = drawer(seeded(17));
      for (let count = 0; count < drawsPerVendor; count++) {
        const pair = make(draw);
        for (const text of [
          pair,
          `Basic ${pair}`,
          `id:${pair}`,
          Buffer.from(pair).toString("hex"),
        ]) {
          for (const row of textRows) expect(screenValue(row, asValue(row, text))).toBeDefined();
        }
      }
      for (const id of ["User:42", "order:17", "04:User12345", "Order:V1StGXR8_Z5j", "cursor:10"]) {
        const wrapped = Buffer.from(id).toString("base64url");
        expect(screenValue(rowOf("id"), wrapped), id).toBeUndefined();
      }
    },
  );

  test.each(addresses)("%s: %s", (code, text) => {
    expect(screenValue(rowOf("name"), text.replace(/^\/\//, "x //"))).toSatisfy(
      (found) => found === code || found === "attribute_shape",
    );
    const passed = [text, ...disguises(text)].flatMap((each) =>
      textRows
        .filter((row) => !mayStand(row, text))
        .filter((row) => screenValue(row, asValue(row, each)) === undefined)
        .map((row) => `${row.shape}: ${each}`),
    );
    expect(passed).toEqual([]);
  });

  test("a hex id is no account, though its length, country and remainder would do", () => {
    const ids = ["be30a4d1c7f02b96", "be30a4d1c7f02b97"];
    for (let at = 0; at < 97; at++) ids.push(`be${String(at).padStart(2, "0")}a4d1c7f02b96`);
    expect(ids.filter((id) => screenValue(rowOf("id"), id) !== undefined)).toEqual([]);
    expect(screenValue(rowOf("id"), "BE68539007547034")).toBe("attribute_card");
  });

  test("a span id passes whatever its bytes are, and longer hex is decoded", () => {
    for (const id of ["3a203e30513b5844", "2f2f7656693b3031"]) {
      const texts = [id, `${id}:result`];
      expect(texts.filter((text) => screenValue(rowOf("id"), text) !== undefined)).toEqual([]);
    }
    const longer = Buffer.from("bob:Pa55w0rd").toString("hex");
    expect(screenValue(rowOf("id"), longer)).toBe("attribute_credential");
  });

  test("an identity that looks like one is refused by us and keyed by a receiver", () => {
    const row = rowOf("id");
    const key = (value: string): string => `k1_${Buffer.from(value).toString("hex").slice(0, 26)}`;
    for (const [, text] of addresses.filter(([, each]) => !mayStand(row, each))) {
      expect(screenIdentity(row, text)).toEqual({ code: "identity_not_opaque" });
      expect(screenIdentity(row, text, { key })).toEqual({ value: key(text), keyed: true });
    }
  });
});
