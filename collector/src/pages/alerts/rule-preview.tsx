/** @module RulePreview: a rule on past data, and the form to try one that is not in the file. */
import { isoTime } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import type { RulePreview } from "../../alerts/preview.ts";
import type { PageContext } from "../../http/page-context.ts";
import { countText, durationText } from "../../ui/display/figures.ts";
import { Time } from "../../ui/elements/figure.tsx";
import { Card, Heads, Note, Table } from "../../ui/elements/panel.tsx";
import { RangeInputs } from "../../ui/elements/range-picker.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { draftCharsMax } from "./alert-lists.ts";
import type { PreviewModel } from "./preview-model.ts";
import type { AlertsModel } from "./route.ts";

const example = `name: failing-agents
measure: verdict_share
verdict: failed
by: agent
window: 1h
above: 0.05
min_count: 20`;

/** The form, and what the rule would have done. */
export const Preview: FC<{ readonly model: AlertsModel; readonly context: PageContext }> = ({
  model: { preview, store_away: away, draft_problems: problems },
  context,
}) => (
  <Card title="Preview on past data" id="preview" icon="clock">
    {preview === null ? null : <Past of={preview} context={context} />}
    {away === null ? null : (
      <p class="muted">A preview reads the store, which cannot be used now.</p>
    )}
    <form class="try-rule" method="get" action={`${hrefOf(context, "/alerts")}#preview`}>
      <RangeInputs query={context.query} />
      <label for="draft">A rule in YAML; nothing is kept</label>
      <textarea
        id="draft"
        class="field"
        name="draft"
        rows={8}
        maxlength={draftCharsMax}
        spellcheck={false}
        required
        {...(problems.length === 0
          ? {}
          : { "aria-invalid": "true", "aria-describedby": "draft-problems" })}
      >
        {context.query.get("draft") ?? example}
      </textarea>
      {problems.length === 0 ? null : (
        <div id="draft-problems" role="alert">
          <Note tone="bad">
            The rule is not valid. {problems.map((problem) => `${problem}.`).join(" ")}
          </Note>
        </div>
      )}
      <button class="button" type="submit">
        Try it
      </button>
    </form>
  </Card>
);

const Past: FC<{ readonly of: PreviewModel; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { past, name, sentence } = of;
  if (past === null) {
    return (
      <Note>
        <b>{name}</b>: {sentence}. {of.not_recorded}
      </Note>
    );
  }
  return (
    <>
      <p>
        <b>{name}</b>: {sentence}. In the{" "}
        {Number.isInteger(of.days)
          ? `${countText(of.days)} ${of.days === 1 ? "day" : "days"}`
          : durationText(of.days * 86_400_000)}{" "}
        before <Time at={isoTime(past.to_ms)} form="daytime" /> it would have fired{" "}
        <b>
          {countText(past.alerts)} {past.alerts === 1 ? "time" : "times"}
        </b>
        {past.established === null || past.broken === null
          ? ""
          : `: in ${countText(past.broken)} of ${countText(past.established)} windows with a result`}
        , {byTexts[of.counted]}. {stepText(of, past)}
        {past.to_ms - past.from_ms < of.window_ms
          ? ` The window, ${durationText(of.window_ms)}, is longer than this range and begins before it.`
          : ""}
      </p>
      {past.by === "minute" ? <Unrecorded minutes={past.unclear} /> : <Unclear of={past} />}
      {past.windows.length === 0 ? null : (
        <Table
          stacks
          label="Windows at which it would have fired"
          head={<Heads texts={["Window", "Group"]} figures={["Value", countHeads[of.counted]]} />}
        >
          {past.windows.map((window, index) => (
            <tr>
              <td>
                <Begin of={of} fromMs={window.from_ms} context={context} /> for{" "}
                {durationText(of.window_ms)}
              </td>
              <td data-head="Group">{window.group ?? "all"}</td>
              <td class="num" data-head="Value">
                {of.value_texts[index]}
              </td>
              <td class="num" data-head={countHeads[of.counted]}>
                {countText(window.count)}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {past.alerts > past.windows.length ? (
        <p class="muted">These are the newest {countText(past.windows.length)} of them.</p>
      ) : null}
    </>
  );
};

/** How the windows follow each other. */
function stepText({ window_ms: windowMs, counted }: PreviewModel, past: RulePreview): string {
  if (counted === "minutes") return "A window is a minute.";
  return past.step_ms === windowMs
    ? "Percentiles are of windows side by side: one across two of them may be missed."
    : `A window begins every ${durationText(past.step_ms)}.`;
}

/** By which time windows are, and what of it is not recorded. */
const byTexts: Readonly<Record<PreviewModel["counted"], string>> = {
  turns: "by the turns' own time",
  calls: "by the turns' own time",
  events:
    "by the receipts of the reports; when a report was stored is not recorded, so one that waited " +
    "in the journal counts at its receipt",
  heard: "by the receipts of the turns; those of the day before are counted",
  minutes: "by the longest delay that this collector recorded in each minute",
};
const countHeads: Readonly<Record<PreviewModel["counted"], string>> = {
  turns: "Turns",
  calls: "Calls",
  events: "Events",
  heard: "Turns",
  minutes: "Minutes",
};

/** Minutes that are in no number. */
const Unrecorded: FC<{ readonly minutes: number }> = ({ minutes }) =>
  minutes === 0 ? null : (
    <Note tone="warn">
      The delay of {countText(minutes)} {minutes === 1 ? "minute" : "minutes"} is not recorded: this
      collector did not run, or its judge had not settled anything since the start.
    </Note>
  );

/** Silences that are in no number. */
const Unclear: FC<{ readonly of: RulePreview }> = ({ of: { unclear, left } }) => (
  <>
    {unclear === 0 ? null : (
      <Note tone="warn">
        {countText(unclear)} more {unclear === 1 ? "pause is" : "pauses are"} not established: turns
        were received before and after, and not all of their receipts in between are recorded.
      </Note>
    )}
    {left === 0 ? null : (
      <Note tone="warn">
        {countText(left)} older {left === 1 ? "pause was" : "pauses were"} not looked at. Choose a
        shorter range.
      </Note>
    )}
  </>
);

const Begin: FC<{
  readonly of: PreviewModel;
  readonly fromMs: number;
  readonly context: PageContext;
}> = ({ of: { turns_query, window_ms }, fromMs, context }) => {
  const time = <Time at={isoTime(fromMs)} form="daytime" />;
  if (turns_query === null) return time;
  return <a href={hrefOf(context, turnsPath(turns_query, fromMs, window_ms))}>{time}</a>;
};

/** The turns of a window. */
function turnsPath(turnsQuery: string, fromMs: number, windowMs: number): string {
  const query = new URLSearchParams(turnsQuery);
  query.set("start_time", isoTime(fromMs));
  query.set("end_time", isoTime(fromMs + windowMs));
  return `/traces?${query.toString()}`;
}
