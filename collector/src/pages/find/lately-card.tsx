/**
 * @module LatelyCard: the judge's findings over all turns, each with links to all turns that have
 * it and to the newest.
 */
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { findingPriority, reasonText } from "../../ui/display/kind-words.ts";
import type { Frame } from "../../http/frame.ts";
import type { LateFinding, Lately } from "./lately.ts";
import { PriorityBadge } from "../../ui/elements/badge.tsx";
import { Time } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";

/** The card. */
export const LatelyCard: FC<{ readonly lately: Lately; readonly frame: Frame }> = ({
  lately,
  frame,
}) => (
  <Card title="Found by the judge" icon="warning" id="lately" flush end={readText(lately)}>
    {lately.findings.length === 0 ? (
      <p class="muted padded">
        {lately.turns === lately.unjudged
          ? "None of these turns was judged yet; the judge looks once a turn is quiet."
          : "The judge found nothing wrong in them."}
      </p>
    ) : (
      <Table
        label="Findings by priority"
        head={
          <>
            <th scope="col">Priority</th>
            <th scope="col">Finding</th>
            <th scope="col" class="num">
              Turns
            </th>
            <th scope="col">Newest</th>
          </>
        }
      >
        {lately.findings.map((found) => (
          <Found found={found} frame={frame} />
        ))}
      </Table>
    )}
  </Card>
);

function readText({ turns, unjudged }: Lately): string {
  const which = `all ${countText(turns)} turns`;
  return unjudged === 0 ? `in ${which}` : `in ${which}, ${countText(unjudged)} not judged yet`;
}

const Found: FC<{ readonly found: LateFinding; readonly frame: Frame }> = ({ found, frame }) => (
  <tr>
    <td>
      <PriorityBadge priority={findingPriority(found.code)} />
    </td>
    <td>
      <a href={`${hrefOf(frame, "/traces")}?finding=${encodeURIComponent(found.code)}`} data-row>
        {reasonText(found.code)}
      </a>
    </td>
    <td class="num">{countText(found.turns)}</td>
    <td>
      <a href={hrefOf(frame, `/traces/${encodeURIComponent(found.last_root)}`)}>
        <Time at={found.last_at} form="daytime" />
      </a>
    </td>
  </tr>
);
