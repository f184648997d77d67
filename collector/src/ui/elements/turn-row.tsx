/**
 * @module TurnRow: one turn in a list, drawn by the server and, for turns that arrive later, by the
 * browser.
 */
import type { TurnRow as Row } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, shareText, shortCountText, wordsOf } from "../display/figures.ts";
import { verdictReasonText } from "../display/kind-texts.ts";
import {
  completenessOf,
  durationScale,
  findingsByPriority,
  lastedMs,
  rowKey,
  isUnproven,
} from "../display/turn-figures.ts";
import type { RowScale } from "../display/turn-figures.ts";
import { CacheBadge, PriorityBadge, StatusBadge, VerdictBadge } from "./badge.tsx";
import { DurationBar } from "./bar.tsx";
import { NotMeasured, NotThere, Time, TurnDuration, Unknown } from "./figure.tsx";
import { pageAddress } from "../display/page-address.ts";

/** Link of a row; for a root with several turns it has the turn id. */
export interface RowContext {
  readonly base: string;
  readonly scale: RowScale;
  /** Roots that have more than one row in this list. */
  readonly crowded: ReadonlySet<string>;
  /** The column of agents may be absent: the sign of an error is before the thread as well. */
  readonly ofOneAgent?: true;
}

/** Address of a turn's page. */
export function turnHref(base: string, row: Row, crowded: boolean): string {
  const query = new URLSearchParams();
  if (crowded) {
    if (row.turn_id !== undefined) query.set("turn_id", row.turn_id);
    if (row.agent_id !== undefined) query.set("agent_id", row.agent_id);
    if (row.thread_id !== undefined) query.set("thread_id", row.thread_id);
  }
  const text = query.toString();
  const page = pageAddress("traces", row.root_trace_id ?? "");
  return `${base}${page}${text === "" ? "" : `?${text}`}`;
}

/** A triple is text, without an element for each count: rows are many. */
const between = "\u2009·\u2009";

/** The first count of a triple, as wide as two digits, so that the points stand in line. */
function firstText(count: string): string {
  return count.padStart(2, "\u2007");
}

/** Agent, services, releases and producers of the turn's evidence. */
function originText(row: Row): string {
  const part = (name: string, values: readonly string[]): readonly string[] =>
    values.length === 0 ? [] : [`${name} ${values.join(", ")}`];
  return [
    row.agent_id ?? "No agent was recorded",
    ...part("services", row.services),
    ...part("releases", row.releases),
    ...part("producers", row.producers),
  ].join(" · ");
}

/** One row of the list. */
export const TurnRow: FC<{ readonly row: Row; readonly place: RowContext }> = ({ row, place }) => {
  const { base, scale, crowded } = place;
  const href = turnHref(base, row, crowded.has(row.root_trace_id ?? ""));
  return (
    <tr
      data-key={rowKey(row)}
      data-root={row.root_trace_id}
      data-turn={row.turn_id}
      data-agent={row.agent_id}
      data-at={row.ended_at}
    >
      <td class="c-time">
        <a class="open" href={href} data-row>
          <Time at={row.ended_at} form="row" />
          <span class="sr">
            {row.agent_id ?? "unknown agent"}, {row.verdict ?? "not judged"}
            {row.has_error ? ", with errors" : ""}
          </span>
        </a>
      </td>
      <td class="c-agent" title={originText(row)}>
        {row.has_error ? <StatusBadge status="error" bare /> : null}
        {row.agent_id ?? <Unknown why="No agent was recorded." />}
        {row.services.length < 2 ? null : (
          <span class="muted services">{row.services.join(", ")}</span>
        )}
      </td>
      <td class="c-thread">
        {place.ofOneAgent === undefined || !row.has_error ? null : (
          <StatusBadge status="error" bare />
        )}
        <Thread of={row.thread_id} />
      </td>
      <td class="c-verdict">
        <VerdictBadge verdict={row.verdict} />
      </td>
      <td class="c-whole num">
        <Stages row={row} />
      </td>
      <td class="c-memory">
        <MemoryCounts row={row} />
      </td>
      <td class="c-cache">
        <CacheBadge decision={row.cache_decision} bare />
      </td>
      <td class="c-tools">
        <ToolCounts row={row} />
      </td>
      <td class="c-tokens num">
        <Tokens row={row} />
      </td>
      <td class="c-duration">
        <TurnDuration of={row} />
        <DurationBar
          ms={lastedMs(row)}
          {...durationScale(scale, row.agent_id)}
          error={row.status === "error"}
        />
      </td>
      <td class="c-findings">
        <FindingCounts row={row} />
      </td>
      <td class="c-insights">
        <Insights of={row.insight_codes} />
      </td>
    </tr>
  );
};

/** Most characters of the end of an id that stay in a narrow column. */
const tailChars = 4;

