/**
 * Whatever goes in, what comes out of the guard keeps every promise (privacy: How a value is
 * judged).
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  attributeBySpanName,
  codes,
  eventKinds,
  limits,
  mayCarry,
  registryRows,
  screen,
  screenIdentity,
  screenOperation,
  screenValue,
} from "@turnproof/semconv";
import type { AttributeRow, EventKind } from "@turnproof/semconv";

import { ordinaryTexts } from "./corpus-ordinary.ts";
import { drawer, seeded } from "./corpus-random.ts";
import { addresses, disguises, vendorTokens } from "./corpus-secrets.ts";
import { mayStand } from "./places.ts";

const numRuns = Number(process.env["TURNPROOF_TEST_RUNS"] ?? 1_500);

const draw = drawer(seeded(23));
const secrets = [
  ...Object.values(vendorTokens).map((make) => make(draw)),
  ...addresses.map(([, text]) => text),
].flatMap((secret) => [secret, ...disguises(secret)]);
const ordinary = ordinaryTexts.flatMap((each) => each.texts);

const spanNames = registryRows.map((row) => row.span);
const oddKeys = ["__proto__", "constructor", "toString", "hasOwnProperty", "a.__proto__.b", ""];

const oddValues = (): unknown[] => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const sparse: unknown[] = [];
  sparse[20] = "x";
  return [
    null,
    undefined,
    Number.NaN,
    Infinity,
    -Infinity,
    -0,
    2 ** 60,
    10n,
    Symbol("x"),
    () => "x",
    new Date(0),
    new String("x"),
    new Number(1),
    new Uint8Array(4),
    new Float64Array([1, 2]),
    new Map([["a", 1]]),
    { nested: { deep: "x" } },
    [["x"]],
    [{ a: 1 }],
    cycle,
    sparse,
    Array.from({ length: 1_000 }, () => "x"),
    "x".repeat(241),
    "x".repeat(1_000_000),
    "x".repeat(240),
    "\u0000",
    "\ud800",
    "a\nb",
    new Proxy([], {
      get() {
        throw new Error("trap");
      },
    }),
  ];
};

const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(...ordinary),
  fc.constantFrom(...secrets),
  fc.array(fc.constantFrom(...ordinary, ...secrets), { maxLength: 40 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.oneof(fc.integer(), fc.boolean(), fc.double()), { maxLength: 40 }),
  fc.constantFrom(...oddValues()),
  fc.anything(),
);

const anyRecord = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...spanNames, ...oddKeys), fc.string()), anyValue), {
    maxLength: 90,
  })
  .map((entries) => {
    const record: Record<string, unknown> = {};
    for (const [key, value] of entries) {
      Object.defineProperty(record, key, { value, enumerable: true, configurable: true });
    }
    return record;
  });

function expectClean(kept: Record<string, unknown>, kind: EventKind | undefined): void {
  expect(Object.getPrototypeOf(kept)).toBeNull();
  expect(Object.keys(kept).length).toBeLessThanOrEqual(limits.attributesMax);
  for (const [key, value] of Object.entries(kept)) {
    const row = attributeBySpanName.get(key) as AttributeRow;
    expect(row).toBeDefined();
    if (kind !== undefined) expect(mayCarry(row, kind)).toBe(true);
    const scalars = Array.isArray(value) ? value : [value];
    expect(row.type.endsWith("[]")).toBe(Array.isArray(value));
    expect(scalars.length).toBeLessThanOrEqual(limits.listEntriesMax);
    for (const scalar of scalars) {
      expect(["string", "number", "boolean"]).toContain(typeof scalar);
      if (typeof scalar === "number") expect(Number.isFinite(scalar)).toBe(true);
      if (typeof scalar === "string") expect(scalar.length).toBeLessThanOrEqual(row.cap);
      if (row.holds !== "state" && !mayStand(row, String(scalar))) {
        expect(secrets).not.toContain(scalar);
      }
    }
  }
}

describe("screen", () => {
  test("keeps only what is registered, flat, finite, capped and free of secrets", () => {
    fc.assert(
      fc.property(anyRecord, fc.option(fc.constantFrom(...eventKinds)), (record, kind) => {
        const options = { names: "span", ...(kind === null ? {} : { kind }) } as const;
        const first = screen(record, options);
        expectClean(first.kept, kind ?? undefined);
        expect(Object.getPrototypeOf(first.refused)).toBeNull();
        for (const code of Object.keys(first.refused)) expect(Object.keys(codes)).toContain(code);
        const counted = Object.values(first.refused).reduce((sum, count) => sum + count, 0);
        expect(counted).toBe(first.refusedCount);
        const again = screen(first.kept, options);
        expect(again).toEqual({ kept: first.kept, refused: {}, refusedCount: 0 });
      }),
      { numRuns },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("never throws: getters, traps and symbols", () => {
    const bad = {
      get "gen_ai.request.model"(): string {
        throw new Error("content");
      },
      [Symbol("s")]: 1,
      "gen_ai.tool.name": "search",
    };
    const { kept, refused } = screen(bad, { names: "span" });
    expect(kept).toEqual({ "gen_ai.tool.name": "search" });
    expect(refused).toEqual({ attribute_type: 1 });
    const trapped = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("content");
        },
      },
    );
    expect(screen(trapped, { names: "event" }).kept).toEqual({});
    const inherited = Object.create({ "gen_ai.tool.name": "search" }) as object;
    expect(screen(inherited, { names: "span" }).kept).toEqual({});
  });

  test("what was judged is what is kept, though a list answers differently each time", () => {
    let reads = 0;
    const shifting = new Proxy(["stop"], {
      get(target, key, receiver) {
        if (key === "0") return reads++ === 0 ? "stop" : addresses[0]?.[1];
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const { kept } = screen({ "gen_ai.response.finish_reasons": shifting }, { names: "span" });
    expect(kept["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
  });

  test("the 65th attribute is refused by the limit", () => {
    const wide: Record<string, unknown> = {};
    for (const row of registryRows.filter((each) => each.type === "int")) wide[row.event] = 1;
    for (const row of registryRows.filter((each) => each.type === "boolean"))
      wide[row.event] = true;
    for (const row of registryRows.filter(
      (each) => each.shape === "label" && each.type === "string",
    )) {
      wide[row.event] = "x";
    }
    const { kept, refused, refusedCount } = screen(wide, { names: "event" });
    expect(Object.keys(kept)).toHaveLength(limits.attributesMax);
    expect(refused).toEqual({ attribute_limit: refusedCount });
    expect(refusedCount).toBe(Object.keys(wide).length - limits.attributesMax);
  });

  test("each refusal has its own code", () => {
    const code = (name: string, value: unknown, kind?: EventKind): string | undefined =>
      Object.keys(screen({ [name]: value }, { names: "event", ...(kind && { kind }) }).refused)[0];
    expect(code("nothing_of_ours", 1)).toBe("attribute_unknown");
    expect(code("rating", 1, "tool_call")).toBe("attribute_kind");
    expect(code("rating", "1")).toBe("attribute_type");
    expect(code("rating", 1.5)).toBe("attribute_type");
    expect(code("rating", Number.NaN)).toBe("attribute_nonfinite");
    expect(code("input_tokens", -1)).toBe("attribute_nonfinite");
    expect(code("metric_values", [1, Infinity])).toBe("attribute_nonfinite");
    expect(code("metric_values", [Number(`4${"1".repeat(15)}`)])).toBe("attribute_card");
    expect(code("label", { a: 1 })).toBe("attribute_nested");
    expect(code("metric_names", [["a"]])).toBe("attribute_nested");
    expect(
      code(
        "metric_names",
        Array.from({ length: 33 }, () => "a"),
      ),
    ).toBe("attribute_list_too_long");
    expect(code("label", "a".repeat(241))).toBe("attribute_too_long");
    expect(code("label", "two words")).toBe("attribute_shape");
    expect(code("parser_status", "fine")).toBe("attribute_value");
    expect(code("label", "a".repeat(240))).toBeUndefined();
    expect(code("acknowledged", null)).toBeUndefined();
  });
});

describe("single values", () => {
  test("no row lets a secret through, and none throws", () => {
    fc.assert(
      fc.property(fc.constantFrom(...registryRows), anyValue, (row, value) => {
        const code = screenValue(row, value);
        if (code !== undefined) expect(Object.keys(codes)).toContain(code);
        else if (typeof value === "string" && !mayStand(row, value)) {
          expect(secrets).not.toContain(value);
        }
      }),
      { numRuns },
    );
  });

  test("an identity is kept, keyed or refused, and its key is never a secret", () => {
    const row = registryRows.find((each) => each.event === "user_id") as AttributeRow;
    fc.assert(
      fc.property(anyValue, (value) => {
        const screened = screenIdentity(row, value, { key: () => "k1_abcdefghijklmnopqrstuvwxyz" });
        if ("code" in screened) {
          expect(["attribute_type", "identity_empty"]).toContain(screened.code);
        } else {
          expect(screenValue(row, screened.value)).toBeUndefined();
          expect(typeof value === "string" && !screened.keyed ? value : screened.value).toBe(
            screened.value,
          );
        }
      }),
      { numRuns },
    );
    expect(screenIdentity(row, "jane@example.org")).toEqual({ code: "identity_not_opaque" });
    expect(screenIdentity(row, "Jane\nDoe")).toEqual({ code: "identity_not_opaque" });
    expect(screenIdentity(row, "")).toEqual({ code: "identity_empty" });
    expect(screenIdentity(row, 42)).toEqual({ value: "42", keyed: false });
  });

  test("an operation name is a lower-case word that tells nothing", () => {
    expect(screenOperation("charge_card")).toBeUndefined();
    expect(screenOperation("queue.publish-v2")).toBeUndefined();
    for (const name of ["", "Charge", "a b", "1a", "x".repeat(65), "é"]) {
      expect(screenOperation(name)).toBe("operation_name_invalid");
    }
    expect(screenOperation(`da${"pi"}${"0a1b2c3d".repeat(4)}`)).toBe("attribute_credential");
  });
});
