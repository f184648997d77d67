/**
 * The judge of the collector with and without twenty contracts in its folder, over the same turns:
 *
 *   npx node -C @turnproof/source test/bench/contracts/judge.ts [events]
 *
 * Passes with and without them alternate; the figures are the medians of five after a warm one, in
 * milliseconds of process CPU. Exits with 1 when the contracts make a turn's judgement more than five
 * times as dear, or when a turn has no result.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { groupBy } from "@turnproof/semconv";

import { draftJudge } from "../../../collector/src/judge/judge-drafts.ts";
import { openStandingContracts } from "../../../collector/src/judge/standing-contracts.ts";
import { buildWindow } from "../evidence/window.ts";
import { contracts } from "./twenty.ts";

const ratioMost = 5;
const receivedAt = "2026-11-25T12:00:00.000000Z";
const events = buildWindow(Number(process.argv[2] ?? 100_000)).map((event): TurnEvent => ({
  ...event,
  received_at: receivedAt,
}));
const turns = [...groupBy(events, (event) => `${event.root_trace_id} ${event.turn_id}`).values()];

const folder = mkdtempSync(join(tmpdir(), "turnproof-twenty-"));
writeFileSync(join(folder, "twenty.json"), JSON.stringify({ version: 1, contracts }));
const standing = await openStandingContracts({ contracts: folder });

/** CPU of a pass over all turns, and the results of contracts in it. */
function pass(judge: ReturnType<typeof draftJudge>): { readonly ms: number; results: number } {
  const before = process.cpuUsage();
  let results = 0;
  for (const own of turns) {
    const judgement = judge({ root: "", events: own, rows: 1, epoch: 0 })?.({} as never, own);
    if (judgement === undefined) throw new Error("a turn is not judged");
    results += judgement.contracts?.length ?? 0;
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, results };
}

const [plain, judged] = [draftJudge({}), draftJudge({}, standing)];
const passes = Array.from({ length: 6 }, () => [pass(plain), pass(judged)] as const).slice(1);
const median = (at: 0 | 1): number =>
  passes.map((both) => both[at].ms).toSorted((a, b) => a - b)[2] ?? 0;
standing?.close();
rmSync(folder, { recursive: true });

// Each result has a name with the contract's version and one without.
const results = (passes[0]?.[1].results ?? 0) / 2;
const ratio = median(1) / median(0);
console.log(`${events.length} events, ${turns.length} turns, ${contracts.length} contracts`);
console.log(`judge ${median(0).toFixed(0)} ms, with contracts ${median(1).toFixed(0)} ms`);
console.log(`ratio ${ratio.toFixed(2)}; at most ${ratioMost}`);
if (results !== turns.length * contracts.length || ratio > ratioMost) process.exitCode = 1;
