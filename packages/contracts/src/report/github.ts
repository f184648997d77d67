/** @module Github: results as workflow commands, which a GitHub job shows as annotations. */
import type { TurnResult } from "../evaluate/evaluate.ts";
import { lineOf } from "./places.ts";
import type { ContractPlaces } from "./places.ts";
import { clauseName, rowsOf, turnName, unmet } from "./tally.ts";

/** One command for each clause that is not met. */
export function githubReport(
  results: readonly TurnResult[],
  options: { readonly places?: ContractPlaces } = {},
): string {
  return rowsOf(results)
    .flatMap(({ turn, contract }) =>
      unmet(contract).map((clause) => {
        const level =
          clause.result !== "violated" || clause.severity === "note" ? "notice" : clause.severity;
        const place = options.places?.get(contract.contract);
        const line = lineOf(place, clause);
        const title = `${contract.contract} ${clauseName(clause)} ${clause.result}`;
        const properties = [
          ...(place === undefined ? [] : [`file=${property(place.file)}`]),
          ...(line === undefined ? [] : [`line=${line}`]),
          `title=${property(title)}`,
        ].join(",");
        return `::${level} ${properties}::${data(`Turn ${turnName(turn)}: ${clause.sentence}`)}\n`;
      }),
    )
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
