/** @module CompareTurns: what changed between two turns, and between two releases. */
import { isoTime } from "@turnproof/semconv";

import type { ComparedModel } from "../pages/compare/route.ts";
import { releaseTerm } from "../pages/releases/route.ts";
import type { ReleasesModel } from "../pages/releases/route.ts";
import type { TurnsModel } from "../pages/turns/route.ts";
import type { TrendModel } from "../turns/counted-trend.ts";
import type { CohortRow } from "../ui/display/cohort-figures.ts";
import { sideText } from "../ui/display/cohort-texts.ts";
import { durationText, shareText } from "../ui/display/figures.ts";
import { chanceText } from "../ui/display/share-texts.ts";
import { tokensPerTurn } from "../ui/display/trend.ts";
import type { TrendFigures } from "../ui/display/trend.ts";
import { turnsText } from "../ui/elements/time-figure.tsx";
import { AnswerText, evidence, value } from "./answer-text.ts";
import type { Requester } from "./requester.ts";
import { aTime, anAgent, anId, timeForms, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";

/** What changed between these two turns? */
export const compareTurns: Tool = tool({
  name: "compare_two_turns",
  title: "What changed between two turns?",
  description:
    "Verdicts, duration, tokens, operations, sources, artifacts, contracts and deliveries that " +
    "differ between two roots of one agent. Shows what changed, not what is better.",
  input: {
    baseline_root: anId.describe("Root trace that is compared against."),
    candidate_root: anId.describe("Root trace that is compared."),
    agent_id: anAgent.describe("Their agent; default the candidate's."),
  },
  async answer(request, { baseline_root, candidate_root, agent_id }) {
    const agent = agent_id ?? (await agentOf(request, candidate_root));
    if (agent === undefined) {
      return new AnswerText().add(`No turn of root ${value(candidate_root)} is in your scope.`);
    }
    const sides = { agent_id: agent, baseline_root, candidate_root };
    const model = await request.json<ComparedModel>("/traces/compare.json", sides);
    const text = new AnswerText();
    addSums(text, model);
    addChanges(text, model);
    return text.end(`page: ${request.link("/traces/compare", sides)}`);
  },
});

async function agentOf(request: Requester, root: string): Promise<string | undefined> {
  const query = { q: `root:${JSON.stringify(root)}`, limit: 1 };
  const { items } = await request.json<TurnsModel>("/traces/turns.json", query);
  return items[0]?.agent_id;
}

type Pair = ComparedModel["duration_ms"];

function pairText(name: string, of: Pair, words: (figure: number) => string): string {
  const side = (figure: number | null): string => (figure === null ? "unknown" : words(figure));
  const beyond = of.beyond_tolerance === true ? ", beyond tolerance" : "";
  return `${name}: ${side(of.baseline)} -> ${side(of.candidate)}${beyond}`;
}

function addSums(text: AnswerText, model: ComparedModel): void {
  const { verdicts, releases, trust, counts } = model;
  const names = (list: readonly string[]): string => list.map(value).join(" ") || "not recorded";
  text.add(
    `verdict: ${verdicts.baseline} -> ${verdicts.candidate}`,
    `release: ${names(releases.baseline)} -> ${names(releases.candidate)}`,
    pairText("duration", model.duration_ms, durationText),
    pairText("tokens", model.tokens, String),
    `operations: ${counts.matched} matched, ${counts.added} added, ${counts.removed} removed, ` +
      `${counts.changed} changed, ${counts.ambiguous} ambiguous`,
    trust.baseline.complete && trust.candidate.complete
      ? undefined
      : "A side was not read whole: what it lacks is not established.",
  );
}

function addChanges(text: AnswerText, model: ComparedModel): void {
  for (const one of model.operations) {
    const slower = one.duration_ms.beyond_tolerance === true;
    if (one.change === "unchanged" && one.changed_fields.length === 0 && !slower) continue;
    const ids = [one.baseline_event_id, one.candidate_event_id].filter((id) => id !== null);
    const fields = one.changed_fields.length === 0 ? "" : ` in ${one.changed_fields.join(", ")}`;
    const took = slower ? `, ${pairText("duration", one.duration_ms, durationText)}` : "";
    text.add(
      `${one.change} ${one.event_kind} ${value(one.operation)}${fields}${took}${evidence(ids)}`,
    );
  }
  for (const one of model.sources) {
    if (one.change !== "unchanged") {
      text.add(`source ${value(one.resource_type)} ${value(one.ref)} ${one.change}`);
    }
  }
  for (const [name, rows] of [
    ["artifact", model.artifacts],
    ["contract", model.contracts],
    ["delivery", model.deliveries],
  ] as const) {
    for (const one of rows) {
      if (one.change === "unchanged") continue;
      const sides = [one.baseline, one.candidate].map((side) => side?.join(", ") ?? "none");
      text.add(`${name} ${value(one.name)} ${one.change}: ${sides.join(" -> ")}`);
    }
  }
}

/** What changed between these two releases? */
export const compareReleases: Tool = tool({
  name: "compare_two_releases",
  title: "What changed between two releases?",
  description:
    "Turns, verdicts, durations, failed tools and tokens of two releases, exact over all their " +
    "turns, what differs beyond chance, and a pair of turns to compare. Without names, the two " +
    "that appeared last.",
  input: {
    baseline: anId.optional().describe("Release that is compared against."),
    candidate: anId.optional().describe("Release that is compared."),
    agent_id: anAgent,
    since: aTime.optional().describe(`Only turns that ended at or after this time: ${timeForms}.`),
    until: aTime.optional().describe(`Only turns that ended before this time: ${timeForms}.`),
  },
  async answer(request, { baseline, candidate, agent_id, since, until }) {
    const filter = { agent_id, start_time: since, end_time: until };
    const { releases } = await request.json<TrendModel>("/traces/trend.json", filter);
    const named = releases.filter(({ release }) => release !== null);
    const text = new AnswerText();
    const [before, after] = [
      named.find(({ release }) => release === baseline) ??
        (baseline === undefined ? named.at(-2) : undefined),
      named.find(({ release }) => release === candidate) ??
        (candidate === undefined ? named.at(-1) : undefined),
    ];
    if (before === undefined || after === undefined) {
      const known = named.map(({ release }) => value(release)).join(" ") || "none";
      return text.add(`Two releases are needed; in your scope are: ${known}.`);
    }
    for (const [side, of] of [
      ["baseline", before],
      ["candidate", after],
    ] as const) {
      text.add(`${side} ${releaseLine(of)}`);
    }
    const sides = {
      ...filter,
      a: releaseTerm(before.release ?? ""),
      b: releaseTerm(after.release ?? ""),
    };
    const { compared } = await request.json<ReleasesModel>("/traces/compare/releases.json", sides);
    const [pair] = compared?.pairs ?? [];
    if (pair !== undefined) {
      text.add(
        `a pair of turns: baseline_root ${value(pair.baseline_root)} candidate_root ` +
          `${value(pair.candidate_root)} agent_id ${value(pair.agent_id)}`,
      );
    }
    for (const { name, rows } of compared?.groups ?? []) {
      for (const row of rows) {
        if (row.significant) text.add(`differs: ${value(name)} ${changeLine(row)}`);
      }
    }
    return text.end(`page: ${request.link("/traces/compare/releases", sides)}`);
  },
});

function changeLine(row: CohortRow): string {
  const [a, b] = [row.a, row.b].map((side) => sideText(side, row.unit) ?? "unknown");
  return `${value(row.name)} ${a} -> ${b}, p ${row.p === null ? "unknown" : chanceText(row.p)}`;
}

function releaseLine(of: TrendModel["releases"][number]): string {
  const verdicts = Object.entries(of.verdicts).map(
    ([word, count]) => `${word} ${count} (${shareText(count, of.turns)})`,
  );
  const took = (ms: number | null): string => (ms === null ? "unknown" : durationText(ms));
  return [
    `${value(of.release)}: ${of.turns} turns`,
    verdicts.join(", "),
    `p50 ${took(of.p50_ms)}, p95 ${took(of.p95_ms)}`,
    `tool results ${of.tool_results}, limited ${of.tool_limited}, failed ${of.tool_failed}`,
    tokensText(of),
    `from ${isoTime(of.first_ms)} to ${isoTime(of.last_ms)}`,
  ].join("; ");
}

/** The mean over the turns with counts, at least where a count is missing; and the other turns. */
function tokensText(of: TrendFigures): string {
  const each = tokensPerTurn(of);
  if (each === null) return "tokens per turn unknown";
  const mean = of.tokens_partial ? `at least ${Math.floor(each)}` : String(Math.round(each));
  const others = of.turns - of.tokens_turns;
  const none = others === 0 ? "" : ` (${turnsText(others)} reported none)`;
  return `tokens per turn ${mean}${none}`;
}
