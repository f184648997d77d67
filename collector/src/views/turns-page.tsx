/** @module Turns page. */
import type { Child } from "hono/jsx";

import type { Frame } from "../http/respond.tsx";
import type { TurnsModel } from "../routes/turns.ts";
import { CacheBadge, VerdictBadge } from "./elements/badge.tsx";
import { DurationBar } from "./elements/bar.tsx";
import { Count, Duration, Id, Time } from "./elements/figure.tsx";
import { Table } from "./elements/panel.tsx";
import { Page, hrefOf } from "./layout.tsx";

/** The turns, newest first. */
export function turnsPage(model: TurnsModel, frame: Frame): Child {
  const longest = Math.max(1, ...model.items.map((row) => row.duration_ms ?? 0));
  return (
    <Page frame={frame} title="Turns">
      <Table
        label="Turns"
        head={["Time", "Agent", "Thread", "Verdict", "Cache", "Tokens", "Duration", ""].map(
          (name) => (
            <th>{name}</th>
          ),
        )}
      >
        {model.items.map((row) => (
          <tr>
            <td>
              <a href={hrefOf(frame, `/traces/${encodeURIComponent(row.root_trace_id ?? "")}`)}>
                <Time at={row.ended_at} />
              </a>
            </td>
            <td>{row.agent_id ?? ""}</td>
            <td>
              <Id of={row.thread_id} chars={16} />
            </td>
            <td>
              <VerdictBadge verdict={row.verdict} />
            </td>
            <td>
              <CacheBadge decision={row.cache_decision} bare />
            </td>
            <td class="num">
              <Count of={row.total_tokens} short />
            </td>
            <td class="num">
              <Duration ms={row.duration_ms} />
            </td>
            <td>
              <DurationBar ms={row.duration_ms} scaleMs={longest} />
            </td>
          </tr>
        ))}
      </Table>
    </Page>
  );
}
