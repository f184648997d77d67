/**
 * @module Junit: results as JUnit XML: a suite for each contract, a case for each turn. A violated
 * clause is a failure; what is not established is skipped, with its reason.
 */
import type { TurnResult } from "../evaluate/evaluate.ts";
import { clauseName, rowsOf, turnName, unmet } from "./tally.ts";
import type { Row } from "./tally.ts";
import { xmlText } from "./xml.ts";

/** The document. */
export function junitReport(results: readonly TurnResult[]): string {
  const suites = new Map<string, Row[]>();
  for (const row of rowsOf(results)) {
    const rows = suites.get(row.contract.contract) ?? [];
    rows.push(row);
    suites.set(row.contract.contract, rows);
  }
  const all = [...suites.values()].flat();
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="turnproof check" ${countsOf(all)}>`,
    ...[...suites].flatMap(([name, rows]) => [
      `  <testsuite name="${xmlText(name)}" ${countsOf(rows)} skipped="${skippedOf(rows)}">`,
      ...rows.flatMap(caseOf),
      `  </testsuite>`,
    ]),
    `</testsuites>`,
    "",
  ].join("\n");
}

function countsOf(rows: readonly Row[]): string {
  const failures = rows.filter(({ contract }) => contract.result === "violated").length;
  return `tests="${rows.length}" failures="${failures}" errors="0" time="0"`;
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
