/**
 * @module Health in the browser: `Watch` reads the twin every few seconds and plots changing
 * values: items stored, items pending, query time.
 */
import { watchBrush } from "../../ui/client/brush.ts";
import { announce, drawn, fetchJson, find, twin } from "../../ui/client/page.ts";
import { addShortcuts } from "../../ui/client/shortcuts.ts";
import { Plot } from "../../ui/elements/plot.tsx";
import type { PlotValue } from "../../ui/elements/plot.tsx";

interface Sample {
  readonly query_timing: readonly { readonly duration_ms: number }[];
  readonly collector: {
    readonly ingest: {
      readonly conservation: { readonly received: number };
      readonly journal: { readonly pending_spans: number };
      readonly drain: { readonly stored_events: number };
    };
  } | null;
}

const everyMs = 3_000;
const keptMax = 200;

/** Starts the page. */
export function start(): void {
  watchBrush();
  const button = find<HTMLButtonElement>("[data-watch]");
  const place = find("[data-watch-plots]");
  if (button === undefined || place === undefined) return;
  button.hidden = false;
  let stop: (() => void) | undefined;
  const toggle = (): void => {
    const on = stop === undefined;
    button.setAttribute("aria-pressed", String(on));
    announce(on ? "Watching: read every three seconds" : "Not watching");
    if (!on) {
      stop?.();
      stop = undefined;
      return;
    }
    const ended = new AbortController();
    stop = () => ended.abort();
    void watch(place, ended.signal);
  };
  button.addEventListener("click", toggle);
  addShortcuts([{ keys: ["w"], label: "Watch live, or stop", group: "List", run: toggle }]);
}

/** Plotted values: a name, its unit, and its value from one sample and the one before. */
const series: readonly (readonly [
  name: string,
  unit: string,
  value: (now: Sample, before: Sample | undefined, seconds: number) => number | null,
])[] = [
  [
    "stored",
    "events/s",
    (now, before, seconds) => {
      const a = before?.collector?.ingest.drain.stored_events;
      const b = now.collector?.ingest.drain.stored_events;
      return a === undefined || b === undefined ? null : Math.max(0, (b - a) / seconds);
    },
  ],
  ["waiting", "items", (now) => now.collector?.ingest.journal.pending_spans ?? null],
  [
    "query time",
    "ms",
    (now) => now.query_timing.reduce((most, { duration_ms: ms }) => Math.max(most, ms), 0),
  ],
];

async function watch(place: HTMLElement, signal: AbortSignal): Promise<void> {
  place.hidden = false;
  place.replaceChildren();
  const figures = series.map(([name, unit]) => {
    const figure = drawn(
      <figure>
        <figcaption>
          <span>
            {name} <span class="muted">{unit}</span>
          </span>
          <b data-latest>…</b>
        </figcaption>
        <div data-plot>
          <Plot label={`${name}, ${unit}`} values={[]} />
        </div>
      </figure>,
    ) as HTMLElement;
    place.append(figure);
    return figure;
  });
  signal.addEventListener("abort", () => {
    place.hidden = true;
    place.replaceChildren();
  });
  const values: PlotValue[][] = series.map(() => []);
  let readAt: number | undefined;
  let before: Sample | undefined;
  while (!signal.aborted) {
    const now = await fetchJson<Sample>(twin, signal);
    if (signal.aborted) return;
    const at = Date.now();
    const seconds = readAt === undefined ? 1 : (at - readAt) / 1_000 || 1;
    series.forEach(([name, unit, valueOf], index) => {
      const value = now === undefined ? null : valueOf(now, before, seconds);
      const row = values[index] ?? [];
      row.push({ at_ms: at, value });
      if (row.length > keptMax) row.shift();
      const figure = figures[index] ?? place;
      find("[data-plot]", figure)?.replaceChildren(
        drawn(<Plot label={`${name}, ${unit}`} values={row} />),
      );
      const latest = find("[data-latest]", figure);
      if (latest !== undefined) latest.textContent = value === null ? "?" : text(value);
    });
    readAt = at;
    before = now;
    await pause(everyMs, signal);
  }
}

function text(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toFixed(1)));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
