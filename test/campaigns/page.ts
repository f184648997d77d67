/** @module The page of campaigns, made from their results. */
import { fileURLToPath } from "node:url";

import { added } from "./campaign.ts";
import type { Campaign, Figures } from "./campaign.ts";
import type { Entry } from "./results.ts";

/** Where the page stands. */
export const campaignsPage: string = fileURLToPath(
  new URL("../../docs/campaigns.md", import.meta.url),
);

const count = (value: number): string => Math.round(value).toLocaleString("en-US");

const lasted = (seconds: number): string =>
  seconds < 120 ? `${count(seconds)} s` : `${count(seconds / 60)} min`;

const listed = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => {
      const words = name.replace(/_max$/, "").replaceAll("_", " ");
      return `${count(value)} ${words}${name.endsWith("_max") ? " at most" : ""}`;
    })
    .join(", ");

const sentence = ({ found, mended }: Entry): string => {
  if (found === null) return "nothing";
  return `round ${found.round}: ${found.what}${mended === undefined ? "" : `; ${mended}`}`;
};

function section(campaign: Campaign, entries: readonly Entry[]): string {
  const own = entries.filter((entry) => entry.campaign === campaign.name);
  const sum = own.reduce<Figures>((all, { figures }) => added(all, figures), {});
  const seconds = own.reduce((all, entry) => all + entry.seconds, 0);
  const done =
    own.length === 0
      ? `Not run yet. The goal is ${count(campaign.goal)} ${campaign.unit}.`
      : `So far: ${count(sum[campaign.unit] ?? 0)} of ${count(campaign.goal)} ${campaign.unit} in ` +
        `${lasted(seconds)}.`;
  const rows = own.map(
    (entry) =>
      `| ${entry.began.slice(0, 16).replace("T", " ")} | \`${entry.commit}\` | ` +
      `${lasted(entry.seconds)} | ${listed(entry.figures)} | ${sentence(entry)} |`,
  );
  const table = [
    "| Began (UTC) | Commit | Time | What was done | Found |",
    "|---|---|---|---|---|",
  ];
  return [
    `## ${campaign.name}`,
    campaign.promise,
    done,
    ...(rows.length === 0 ? [] : [[...table, ...rows].join("\n")]),
  ].join("\n\n");
}

/** The text of the page. */
export function pageOf(campaigns: readonly Campaign[], entries: readonly Entry[]): string {
  const opening = `# Campaigns

A campaign attacks one promise in numbered rounds, for a time that its caller sets. A later run
continues with the next number. The suites run the first rounds of each campaign. The figures here
are of longer runs, each at the commit beside it.

\`\`\`sh
npm run campaign                                   # lists them, with what was done
npm run campaign -- power-cuts --minutes 30        # for half an hour
npm run campaign -- power-cuts --runs 10           # ten rounds
npm run campaign -- power-cuts --round 17          # one round again, without a result
\`\`\`

A run writes its result to \`test/campaigns/results.json\` and this page every half minute.
A commit with \`+\` had changes in its packages that were not committed. A run that finds something
ends with exit code 1; what it found becomes a test.`;
  const sections = campaigns.map((campaign) => section(campaign, entries));
  return `${[opening, ...sections].join("\n\n")}\n`;
}
