/** @module GateText: the gate's answer for a terminal, the plan before the outcome. */
import type { GatePlans, GateReport } from "../gate/gate-report.ts";
import {
  chance,
  changeTexts,
  intervalTexts,
  measureName,
  measureOutcome,
  medianTexts,
  notAppliedName,
  notRecordedTexts,
  outcomeTexts,
  pairingTexts,
  passTexts,
  percent,
  planLines,
  sideTexts,
} from "./gate-texts.ts";

/** The answer as lines. */
export function gateText(report: GateReport, plans: GatePlans): string {
  const lines = planLines(plans).map(([name, words]) => `plan  ${name}: ${words}`);
  for (const one of report.contracts) {
    lines.push(
      `${outcomeTexts[one.outcome].padEnd(19)}  ${one.name}`,
      `  baseline   ${sideTexts(one.baseline)}, ${passTexts(one.passK.baseline)}`,
      `  candidate  ${sideTexts(one.candidate)}, ${passTexts(one.passK.candidate)}`,
      `  change     ${changeTexts(one)}, exact test p ${chance(one.p)}, ` +
        `corrected ${chance(one.adjustedP)}`,
      `  compared   ${pairingTexts(one)}`,
    );
  }
  lines.push(
    ...report.notApplied.map(
      (name) => `${outcomeTexts.not_enough_evidence}  ${notAppliedName(name)}`,
    ),
  );
  for (const one of report.measures) {
    lines.push(
      `${measureOutcome(one).padEnd(19)}  ${measureName(one)}`,
      `  baseline   median ${medianTexts(one.baseline)}`,
      `  candidate  median ${medianTexts(one.candidate)}`,
      `  growth     beyond ${percent(one.allowedGrowth)}: rank test ` +
        `p ${chance(one.p)}, corrected ${chance(one.adjustedP)}`,
      `  compared   ${pairingTexts(one)}`,
    );
  }
  lines.push(intervalTexts(report));
  lines.push(...(report.warnings ?? []).map((one) => `warning  ${one}`));
  lines.push(...[notRecordedTexts(report) ?? []].flat(), outcomeTexts[report.outcome]);
  return `${lines.join("\n")}\n`;
}
