/** @module MeasuresCard: both sides of each measure, with the turns behind each median. */
import { chance, measureName, medianTexts, pairingTexts } from "@turnproof/contracts";
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Card, Heads, Table } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { Values } from "./cells.tsx";
import { GateBadge } from "./gate-badge.tsx";
import { sideNames, sides } from "./names.ts";
import { reachOf } from "./sides-form.tsx";
import type { GateAnswer, GateValue } from "./answer.ts";
import type { GateModel } from "./route.ts";

/** Fields by which the list of turns has those of most first. */
const orders: Readonly<Record<string, string>> = {
  duration: "duration_ms",
  tokens: "total_tokens",
};

/** The turns of a side, those of the largest values first. */
function turnsHref(context: PageContext, terms: string, measure: string): string {
  const sort = orders[measure];
  const order: Record<string, string> = sort === undefined ? {} : { sort };
  const query = { q: terms, ...order, ...Object.fromEntries(reachOf(context)) };
  return hrefOf(context, `/traces?${new URLSearchParams(query).toString()}`);
}

/** The card. */
export const Measures: FC<{
  readonly of: GateAnswer["report"]["measures"];
  readonly values: readonly GateValue[];
  readonly model: GateModel;
  readonly context: PageContext;
}> = ({ of, values, model, context }) => (
  <Card title="Measures" icon="clock" flush>
    <Table
      stacks
      label="Measures"
      head={
        <Heads
          texts={["Measure", "Outcome", "Baseline, median", "Candidate, median"]}
          figures={["p"]}
        />
      }
    >
      {of.map((one) => (
        <tr>
          <td>
            {measureName(one)}
            <br />
            <span class="muted">{pairingTexts(one)}</span>
          </td>
          <td>
            <GateBadge outcome={one.outcome} />
            {one.decides ? null : <span class="muted"> decides nothing</span>}
          </td>
          {sides.map((side) => (
            <td data-head={`${sideNames[side]}, median`}>
              <a class="gate-median" href={turnsHref(context, model[side] ?? "", one.name)}>
                {medianTexts(one[side])}
              </a>
              <Values
                of={values.filter((value) => value.side === side && value.measure === one.name)}
                context={context}
              />
            </td>
          ))}
          <td data-head="p" class="num">
            {chance(one.adjustedP)}
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);
