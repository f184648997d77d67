/** @module Markdown: results as a summary for a pull request or a job. */
import { windowWords } from "@turnproof/evidence";
import type { WindowReason } from "@turnproof/evidence";

import type { ClauseResult, TurnResult } from "../evaluate/evaluate.ts";
import { groupSentence, groupsOf } from "./groups.ts";
import type { Group } from "./groups.ts";
import { cell, codeCell } from "./markdown-cell.ts";
import { rowsOf } from "./tally.ts";
import type { ReportScope, Row } from "./tally.ts";

/** Rows of a table, and turns that one of them names. */
const rowsMax = 50;
const namedMax = 3;

/** The summary: the answer, each contract, and what is behind it, the same thing once. */
export function markdownReport(
  results: readonly TurnResult[],
  { notApplied = [] }: ReportScope = {},
): string {
  const rows = rowsOf(results);
  return [
    `## Contracts: ${[headline(rows), ...absentWords(notApplied)].join("; ")}`,
    "",
    ...(rows.length + notApplied.length === 0 ? [] : [...contractTable(rows, notApplied), ""]),
    ...absentNote(notApplied),
    ...part("Violated", groupsOf(rows, "violated")),
    ...part("Not established", groupsOf(rows, "not_established"), whyNotEstablished(results)),
  ].join("\n");
}

function absentWords({ length }: readonly string[]): readonly string[] {
  if (length === 0) return [];
  return [`${length === 1 ? "1 contract" : `${length} contracts`} applied to 0 turns`];
}

function absentNote(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [
    `**Warning:** applied to 0 turns, because \`when\` matches none of them: ${names.map(cell).join(", ")}.`,
    "",
  ];
}

function headline(rows: readonly Row[]): string {
  if (rows.length === 0) return "no turn was judged";
  const contracts = byContract(rows);
  const count = (result: Row["contract"]["result"]): number =>
    [...contracts.values()].filter((some) =>
      some.some(({ contract }) => contract.result === result),
    ).length;
  const of = contracts.size === 1 ? "the contract" : `of ${contracts.size} contracts`;
  const subject = (number: number): string => (contracts.size === 1 ? of : `${number} ${of}`);
  const violated = count("violated");
  if (violated > 0) return `${subject(violated)} ${violated === 1 ? "is" : "are"} violated`;
  const open = count("not_established");
  if (open > 0) return `${subject(open)} ${open === 1 ? "is" : "are"} not established`;
  return contracts.size === 1 ? "it holds on every turn" : "all hold on every turn";
}

function byContract(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const contracts = new Map<string, Row[]>();
  for (const row of rows) {
    const some = contracts.get(row.contract.contract);
    if (some === undefined) contracts.set(row.contract.contract, [row]);
    else some.push(row);
  }
  return contracts;
}

const marks = { violated: "✗", not_established: "?", holds: "✓" } as const;

function contractTable(rows: readonly Row[], notApplied: readonly string[]): readonly string[] {
  const lines = [...byContract(rows)].map(([name, some]) => {
    const of = (result: keyof typeof marks): number =>
      some.filter(({ contract }) => contract.result === result).length;
    const [violated, open] = [of("violated"), of("not_established")];
    const worst = violated > 0 ? "violated" : open > 0 ? "not_established" : "holds";
    return `| ${marks[worst]} | ${cell(name)} | ${some.length} | ${of("holds")} | ${violated} | ${open} |`;
  });
  return [
    "| | contract | turns | hold | violated | not established |",
    "|---|---|--:|--:|--:|--:|",
    ...lines,
    ...notApplied.map((name) => `| – | ${cell(name)} | 0 | 0 | 0 | 0 |`),
  ];
}

function part(title: string, groups: readonly Group[], lead: readonly string[] = []): string[] {
  if (groups.length === 0) return [];
  const lines = groups.slice(0, rowsMax).map((group) => {
    const { contract, clause, turns } = group;
    const named = turns.slice(0, namedMax).map(codeCell).join("<br>");
    const more = turns.length > namedMax ? `<br>and ${turns.length - namedMax} more` : "";
    const cells = [
      cell(contract),
      clauseCell(clause),
      cell(groupSentence(group)),
      `${turns.length}`,
    ];
    return `| ${cells.join(" | ")} | ${named}${more} |`;
  });
  return [
    `### ${title}`,
    "",
    ...lead,
    "| contract | clause | what | turns | which |",
    "|---|---|---|--:|---|",
    ...lines,
    "",
    ...(groups.length > rowsMax ? [`${groups.length - rowsMax} more rows are not shown.`, ""] : []),
  ];
}

/** A clause by its id, else by its name and place from 1; its severity where that is no error. */
function clauseCell({ id, clause, index, severity }: ClauseResult): string {
  const name = id ?? `${clause} (clause ${index + 1})`;
  return severity === "error" ? cell(name) : `${cell(name)}, ${severity}`;
}

/** What the evidence lacks, and how many turns lack it. */
function whyNotEstablished(results: readonly TurnResult[]): readonly string[] {
  const reasons = new Map<WindowReason, number>();
  const part = results.filter(({ whole }) => !whole);
  for (const { reasons: some } of part) {
    for (const reason of some) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const lead =
    "The evidence decides neither way. What is not recorded counts neither for nor against a turn " +
    "of which a part may be missing.";
  const words = [...reasons].map(
    ([reason, turns]) =>
      `${windowWords[reason]} (\`${reason}\`, ${turns} of ${results.length} turns)`,
  );
  return [lead, ...(words.length === 0 ? [] : ["", `Why: ${words.join("; ")}.`]), ""];
}