const Thread: FC<{ readonly of: string | undefined }> = ({ of }) =>
  of === undefined || of === "" ? (
    <Unknown why="No thread was recorded." />
  ) : (
    <code class="id" title={of} data-whole={of}>
      <span>{of.slice(0, -tailChars)}</span>
      {of.slice(-tailChars)}
    </code>
  );

const Stages: FC<{ readonly row: Row }> = ({ row }) => {
  const whole = completenessOf(row);
  if (whole === null) return <NotThere why="no coverage profile is declared" />;
  const { present, required, missing } = whole;
  const title =
    missing.length === 0
      ? "Every stage that the profile requires is on record."
      : `Missing: ${missing.map(wordsOf).join(", ")}`;
  return (
    <span class={missing.length === 0 ? "stages" : "stages short"} title={title}>
      {present}/{required}
    </span>
  );
};

const MemoryCounts: FC<{ readonly row: Row }> = ({ row }) => {
  const { memory_retrieved: r, memory_supplied: s, memory_referenced: ref } = row;
  if (r === null && s === null && ref === null) {
    return <NotThere why="no memory stage was recorded" />;
  }
  const textOf = (count: number | null): string => (count === null ? "?" : String(count));
  const heard = (count: number | null): string => (count === null ? "unknown" : countText(count));
  const words =
    `retrieved ${heard(r)}, supplied ${heard(s)}, referenced ${heard(ref)}` +
    (row.memory_degraded === true ? ", degraded" : "");
  return (
    <span class="triple" role="img" title={words}>
      {[firstText(textOf(r)), textOf(s), textOf(ref)].join(between)}
    </span>
  );
};

const ToolCounts: FC<{ readonly row: Row }> = ({ row }) => {
  const { tools } = row;
  if (tools.results === 0) return <NotThere why="no tool result was recorded" />;
  const clean = tools.clean + tools.empty;
  const limited = tools.fallback + tools.degraded;
  const failed = tools.error + tools.provider_error;
  const title =
    `${clean} clean, ${limited} via fallback or with limits, ${failed} failed` +
    (tools.unknown === 0 ? "" : `, ${tools.unknown} unknown`);
  return (
    <span class="triple" role="img" title={title}>
      {firstText(String(clean))}
      {between}
      <Toned count={limited} tone="warn" />
      {between}
      <Toned count={failed} tone="bad" />
    </span>
  );
};

/** A count in a triple, which has a colour where it is not zero. */
const Toned: FC<{ readonly count: number; readonly tone: "warn" | "bad" }> = ({ count, tone }) => {
  return count === 0 ? <>0</> : <span class={tone}>{String(count)}</span>;
};

const Tokens: FC<{ readonly row: Row }> = ({ row }) => {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached } = row;
  if (input === null && output === null) {
    return row.event_kind_counts.model_call === undefined ? (
      <NotThere why="no model call was recorded" />
    ) : (
      <NotMeasured short why="No model call reported its tokens." />
    );
  }
  const textOf = (count: number | null): string => (count === null ? "?" : shortCountText(count));
  const full = (count: number | null): string => (count === null ? "unknown" : countText(count));
  const share = cached === null || input === null || input === 0 ? null : shareText(cached, input);
  const words =
    `${full(input)} in, ${full(output)} out, from the provider's cache: ${share ?? "unknown"}` +
    (row.usage_state === "partial" ? "; at least: some calls have not all of their counts" : "");
  return (
    <span class="tokens" role="img" title={words}>
      {row.usage_state === "partial" ? "≥" : ""}
      {`${textOf(input)} → ${textOf(output)}`}
      {share === null || cached === 0 ? null : <span class="share">{share}</span>}
    </span>
  );
};

const FindingCounts: FC<{ readonly row: Row }> = ({ row }) => {
  const counts = findingsByPriority(row.finding_codes);
  if (counts === null) return <NotThere why="not judged yet" />;
  const shown = counts.flatMap((count, priority) => (count === 0 ? [] : [{ count, priority }]));
  if (isUnproven(row)) {
    const reasons = row.verdict_reasons?.map(verdictReasonText).join("; ");
    return (
      <span
        class="muted incomplete"
        title={reasons ?? "Evidence of this turn is lost or missing; its page has the reason"}
      >
        incomplete
      </span>
    );
  }
  if (shown.length === 0) {
    const insights = (row.insight_codes ?? []).map(wordsOf).join(", ");
    const title = insights === "" ? {} : { title: `No finding; insights: ${insights}` };
    return (
      <span class="muted" {...title}>
        none
      </span>
    );
  }
  return (
    <span class="counts" title={row.finding_codes?.map(wordsOf).join(", ")}>
      {shown.map(({ count, priority }) => (
        <PriorityBadge priority={priority} count={count} />
      ))}
    </span>
  );
};

const Insights: FC<{ readonly of: Row["insight_codes"] }> = ({ of }) => {
  if (of === null || of === undefined) return <Unknown why="The turn is not judged yet." />;
  if (of.length === 0) return <span class="muted">none</span>;
  const words = of.map(wordsOf).join(", ");
  return <span title={words}>{words}</span>;
};
