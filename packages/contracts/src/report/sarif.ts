/**
 * @module Sarif: results as SARIF 2.1.0: a rule for each clause of a contract, a result for each
 * turn on which it is violated or not established.
 */
import type { ClauseResult, TurnResult } from "../evaluate/evaluate.ts";
import { lineOf } from "./places.ts";
import type { ContractPlace, ContractPlaces } from "./places.ts";
import { clauseName, notAppliedTexts, rowsOf, turnName, unmet } from "./tally.ts";
import type { ReportScope } from "./tally.ts";

const levels = { error: "error", warning: "warning", note: "note" } as const;

/** The document as a value. */
export function sarifReport(
  results: readonly TurnResult[],
  options: ReportScope & { readonly version: string; readonly places?: ContractPlaces },
): object {
  const rules = new Map<string, object>();
  const found = rowsOf(results).flatMap(({ turn, contract }) =>
    unmet(contract).map((clause) => {
      const ruleId = `${contract.contract}/${clauseName(clause)}`;
      rules.set(ruleId, {
        id: ruleId,
        shortDescription: { text: `Clause ${clause.clause} of contract ${contract.contract}` },
        defaultConfiguration: { level: levels[clause.severity] },
      });
      return resultOf(turn, clause, ruleId, options.places?.get(contract.contract));
    }),
  );
  const absent = (options.notApplied ?? []).map((name) => {
    rules.set(name, { id: name, shortDescription: { text: `Contract ${name}` } });
    return notAppliedResult(name, options.places?.get(name));
  });
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "turnproof", version: options.version, rules: [...rules.values()] },
        },
        columnKind: "utf16CodeUnits",
        results: [...found, ...absent],
      },
    ],
  };
}

function notAppliedResult(name: string, place: ContractPlace | undefined): object {
  return {
    ruleId: name,
    kind: "notApplicable",
    level: "none",
    message: { text: `Contract ${name} ${notAppliedTexts}.` },
    ...(place === undefined
      ? {}
      : {
          locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(place.file) } } }],
        }),
  };
}

function resultOf(
  turn: TurnResult,
  clause: ClauseResult,
  ruleId: string,
  place: ContractPlace | undefined,
): object {
  const violated = clause.result === "violated";
  const line = lineOf(place, clause);
  const region = line === undefined ? {} : { region: { startLine: line } };
  return {
    ruleId,
    // What is not established is open: no finding against the turn, and no pass.
    kind: violated ? "fail" : "open",
    level: violated ? levels[clause.severity] : "none",
    message: { text: `Turn ${turnName(turn)}: ${clause.sentence}` },
    locations: [
      {
        ...(place === undefined
          ? {}
          : {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(place.file) },
                ...region,
              },
            }),
        logicalLocations: [{ name: turnName(turn), kind: "turn" }],
      },
    ],
    partialFingerprints: { "turn/v1": `${ruleId} ${turnName(turn)}` },
    properties: { evidence_ids: clause.evidence_ids },
  };
}
