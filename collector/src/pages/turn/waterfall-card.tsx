/**
 * @module WaterfallCard: the causal waterfall. The server draws the first rows, which is
 * everything without script; the browser adds all rows, zoom, minimap and keys.
 */
import type { CausalWaterfall } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText, durationText } from "../../ui/display/figures.ts";
import { lanes } from "../../ui/display/kind-texts.ts";
import { ticks, timeScale } from "../../ui/display/time-scale.ts";
import type { typicalByTool } from "../../ui/display/typical-call.ts";
import { waterfallRows } from "../../ui/display/waterfall-rows.ts";
import type { WaterfallModel } from "../../ui/display/waterfall-rows.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { TreeTools } from "../../ui/elements/tree-tools.tsx";
import { WaterfallRow } from "../../ui/elements/waterfall-row.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { FindBox } from "./find-box.tsx";

/** Most rows that the server draws; the browser shows no more at once either. */
const serverRowsMax = 60;

/** The waterfall, with the side panel beside it. */
export const WaterfallCard: FC<{
  readonly waterfall: CausalWaterfall;
  readonly priorities: ReadonlyMap<string, number>;
  readonly typical: ReturnType<typeof typicalByTool>;
  readonly label: string;
}> = ({ waterfall, priorities, typical, label }) => {
  const model = waterfallRows(waterfall);
  const { rows } = model;
  return (
    <div class="split side workbench">
      <section class="card waterfall" aria-label="Causal waterfall">
        <header>
          <h2>Causal waterfall</h2>
          <Flags waterfall={waterfall} />
          <div class="end" data-wf-tools hidden>
            <TreeTools />
            <Tool name="critical" icon="path" word="Critical path" title="Critical path (p)" />
            <Tool name="idle" icon="clock" word="Compress idle time" title="Compress (x)" hidden />
            <Tool name="fit" icon="fit" word="Fit" title="Show everything (0)" />
          </div>
        </header>
        <Legend waterfall={waterfall} usual={typical.size > 0} />
        <FindBox />
        <canvas class="minimap" data-minimap hidden aria-hidden="true"></canvas>
        <Grid model={model} priorities={priorities} typical={typical} label={label} />
        <nav class="row-path" aria-label="Above the selected row" data-wf-path hidden></nav>
        {rows.length > serverRowsMax ? (
          <p class="wf-more" data-wf-more>
            The first {serverRowsMax} of {countText(rows.length)} rows; the browser module shows
            all.
          </p>
        ) : null}
      </section>
      {/* No aside: on a phone the browser module makes it a dialog. */}
      <section
        class="card panel"
        role="complementary"
        aria-label="Selected event"
        data-panel
        tabindex={-1}
      >
        <header>
          <h2>Event</h2>
          <div class="end" data-panel-tools>
            <button
              class="button bare sheet-close"
              type="button"
              aria-label="Close the event"
              data-sheet-close
            >
              <Icon name="close" />
            </button>
          </div>
        </header>
        <div
          class="body"
          data-panel-body
          role="group"
          aria-label="What was recorded of it"
          tabindex={0}
        >
          <p class="muted">Select a row to see its recorded fields.</p>
        </div>
      </section>
    </div>
  );
};

const Grid: FC<{
  readonly model: WaterfallModel;
  readonly priorities: ReadonlyMap<string, number>;
  readonly typical: ReturnType<typeof typicalByTool>;
  readonly label: string;
}> = ({ model, priorities, typical, label }) => {
  const { rows, extentMs } = model;
  const scale = timeScale({ fromMs: 0, toMs: extentMs });
  return (
    <div class="wf-scroll" data-wf-scroll>
      <div
        class="wf"
        role="treegrid"
        aria-label={label}
        aria-rowcount={String(rows.length + 1)}
        aria-colcount={3}
        data-wf
      >
        <div class="wf-head" role="row" aria-rowindex={1}>
          <div class="wf-name" role="columnheader">
            What
          </div>
          <div class="wf-figure num" role="columnheader">
            Duration
          </div>
          <div class="wf-time" role="columnheader">
            <span class="sr">Time from the start</span>
            <Axis extentMs={extentMs} />
          </div>
        </div>
        <div class="wf-body" role="rowgroup" data-wf-body>
          {rows.slice(0, serverRowsMax).map((row, index) => (
            <WaterfallRow
              row={row}
              state={{
                index,
                scale,
                collapsed: false,
                focused: index === 0,
                selected: false,
                dimmed: false,
                priority: priorities.get(row.node?.event_id ?? ""),
                typical: typical.get(row.node?.tool_name),
              }}
            />
          ))}
        </div>
      </div>
    </div>
  );
};

