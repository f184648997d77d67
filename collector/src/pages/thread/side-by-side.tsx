/**
 * @module SideBySide: turns as columns and their facts as rows, so that differences between turns
 * are visible along a row.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { countText, shareText, wordsOf } from "../../ui/display/figures.ts";
import { findingsByPriority, lastedMs } from "../../ui/display/turn-figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import { CacheBadge, PriorityBadge, StatusBadge, VerdictBadge } from "../../ui/elements/badge.tsx";
import { DurationBar } from "../../ui/elements/bar.tsx";
import { NotMeasured, NotThere, Time, TurnDuration } from "../../ui/elements/figure.tsx";
import { turnHref } from "../../ui/elements/turn-row.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { ToolTriple } from "../../ui/groups/group-cells.tsx";

const columnsMax = 24;

/** The table; it scrolls in its own box, the names of the facts stay in place. */
export const SideBySide: FC<{
  readonly turns: readonly TurnRow[];
  readonly context: PageContext;
}> = ({ turns, context }) => {
  const shown = turns.slice(0, columnsMax);
  const roots = Map.groupBy(shown, (turn) => turn.root_trace_id ?? "");
  const most = shown.reduce((max, turn) => Math.max(max, lastedMs(turn) ?? 0), 0);
  const facts: readonly (readonly [string, (turn: TurnRow) => Child])[] = [
    ["verdict", (turn) => <VerdictBadge verdict={turn.verdict} />],
    ["status", (turn) => <StatusBadge status={turn.status} />],
    [
      "took",
      (turn) => (
        <span class="took">
          <TurnDuration of={turn} />
          <DurationBar ms={lastedMs(turn)} scaleMs={most} error={turn.status === "error"} />
        </span>
      ),
    ],
    ["agent", (turn) => turn.agent_id ?? <NotThere why="no agent was recorded" />],
    ["models", modelsOf],
    ["memory R · S · Ref", memoryOf],
    ["cache", (turn) => <CacheBadge decision={turn.cache_decision} />],
    ["tools", (turn) => <ToolTriple of={turn.tools} />],
    ["tokens", tokensOf],
    ["findings", findingsOf],
    ["events", (turn) => countText(turn.event_count)],
  ];
  return (
    <div class="scroll" role="region" aria-label="Turns as columns" tabindex={0}>
      <table class="sides" aria-label="Turns as columns">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">Fact</span>
            </th>
            {shown.map((turn) => (
              <th scope="col">
                <a
                  href={turnHref(
                    hrefOf(context, ""),
                    turn,
                    (roots.get(turn.root_trace_id ?? "")?.length ?? 0) > 1,
                  )}
                  data-row
                >
                  <Time at={turn.ended_at} form="daytime" />
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map(([name, show]) => (
            <tr>
              <th scope="row">{name}</th>
              {shown.map((turn) => (
                <td>{show(turn)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

function modelsOf({ models }: TurnRow): Child {
  return models.length === 0 ? <NotThere why="no model was recorded" /> : models.join(", ");
}

function memoryOf(turn: TurnRow): Child {
  const { memory_retrieved: r, memory_supplied: s, memory_referenced: ref } = turn;
  if (r === null && s === null && ref === null) {
    return <NotThere why="no memory stage was recorded" />;
  }
  const textOf = (count: number | null): string => (count === null ? "?" : countText(count));
  return (
    <span title={`Retrieved ${textOf(r)}, supplied ${textOf(s)}, referenced ${textOf(ref)}`}>
      {textOf(r)} · {textOf(s)} · {textOf(ref)}
      {turn.memory_degraded === true ? <span class="muted"> degraded</span> : null}
    </span>
  );
}

function tokensOf(turn: TurnRow): Child {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached } = turn;
  if (input === null && output === null) {
    return <NotMeasured short why="No model call reported its tokens." />;
  }
  const textOf = (count: number | null): string => (count === null ? "?" : countText(count));
  const share =
    cached === null || cached === 0 || input === null || input === 0
      ? ""
      : ` · ${shareText(cached, input)} cached`;
  return (
    <>
      {turn.usage_state === "partial" ? "≥ " : ""}
      {textOf(input)} → {textOf(output)}
      <span class="muted">{share}</span>
    </>
  );
}

function findingsOf(turn: TurnRow): Child {
  const counts = findingsByPriority(turn.finding_codes);
  if (counts === null) return <NotThere why="not judged yet" />;
  if (counts.every((count) => count === 0)) return <span class="muted">none</span>;
  return (
    <span class="spread" title={turn.finding_codes?.map(wordsOf).join(", ")}>
      {counts.map((count, priority) =>
        count === 0 ? null : <PriorityBadge priority={priority} count={count} />,
      )}
    </span>
  );
}
