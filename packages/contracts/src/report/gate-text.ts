/** @module GateText: the gate's answer for a terminal, the plan before the outcome. */
import type { GatePlans, GateReport } from "../gate/gate-report.ts";
import {
  chance,
  changeWords,
  intervalWords,
  measureName,
  measureOutcome,
  medianWords,
  notAppliedName,
  notRecordedWords,
  outcomeWords,
  pairingWords,
  passWords,
  percent,
  planLines,
  sideWords,
} from "./gate-words.ts";

/** The answer as lines. */
export function gateText(report: GateReport, plans: GatePlans): string {
  const lines = planLines(plans).map(([name, words]) => `plan  ${name}: ${words}`);
  for (const one of report.contracts) {
    lines.push(
      `${outcomeWords[one.outcome].padEnd(19)}  ${one.name}`,
      `  baseline   ${sideWords(one.baseline)}, ${passWords(one.passK.baseline)}`,
      `  candidate  ${sideWords(one.candidate)}, ${passWords(one.passK.candidate)}`,
      `  change     ${changeWords(one)}, exact test p ${chance(one.p)}, ` +
        `corrected ${chance(one.adjustedP)}`,
      `  compared   ${pairingWords(one)}`,
    );
  }
  lines.push(
    ...report.notApplied.map(
      (name) => `${outcomeWords.not_enough_evidence}  ${notAppliedName(name)}`,
    ),
  );
  for (const one of report.measures) {
    lines.push(
      `${measureOutcome(one).padEnd(19)}  ${measureName(one)}`,
      `  baseline   median ${medianWords(one.baseline)}`,
      `  candidate  median ${medianWords(one.candidate)}`,
      `  growth     beyond ${percent(one.allowedGrowth)}: rank test ` +
        `p ${chance(one.p)}, corrected ${chance(one.adjustedP)}`,
      `  compared   ${pairingWords(one)}`,
    );
  }
  lines.push(intervalWords(report));
  lines.push(...(report.warnings ?? []).map((one) => `warning  ${one}`));
  lines.push(...[notRecordedWords(report) ?? []].flat(), outcomeWords[report.outcome]);
  return `${lines.join("\n")}\n`;
}