const Tool: FC<{
  readonly name: string;
  readonly icon: IconName;
  readonly word: string;
  readonly title: string;
  readonly hidden?: boolean;
}> = ({ name, icon, word, title, hidden = false }) => (
  <button
    class="button small"
    type="button"
    data-wf-tool={name}
    title={title}
    hidden={hidden}
    {...(name === "fit" ? {} : { "aria-pressed": "false" })}
  >
    <Icon name={icon} />
    <span data-word>{word}</span>
  </button>
);

/** Round times over the bars; those after the first have no room in a narrow window. */
const Axis: FC<{ readonly extentMs: number }> = ({ extentMs }) => (
  <svg width="100%" height="28" aria-hidden="true" data-axis>
    {ticks({ fromMs: 0, toMs: extentMs }, 1_000).map((at) => (
      <text class={at === 0 ? undefined : "later"} x={`${(at / extentMs) * 100}%`} y="18">
        {durationText(at)}
      </text>
    ))}
  </svg>
);

/** Colours of the lanes; with script each chooses its lane. */
const Legend: FC<{ readonly waterfall: CausalWaterfall; readonly usual: boolean }> = ({
  waterfall,
  usual,
}) => {
  const counts = new Map<string, number>();
  for (const { nodes } of waterfall.groups) {
    for (const { lane } of nodes) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  }
  const icons: { readonly [lane: string]: IconName } = { error: "failed" };
  return (
    <div class="legend" role="group" aria-label="Lanes">
      {lanes.map(([lane, name]) => {
        const count = counts.get(lane) ?? 0;
        return count === 0 ? null : (
          <span class={`lane lane-${lane}`} data-lane={lane}>
            <Icon name={icons[lane] ?? (lane as IconName)} />
            {name} <span class="muted">{countText(count)}</span>
          </span>
        );
      })}
      {usual ? (
        <span class="muted usual-key" title="Of the same tool in the week before the turn ended">
          <svg class="wf-usual" width="20" height="14" aria-hidden="true" focusable="false">
            <line x1="2" x2="2" y1="1" y2="12" />
            <line x1="2" x2="18" y1="11" y2="11" />
          </svg>{" "}
          usual time of a tool, and its p95
        </span>
      ) : null}
    </div>
  );
};

const Flags: FC<{ readonly waterfall: CausalWaterfall }> = ({ waterfall }) => {
  const { counts, duplicates_removed: copies } = waterfall;
  const flagCount = (count: number, icon: IconName, word: string, title: string) =>
    count === 0 ? null : (
      <Badge tone="warn" icon={icon} word={`${countText(count)} ${word}`} title={title} />
    );
  return (
    <>
      <span class="muted">{countText(counts.nodes)} spans and points</span>
      {flagCount(
        counts.missing_parents,
        "orphan",
        "without parent",
        "Their parent was not received. (u)",
      )}
      {flagCount(counts.missing_causes, "orphan", "without cause", "Their cause was not received.")}
      {flagCount(counts.cycles, "cycle", "in a cycle", "Parent links form a cycle.")}
      {flagCount(counts.missing_completions, "running", "without end", "Started, no end received.")}
      {flagCount(
        counts.unknown_durations,
        "unknown",
        "of unknown duration",
        "Their duration is not recorded.",
      )}
      {flagCount(
        counts.clock_skewed,
        "clock",
        "with clock skew",
        "Clocks contradict the causal order.",
      )}
      {copies === 0 ? null : <span class="muted">{countText(copies)} copies set aside</span>}
    </>
  );
};
