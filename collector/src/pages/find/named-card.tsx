/** @module NamedCard: names and ids that contain the typed text, each with its turns. */
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { queryOf } from "../../ui/display/filter-terms.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import type { Frame } from "../../http/frame.ts";
import { Card, Heads, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { NamedValues } from "./named-values.ts";

/** The card; nothing without a value. */
export const NamedCard: FC<{ readonly of: NamedValues; readonly frame: Frame }> = ({
  of: { named, named_total: total },
  frame,
}) => {
  if (named.length === 0) return <></>;
  // Names are counted over the whole history, whatever the range of the evidence below.
  const isRanged = Object.keys(requestedRange(frame.query)).length > 0;
  return (
    <Card
      title="Names and ids with this text"
      icon="filter"
      id="named"
      flush
      end={
        <ListEnd frame={frame} path="/traces/find/named">
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
                href={`${hrefOf(frame, "/traces")}${queryOf(
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
