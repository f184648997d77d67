/** @module NamedCard: names and ids that contain the typed text, each with its turns. */
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { queryOf } from "../../ui/display/filter-terms.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import type { PageContext } from "../../http/page-context.ts";
import { Card, Heads, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { NamedValues } from "./named-values.ts";

/** The card; nothing without a value. */
export const NamedCard: FC<{ readonly of: NamedValues; readonly context: PageContext }> = ({
  of: { named, named_total: total },
  context,
}) => {
  if (named.length === 0) return <></>;
  // Names are counted over the whole history, whatever the range of the evidence below.
  const isRanged = Object.keys(requestedRange(context.query)).length > 0;
  return (
    <Card
      title="Names and ids with this text"
      icon="filter"
      id="named"
      flush
      end={
        <ListEnd context={context} path="/traces/find/named">
          {named.length === total
            ? countText(total)
            : `the first ${countText(named.length)} of ${countText(total)}`}
        </ListEnd>
      }
    >
      <Table
        label="Names and ids with this text"
        head={
          <Heads
            texts={["What", "Name or id"]}
            figures={[isRanged ? "Turns of all time" : "Turns"]}
          />
        }
      >
        {named.map(({ key, name, value, words, turns }) => (
          <tr>
            <td class="muted">{name}</td>
            <td>
              <a
                href={`${hrefOf(context, "/traces")}${queryOf(
                  [{ key, value, negated: false }],
                  new URLSearchParams(),
                )}`}
                data-row
              >
                {words}
              </a>
            </td>
            <td class="num">{countText(turns)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
};
