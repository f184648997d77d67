/**
 * @module Second judge beside the guard: what secretlint calls a secret, no shape lets through; and
 * what the guard lets through, secretlint finds nothing in.
 */
import { registryRows, screenValue } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { ordinaryTexts, randomIds } from "./corpus-ordinary.ts";
import { publishedTokens } from "./corpus-published.ts";
import { drawer, seeded } from "./corpus-random.ts";
import { disguises, vendorTokens } from "./corpus-secrets.ts";
import { mayStand } from "./places.ts";
import { judged } from "./second-judge.ts";

const rows = registryRows.filter(
  (row, at) =>
    row.type === "string" &&
    row.shape !== "closed" &&
    row.shape !== "none" &&
    registryRows.findIndex((each) => each.shape === row.shape && each.type === "string") === at,
);
const passes = (text: string): boolean =>
  rows.some((row) => screenValue(row, text) === undefined && !mayStand(row, text));

const draw = drawer(seeded(13));
const makers = Object.values({ ...vendorTokens, ...publishedTokens });
const secrets = Array.from({ length: 5 }, () => makers.map((make) => make(draw))).flat();

test("whatever the second judge calls a secret, the guard refuses", async () => {
  const texts = secrets.flatMap((secret) => [secret, ...disguises(secret)]);
  const found = await judged(texts);
  expect(found.length).toBeGreaterThan(300);
  expect(found.filter(passes).map((text) => text.slice(0, 12))).toEqual([]);
});

test("in nothing that the guard lets through does the second judge see a secret", async () => {
  const ids = Object.values(randomIds).flatMap((make) =>
    Array.from({ length: 50 }, () => make(draw)),
  );
  const texts = [...ordinaryTexts.flatMap((each) => each.texts), ...ids].filter(passes);
  expect(texts.length).toBeGreaterThan(2_000);
  expect(await judged(texts)).toEqual([]);
});
