/**
 * @module GroupCells: the figures of an agent's or a thread's turns in rows and tiles, and the
 * footer with the number of turns they cover.
 */
import type { ToolCounts } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, durationText, shareText, shortCountText } from "../display/figures.ts";
import { pendingText, windowState } from "../display/window-texts.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { GroupsWindow } from "../../turns/groups-request.ts";
import type { TurnGroup } from "../../turns/turn-groups.ts";
import { Badge } from "../elements/badge.tsx";
import { Duration, NotMeasured, NotThere, Unknown } from "../elements/figure.tsx";
import { VerdictCounts } from "../elements/verdict-counts.tsx";
import { SortHead } from "../elements/sort-head.tsx";
import type { SortContext } from "../elements/sort-head.tsx";
import { Icon } from "../icons.tsx";
import { hrefOf, hrefWith } from "../layout.tsx";

/** Tools: clean, limited and failed results as aligned numbers. */
export const ToolTriple: FC<{ readonly of: ToolCounts }> = ({ of }) => {
  if (of.results === 0) return <NotThere why="no tool result was recorded" />;
  const clean = of.clean + of.empty;
  const limited = of.fallback + of.degraded;
  const failed = of.error + of.provider_error;
  const title =
    `${countText(clean)} clean · ${countText(limited)} via fallback or with limits · ` +
    `${countText(failed)} failed${of.unknown === 0 ? "" : ` · ${countText(of.unknown)} unknown`}`;
  return (
    <span class="tool-triple" title={title}>
      <span>{countText(clean)}</span>
      <span class={limited === 0 ? "none" : "warn"}>{countText(limited)}</span>
      <span class={failed === 0 ? "none" : "bad"}>{countText(failed)}</span>
      <span class="sr">{title}</span>
    </span>
  );
};

/** Input and output tokens, with partial and missing counts. */
export const GroupTokens: FC<{ readonly of: TurnGroup }> = ({ of }) => {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached } = of;
  if (input === null && output === null) {
    return <NotMeasured short why="No model call reported its tokens." />;
  }
  const textOf = (count: number | null): string => (count === null ? "?" : shortCountText(count));
  const share =
    cached === null || input === null || input === 0 || cached === 0
      ? null
      : shareText(cached, input);
  const notes = [
    ...(of.usage_state === "partial" ? ["At least: some calls have not all of their counts."] : []),
    ...(share === null ? [] : [`${share} of the input from a cache.`]),
  ];
  return (
    <span class="tokens" title={notes.length === 0 ? undefined : notes.join(" ")}>
      {of.usage_state === "partial" ? "≥" : ""}
      {textOf(input)}
      <span class="arrow" aria-hidden="true">
        →
      </span>
      <span class="sr"> in, </span>
      {textOf(output)}
      <span class="sr"> out</span>
      {share === null ? null : <span class="share">{share} cached</span>}
    </span>
  );
};

/** Number of turns with an error. */
export const ErrorCount: FC<{ readonly of: TurnGroup }> = ({ of }) =>
  of.turns_with_error === 0 ? (
    <span class="muted">0</span>
  ) : (
    <Badge
      tone="bad"
      icon="failed"
      word={countText(of.turns_with_error)}
      title={`${countText(of.turns_with_error)} of ${countText(of.turns)} turns held an error`}
    />
  );

/** 95th percentile of the known durations. */
const GroupDuration: FC<{ readonly of: TurnGroup }> = ({ of }) => {
  const unknown =
    of.duration_unknown === 0 ? "" : `, ${countText(of.duration_unknown)} of unknown duration`;
  if (of.p50_ms === null) return <Unknown why="No turn has a known duration." />;
  return (
    <span title={`median ${durationText(of.p50_ms)}${unknown}`}>
      <Duration ms={of.p95_ms} />
    </span>
  );
};

/** The order of the lists of agents and threads that is theirs without a request. */
export function groupSorting(context: PageContext): SortContext {
  return { path: hrefOf(context, context.path), query: context.query, usual: "last" };
}

/** Heads of {@link GroupCells}. */
export const GroupHeads: FC<{ readonly at: SortContext; readonly threads?: boolean }> = ({
  at,
  threads = false,
}) => (
  <>
    <SortHead field="turns" heading="Turns" at={at} class="num" />
    <SortHead
      field="failed_share"
      heading="Verdicts"
      at={at}
      title="Sorted by the share of failed turns among the judged ones"
    />
    <SortHead field="errors" heading="Errors" at={at} title="Turns in which anything failed" />
    <SortHead
      field="p95_ms"
      heading="p95"
      at={at}
      class="num"
      title="95 % of the turns ended within"
    />
    {threads ? <SortHead field="threads" heading="Threads" at={at} class="num minor" /> : null}
    <SortHead
      field="tool_failed"
      heading="Tools"
      at={at}
      class={threads ? undefined : "minor"}
      title="clean · via fallback or with limits · failed; sorted by those that failed"
    />
    <SortHead field="tokens" heading="Tokens" at={at} class={threads ? "num" : "num minor"} />
  </>
);

/**
 * The figures of a group in a row: turns, verdicts, errors, duration, threads where they are
 * counted, tools, tokens.
 */
export const GroupCells: FC<{ readonly of: TurnGroup; readonly threads?: number }> = ({
  of,
  threads,
}) => (
  <>
    <td data-head="Turns" class="num">
      {countText(of.turns)}
    </td>
    <td data-head="Verdicts">
      <VerdictCounts of={of} />
    </td>
    <td data-head="Errors">
      <ErrorCount of={of} />
    </td>
    <td data-head="p95" class="num">
      <GroupDuration of={of} />
    </td>
    {threads === undefined ? null : (
      <td data-head="Threads" class="num minor">
        {countText(threads)}
      </td>
    )}
    <td data-head="Tools" class={threads === undefined ? "minor" : undefined}>
      <ToolTriple of={of.tools} />
    </td>
    <td data-head="Tokens" class={threads === undefined ? "num minor" : "num"}>
      <GroupTokens of={of} />
    </td>
  </>
);

/** Number of turns that the groups cover, and a link to the others, or to the list of all. */
export const GroupsFooter: FC<{
  readonly window: GroupsWindow;
  readonly context: PageContext;
  readonly what: string;
  /** Address of the list that has the turns, in place of older groups. */
  readonly list?: string;
}> = ({ window, context, what, list }) => (
  <footer class="window" data-window>
    <Badge {...windowState(window, context.query.has("cursor"))} />
    <span>
      {what} over {countText(window.turns_counted)} {window.turns_counted === 1 ? "turn" : "turns"}
      {window.window_complete ? ", complete" : ""}
    </span>
    {window.pending_frames === 0 ? null : (
      <span data-pending>{pendingText(window.pending_frames)}</span>
    )}
    <span class="end">
      {context.query.has("cursor") ? (
        <a class="button" href={hrefWith(context, { cursor: null })} data-control="page newest">
          Newest
        </a>
      ) : null}
      {list === undefined ? null : (
        <a class="button" href={list}>
          All turns <Icon name="more" />
        </a>
      )}
      {list !== undefined || window.next_cursor === null ? null : (
        <a
          class="button"
          href={hrefWith(context, { cursor: window.next_cursor })}
          data-older
          data-control="page older"
        >
          Older <Icon name="more" />
        </a>
      )}
    </span>
  </footer>
);
