/** The page of campaigns states what their results hold, and no result is of a campaign unknown. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { campaigns } from "../../campaigns/list.ts";
import { campaignsPage, pageOf } from "../../campaigns/page.ts";
import { nextRound, readEntries } from "../../campaigns/results.ts";

test("docs/campaigns.md is made of the results", () => {
  expect(readFileSync(campaignsPage, "utf8")).toBe(pageOf(campaigns, readEntries()));
});

test("each result is of a campaign, and each that found something names its mend", () => {
  const names = new Set(campaigns.map(({ name }) => name));
  for (const { campaign, found, mended } of readEntries()) {
    expect([campaign, names.has(campaign)]).toEqual([campaign, true]);
    expect([campaign, found === null || mended !== undefined]).toEqual([campaign, true]);
  }
});

test("a later run goes on with the round after the last one", () => {
  const [entry] = readEntries();
  if (entry === undefined) throw new Error("no results");
  const runs = [
    { ...entry, campaign: "a", first: 0, rounds: 5 },
    { ...entry, campaign: "b", first: 0, rounds: 9 },
    { ...entry, campaign: "a", first: 5, rounds: 2 },
  ];
  expect(["a", "b", "c"].map((name) => nextRound(runs, name))).toEqual([7, 9, 0]);
});

test.each([
  [["--help"], 0, /--minutes <n>[^]*power-cuts/],
  [["--nope"], 2, /^option_unknown: .*\n$/],
  [["nope"], 2, /^campaign_unknown: .*soak.*\n$/],
  [["soak", "--minutes", "x"], 2, /^option_invalid: --minutes takes a number\.\n$/],
] as const)("a call with %j", (args, status, text) => {
  const main = fileURLToPath(new URL("../../campaigns/main.ts", import.meta.url));
  const given = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  expect([given.status, given.stdout + given.stderr]).toEqual([
    status,
    expect.stringMatching(text),
  ]);
});

test.each(campaigns.filter(({ name }) => ["forgeries", "power-cuts"].includes(name)))(
  "a round of $name",
  async (campaign) => {
    const rounds = await campaign.open();
    const figures = await rounds.round(0);
    await rounds.close();
    expect(figures[campaign.unit]).toBeGreaterThan(0);
  },
);
