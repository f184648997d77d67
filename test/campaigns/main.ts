/**
 * @module Main of `npm run campaign`: runs one campaign for so many minutes or rounds, one round
 * again, or writes the page (`--page`). Without a name it lists all. Node reads no TSX, so the
 * collector is the built one. Exit code 1 is a finding, 2 a wrong call.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { added } from "./campaign.ts";
import type { Campaign, Figures } from "./campaign.ts";
import { campaigns } from "./list.ts";
import { campaignsPage, pageOf } from "./page.ts";
import { nextRound, readEntries, writeEntry } from "./results.ts";
import type { Entry } from "./results.ts";

const saveEveryMs = 30_000;
/** Longest end of a round after a signal. */
const stopMsMax = 30_000;

const usage = `node test/campaigns/main.ts [<campaign>] [options]

  --minutes <n>  for so many minutes (default 1)
  --runs <n>     so many rounds
  --round <n>    one round again, without a result
  --page         writes docs/campaigns.md from the results
  --help         this text
`;

/** A wrong call: one line and exit code 2. */
function refuse(code: string, text: string): never {
  process.stderr.write(`${code}: ${text}\n`);
  process.exit(2);
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: "string" },
        runs: { type: "string" },
        round: { type: "string" },
        page: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch {
    return refuse("option_unknown", "options are --minutes, --runs, --round, --page and --help.");
  }
}

const { values, positionals } = parsed();
for (const name of ["minutes", "runs", "round"] as const) {
  const given = values[name];
  if (given !== undefined && !/^\d+(\.\d+)?$/.test(given)) {
    refuse("option_invalid", `--${name} takes a number.`);
  }
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}

/** The commit under attack. */
function commit(): string {
  const changed = git("status", "--porcelain", "--", "packages", "collector");
  return `${git("rev-parse", "--short=8", "HEAD")}${changed === "" ? "" : "+"}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function list(): void {
  for (const { name, promise, unit, goal } of campaigns) {
    const own = readEntries().filter((entry) => entry.campaign === name);
    const sum = own.reduce<Figures>((all, { figures }) => added(all, figures), {});
    print(`${name.padEnd(18)} ${sum[unit] ?? 0} of ${goal} ${unit}\n  ${promise}`);
  }
}

function writePage(): void {
  writeFileSync(campaignsPage, pageOf(campaigns, readEntries()));
}

/** Runs rounds until the time or their number is used up, a stop is requested, or one finds. */
async function run(campaign: Campaign): Promise<boolean> {
  const until = performance.now() + Number(values.minutes ?? (values.runs ? 1e6 : 1)) * 60_000;
  const runs = Number(values.runs ?? Infinity);
  const began = new Date();
  const start = performance.now();
  let entry: Entry = {
    campaign: campaign.name,
    began: began.toISOString(),
    commit: commit(),
    node: process.version,
    first: nextRound(readEntries(), campaign.name),
    rounds: 0,
    seconds: 0,
    figures: {},
    found: null,
  };
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // A second signal, or a round that does not end, ends the process and its children.
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
      setTimeout(() => process.exit(1), stopMsMax).unref();
    });
  }
  const rounds = await campaign.open();
  let saved = start;
  const timed = (): number => Math.round((performance.now() - start) / 1_000);
  while (performance.now() < until && entry.rounds < runs && !stop.signal.aborted) {
    const seed = entry.first + entry.rounds;
    try {
      const figures = added(entry.figures, await rounds.round(seed));
      entry = { ...entry, rounds: entry.rounds + 1, seconds: timed(), figures };
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      print(error instanceof Error ? String(error.stack) : what);
      const found = { round: seed, what: what.split("\n")[0]?.slice(0, 200) ?? "" };
      entry = { ...entry, rounds: entry.rounds + 1, seconds: timed(), found };
      break;
    }
    if (performance.now() - saved > saveEveryMs) {
      saved = performance.now();
      writeEntry(entry);
      writePage();
      print(`${entry.seconds} s ${JSON.stringify(entry.figures)}`);
    }
  }
  await rounds.close();
  writeEntry(entry);
  writePage();
  print(JSON.stringify(entry, undefined, 2));
  return entry.found === null;
}

const campaign = campaigns.find(({ name }) => name === positionals[0]);
if (values.help === true) {
  print(usage);
  list();
} else if (values.page === true) writePage();
else if (positionals.length === 0) list();
else if (campaign === undefined) {
  refuse("campaign_unknown", `there are ${campaigns.map(({ name }) => name).join(", ")}.`);
} else if (values.round !== undefined) {
  const rounds = await campaign.open();
  print(JSON.stringify(await rounds.round(Number(values.round))));
  await rounds.close();
} else {
  process.exitCode = (await run(campaign)) ? 0 : 1;
}
