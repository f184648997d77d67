/**
 * @module Ledger bench: questions over many turns in the engines that lie beside the collector, in
 * one run: `node -C @turnproof/source test/bench/ledger/run.ts [turns] [clickhouse|sqlite|postgres
 * …]`. Prints the median and the slowest of the rounds in milliseconds, each as a ratio to counting
 * every turn of that engine as well, and exits with 1 where a bound is exceeded.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse, filesystem, postgres } from "@turnproof/store";
import type { EvidenceStore, TurnLedger, TurnQuery } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { turnsBetween } from "./generate.ts";

const [given = "100000", ...named] = process.argv.slice(2);
const turns = Number(given);
const rounds = 9;
const perWrite = 5_000;

const engines: Readonly<Record<string, (directory: string) => Promise<EvidenceStore>>> = {
  clickhouse: (dataDir) => clickhouse({ connection: { dataDir } }),
  sqlite: async (directory) => (await filesystem({ directory })).evidence,
  postgres: async (path) => (await postgres({ path })).evidence,
};

/** Milliseconds at 100,000 turns; what a list shows must not depend on how many turns there are. */
const boundsMs: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  clickhouse: { "newest 100": 80, "longest 100": 160, "facets of 8 fields": 500 },
  sqlite: { "newest 100": 30, "longest 100": 60, "facets of 8 fields": 300 },
};

const all: TurnQuery = { scope: allTenants, where: [] };
const day = { time: "ended_at", from: "2026-05-10T00:00:00Z", to: "2026-05-11T00:00:00Z" } as const;
const rare: TurnQuery = {
  scope: allTenants,
  where: [
    { list: "code", has: "artifact_missing" },
    { text: "agent_id", is: "agent 3" },
    { number: "duration_ms", sign: ">", value: 40_000 },
  ],
};

const questions: Readonly<Record<string, (ledger: TurnLedger) => Promise<unknown>>> = {
  count: (ledger) => ledger.countTurns(all),
  "newest 100": (ledger) => ledger.listTurns(all, { order: { by: "first_received" }, limit: 100 }),
  "newest 100 by end": (ledger) => ledger.listTurns(all, { order: { by: "ended_at" }, limit: 100 }),
  "longest 100": (ledger) => ledger.listTurns(all, { order: { by: "duration_ms" }, limit: 100 }),
  "newest 100 of one agent": (ledger) =>
    ledger.listTurns(
      { ...all, where: [{ text: "agent_id", is: "agent 3" }] },
      { order: { by: "first_received" }, limit: 100 },
    ),
  "newest 100 of one tenant": (ledger) =>
    ledger.listTurns(
      { scope: { tenant: "user 77" }, where: [] },
      { order: { by: "ended_at" }, limit: 100 },
    ),
  "rare, three conditions": (ledger) =>
    ledger.listTurns(rare, { order: { by: "first_received" }, limit: 100 }),
  "facets of 8 fields": (ledger) =>
    ledger.turnFacets(
      all,
      ["agent_id", "status", "verdict", "tool_name", "model", "release", "code", "application_id"],
      50,
    ),
  "trend, 50 stretches": (ledger) => ledger.turnFigures(all, { everyMs: 14 * 1_728_000 }),
  "one day by verdict": (ledger) => ledger.turnFigures({ ...all, where: [day] }, { by: "verdict" }),
  "tools by name": (ledger) => ledger.callFigures(all, "tool", ["name"]),
};

let exceeded = false;
for (const name of named.length > 0 ? named : ["clickhouse", "sqlite"]) {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-bench-ledger-"));
  try {
    const open = engines[name];
    if (open === undefined) throw new RangeError(`no engine is called ${name}`);
    const store = await open(directory);
    await measure(name, store.ledger);
    await store.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
process.exit(exceeded ? 1 : 0);

async function measure(name: string, ledger: TurnLedger): Promise<void> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let at = 0; at < turns; at += perWrite) {
    await ledger.putTurns(turnsBetween(at, Math.min(at + perWrite, turns)));
  }
  const spent = process.cpuUsage(cpu);
  const wall = ((performance.now() - began) * 1_000) / turns;
  const used = (spent.user + spent.system) / turns;
  console.log(
    `${name}: ${turns} turns, write ${wall.toFixed(0)} µs, CPU ${used.toFixed(0)} µs each`,
  );
  let base = 1;
  for (const [question, request] of Object.entries(questions)) {
    const times: number[] = [];
    await request(ledger);
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now();
      await request(ledger);
      times.push(performance.now() - start);
    }
    const { user, system } = process.cpuUsage(before);
    times.sort((a, b) => a - b);
    const median = times[Math.floor(rounds / 2)] ?? 0;
    if (question === "count") base = median;
    const bound = boundsMs[name]?.[question];
    const isOver = bound !== undefined && turns <= 100_000 && median > bound;
    if (isOver) exceeded = true;
    const figures = [
      median.toFixed(1).padStart(8),
      (times.at(-1) ?? 0).toFixed(1).padStart(8),
      ((user + system) / rounds / 1_000).toFixed(1).padStart(8),
      `${(median / base).toFixed(1)} ×`.padStart(9),
    ];
    console.log(`  ${question.padEnd(26)}${figures.join("")}${isOver ? `  over ${bound} ms` : ""}`);
  }
}
