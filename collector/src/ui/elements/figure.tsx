/**
 * @module Figure: values in rows, facts and tiles. Unknown and not measured are states with their
 * own look, never a zero and never an empty place.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, durationText, shortCountText, shortId, timeText } from "../display/figures.ts";
import type { TimeForm } from "../display/figures.ts";

/**
 * Not recorded. `why` is one sentence for the tooltip and for screen readers: the title of an image
 * is its name as well.
 */
export const Unknown: FC<{ readonly why?: string; readonly word?: string }> = ({ why, word }) => (
  <span class="unknown" role="img" title={`Unknown: ${why ?? "not recorded."}`}>
    {word ?? "?"}
  </span>
);

/** Nothing could have measured it, which differs from zero or unused. */
export const NotMeasured: FC<{ readonly why?: string; readonly short?: boolean }> = ({
  why,
  short = false,
}) => (
  <span
    class="unmeasured"
    title={why ?? "Not measured."}
    {...(short ? { role: "img", "aria-label": "not measured" } : {})}
  >
    {short ? "n/m" : "not measured"}
  </span>
);

/** A dash where a value does not apply; `why` explains it. */
export const NotThere: FC<{ readonly why: string }> = ({ why }) => (
  <span class="absent" role="img" title={why}>
    –
  </span>
);

/** A count, or unknown where it is null. */
export const Count: FC<{
  readonly of: number | null | undefined;
  readonly why?: string;
  readonly short?: boolean;
}> = ({ of, why, short = false }) => {
  if (of === null || of === undefined) {
    return <Unknown {...(why === undefined ? {} : { why })} />;
  }
  return (
    <span class="count" title={short && of >= 10_000 ? countText(of) : undefined}>
      {short ? shortCountText(of) : countText(of)}
    </span>
  );
};

/** A value and the state of its measurement (`metric_states`, memory supply). */
export const Metric: FC<{
  readonly state: string;
  readonly value: number | null;
  readonly why?: string;
}> = ({ state, value, why }) => {
  const reason = why === undefined ? {} : { why };
  if (state === "not_measured") return <NotMeasured {...reason} />;
  if (value === null) return <Unknown {...reason} />;
  if (state !== "partial") return <Count of={value} />;
  return (
    <span title="Partial: at least this many; part of the evidence has no value.">
      ≥ <Count of={value} />
    </span>
  );
};

/** Milliseconds in the unit that fits, or unknown. */
export const Duration: FC<{
  readonly ms: number | null | undefined;
  readonly why?: string;
}> = ({ ms, why }) =>
  ms === null || ms === undefined ? (
    <Unknown why={why ?? "The duration was not recorded."} />
  ) : (
    <span class="duration">{durationText(ms)}</span>
  );

/**
 * Duration of a turn. One that began and never ended took at least the time seen so far; a turn
 * with a single moment has no known duration.
 */
export const TurnDuration: FC<{
  readonly of: Pick<TurnRow, "duration_ms" | "timing_state"> | undefined;
}> = ({ of: turn }) => {
  const { duration_ms: ms = null, timing_state: state } = turn ?? {};
  if (state === "instantaneous")
    return <Unknown why="Only one point in time was recorded, without an end." />;
  if (state !== "missing_completion") return <Duration ms={ms} />;
  const why = "The turn began; no end is recorded.";
  return ms === null ? (
    <Unknown why={why} />
  ) : (
    <span class="duration" title={why}>
      <span class="sr">at least </span>
      <span aria-hidden="true">≥ </span>
      {durationText(ms)}
    </span>
  );
};

/**
 * A time of the evidence. The server writes UTC; the browser rewrites it for a local clock, so the
 * exact time is kept in `datetime` and in the tooltip.
 */
export const Time: FC<{ readonly at: string | null | undefined; readonly form?: TimeForm }> = ({
  at,
  form = "time",
}) =>
  at === null || at === undefined || at === "" ? (
    <Unknown why="No time was recorded." />
  ) : (
    <time datetime={at} data-form={form} title={timeText(at, "utc", "full")}>
      {timeText(at, "utc", form)}
    </time>
  );

/**
 * An opaque id in monospace; shortened in the middle, in full in the tooltip and in print. With
 * `copy` it copies itself in the browser.
 */
export const Id: FC<{
  readonly of: string | null | undefined;
  readonly chars?: number;
  readonly href?: string;
  readonly why?: string;
  readonly copy?: boolean;
}> = ({ of, chars, href, why, copy = false }) => {
  if (of === null || of === undefined || of === "") return <Unknown why={why ?? "Not recorded."} />;
  const text = chars === undefined ? of : shortId(of, chars);
  const title = text === of ? undefined : of;
  return href === undefined ? (
    <code class="id" title={title} data-whole={title} {...(copy ? { "data-copy": of } : {})}>
      {text}
    </code>
  ) : (
    <a class="id" href={href} title={title} data-whole={title}>
      {text}
    </a>
  );
};

/** Longest name that is kept on one line; it has room in a window of 320 pixels. */
const nameCharsMax = 28;

/** A name, on one line where it is of usual length. */
export const Name: FC<{ readonly of: string }> = ({ of }) =>
  of.length > nameCharsMax ? <>{of}</> : <span class="one-line">{of}</span>;
