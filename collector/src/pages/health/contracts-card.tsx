/** @module ContractsCard: turns of the last day by contract and result, and wrong files. */
import { outcomes, problemText } from "@turnproof/contracts";
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText } from "../../ui/display/figures.ts";
import { OutcomeBadge } from "../../ui/elements/outcome-badge.tsx";
import { Card, Note, Table } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { ContractCount, ContractsHealth } from "./contract-counts.ts";

/** The card; nothing without contracts. */
export const ContractsCard: FC<{
  readonly of: ContractsHealth | null;
  readonly context: PageContext;
}> = ({ of, context }) => {
  if (of === null) return <></>;
  const { counts, problems, uncounted, without_result: open } = of;
  return (
    <Card title="Contracts" id="contracts" icon="mark" flush end="turns of the last day">
      {problems === null || problems.length === 0 ? null : (
        <div class="padded">
          <Note tone="warn">
            The files of the contracts are wrong; the last good ones stay:{" "}
            {problems.slice(0, 5).map(problemText).join("; ")}
          </Note>
        </div>
      )}
      <Table
        label="Turns by contract and result"
        head={
          <>
            <th scope="col">Contract</th>
            {outcomes.map((result) => (
              <th scope="col" class="num">
                <OutcomeBadge outcome={result} />
              </th>
            ))}
          </>
        }
      >
        {counts.map((row) => (
          <Row of={row} context={context} since={of.since} />
        ))}
      </Table>
      {open === 0 ? null : (
        <p class="muted padded">
          {open === 1 ? "1 turn has" : `${countText(open)} turns have`} no stored result: not judged
          yet, or judged before there were contracts. {open === 1 ? "It is" : "They are"} in no
          count.
        </p>
      )}
      {uncounted === 0 ? null : (
        <p class="muted padded">{countText(uncounted)} more contracts are judged.</p>
      )}
    </Card>
  );
};

const Row: FC<{
  readonly of: ContractCount;
  readonly context: PageContext;
  readonly since: string;
}> = ({ of, context, since }) => (
  <tr>
    <td>
      <b>{of.contract}</b> <span class="muted contract-version">version {of.version}</span>
    </td>
    {outcomes.map((result) => {
      const query = new URLSearchParams({
        q: `contract:${of.contract}@${of.version}=${result}`,
        start_time: since,
      });
      return (
        <td class={of[result] === 0 ? "num muted" : "num"}>
          {of[result] === 0 ? (
            "0"
          ) : (
            <a href={`${hrefOf(context, "/traces")}?${query.toString()}`}>
              {countText(of[result])}
            </a>
          )}
        </td>
      );
    })}
  </tr>
);
