/**
 * @module Junit: results as JUnit XML: a suite for each contract, a case for each turn. A violated
 * clause is a failure; what is not established is skipped, with its reason, and so is a contract
 * that applied to no turn.
 */
import type { TurnResult } from "../evaluate/evaluate.ts";
import { clauseName, notAppliedTexts, rowsOf, turnName, unmet } from "./tally.ts";
import type { ReportScope, Row } from "./tally.ts";
import { xmlText } from "./xml.ts";

/** The document. */
export function junitReport(
  results: readonly TurnResult[],
  { notApplied = [] }: ReportScope = {},
): string {
  const suites = new Map<string, Row[]>();
  for (const row of rowsOf(results)) {
    const rows = suites.get(row.contract.contract) ?? [];
    rows.push(row);
    suites.set(row.contract.contract, rows);
  }
  const all = [...suites.values()].flat();
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="turnproof check" ${countsOf(all, notApplied.length)}>`,
    ...[...suites].flatMap(([name, rows]) => [
      `  <testsuite name="${xmlText(name)}" ${countsOf(rows)} skipped="${skippedOf(rows)}">`,
      ...rows.flatMap(caseOf),
      `  </testsuite>`,
    ]),
    ...notApplied.flatMap(notAppliedSuite),
    `</testsuites>`,
    "",
  ].join("\n");
}

function notAppliedSuite(contract: string): string[] {
  const name = xmlText(contract);
  return [
    `  <testsuite name="${name}" ${countsOf([], 1)} skipped="1">`,
    `    <testcase name="applied to 0 turns" classname="${name}" time="0">`,
    `      <skipped message="${xmlText(notAppliedTexts)}"/>`,
    `    </testcase>`,
    `  </testsuite>`,
  ];
}

/** @param further cases that are no row */
function countsOf(rows: readonly Row[], further = 0): string {
  const failures = rows.filter(({ contract }) => contract.result === "violated").length;
  return `tests="${rows.length + further}" failures="${failures}" errors="0" time="0"`;
}

function skippedOf(rows: readonly Row[]): number {
  return rows.filter(({ contract }) => contract.result === "not_established").length;
}

function caseOf({ turn, contract }: Row): string[] {
  const open = `    <testcase name="${xmlText(turnName(turn))}" classname="${xmlText(contract.contract)}" time="0"`;
  if (contract.result === "holds") return [`${open}/>`];
  const lines = unmet(contract).map(
    (clause) =>
      `${clauseName(clause)} ${clause.result}: ${clause.sentence}` +
      (clause.evidence_ids.length === 0 ? "" : ` Evidence: ${clause.evidence_ids.join(" ")}`),
  );
  const [first = ""] = lines;
  const inner =
    contract.result === "violated"
      ? `<failure message="${xmlText(first)}" type="violated">${xmlText(lines.join("\n"))}</failure>`
      : `<skipped message="${xmlText(first)}"/>`;
  return [`${open}>`, `      ${inner}`, `    </testcase>`];
}
