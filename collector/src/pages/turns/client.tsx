/**
 * @module Turns in the browser: live tail, marks for a comparison, the brush of the histogram. The
 * browser draws with the same elements as the server.
 */
import type { TurnRow as Row } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import { rowKey, rowScale } from "../../ui/display/turn-figures.ts";
import { TurnRow } from "../../ui/elements/turn-row.tsx";
import { WindowFooter } from "../../ui/elements/window-footer.tsx";
import type { TurnsWindow } from "../../ui/elements/window-footer.tsx";
import { watchBrush } from "../../ui/client/brush.ts";
import { completeFilter } from "../../ui/client/completion.tsx";
import { facetList } from "./client/facets.tsx";
import type { FacetList } from "./client/facets.tsx";
import { startDifferences } from "./client/differences.tsx";
import { hideTailEnd, showTailEnd } from "./client/tail-end.tsx";
import { overviewOf } from "./client/overview.tsx";
import { startMarks } from "../../ui/client/marks.tsx";
import { showNewer } from "../../ui/client/newer.ts";
import { announce, base, drawn, fetchJson, find, pageQuery, twin } from "../../ui/client/page.ts";
import { showTimes } from "../../ui/client/preferences.ts";
import { startViews } from "./client/saved-views.tsx";
import { backToRow } from "../../ui/client/rows.ts";
import { addShortcuts } from "../../ui/client/shortcuts.ts";

/** Fields of the twin that the page uses. */
type Model = TurnsWindow;

const settleMs = 700;
const openMs = 3_000;
/** Filters that apply to a tail; the others apply when the page loads rows. */
const liveFilters = new Set(
  (
    "application_id agent_id user_id scope memory_id thread_id root_trace_id run_id turn_id " +
    "task_id tool_name resource_ref event_kind status"
  ).split(" "),
);

const query = pageQuery();
let live = true;
/** Undefined after the server ended it. */
let tail: EventSource | undefined;
let waiting: Model | undefined;
let renewOverview: (() => void) | undefined;
let facets: FacetList | undefined;

/** Starts the home page. */
export function start(): void {
  renewOverview = overviewOf(query);
  facets = facetList(query);
  completeFilter((key) => facets?.names(key) ?? []);
  startMarks();
  watchBrush();
  startViews(query);
  startDifferences(query);
  const button = find<HTMLButtonElement>("[data-live]");
  if (button === undefined) return;
  button.hidden = false;
  button.addEventListener("click", () => setLive(!live));
  addShortcuts([
    { keys: ["l"], label: "Live tail on or off", group: "List", run: () => setLive(!live) },
    {
      keys: ["d"],
      label: "Chart: volume, duration, outcome",
      group: "List",
      run: () => find("[data-next-chart]")?.click(),
    },
    { keys: ["."], label: "Show turns that arrived", group: "List", run: showWaiting },
  ]);
  window.addEventListener("scroll", () => {
    if (isAtTop()) showWaiting();
  });
  // A backlog becomes readable long after its receipt, so a page with pending events reloads its
  // rows.
  setInterval(() => {
    if (tail !== undefined && !document.hidden && find("[data-pending]") !== undefined) soon();
  }, openMs);
  window.addEventListener("pagehide", () => tail?.close());
  listen();
}

function setLive(on: boolean): void {
  showLive(on);
  announce(on ? "Live tail on" : "Live tail off");
  if (!on) return;
  if (tail === undefined) listen();
  showWaiting();
}

function showLive(on: boolean): void {
  live = on;
  find("[data-live]")?.setAttribute("aria-pressed", String(on));
}

let timer: number | undefined;

function soon(): void {
  timer ??= window.setTimeout(() => {
    timer = undefined;
    void refresh();
  }, settleMs);
}

function listen(): void {
  // A form sends its empty fields, too: the list has no such filter, and the tail refuses them.
  const given = [...query].filter(([name, value]) => liveFilters.has(name) && value !== "");
  const filters = new URLSearchParams(given);
  // From the time when the page was read, so that events before this connection are not missed.
  const asOf = find("[data-window]")?.dataset["asOf"];
  if (asOf !== undefined) filters.set("since", asOf);
  const source = new EventSource(`${base}/traces/live${filters.size === 0 ? "" : `?${filters}`}`);
  tail = source;
  hideTailEnd();
  source.addEventListener("event", ({ data }: MessageEvent<string>) => {
    if (isNews(JSON.parse(data) as Arrived, asOf)) soon();
  });
  source.addEventListener("gap", soon);
  // Without this the browser would reconnect forever, even after a sign-out or at the bound of
  // streams.
  const ended = (code?: string): void => {
    source.close();
    tail = undefined;
    showLive(false);
    showTailEnd(code);
  };
  source.addEventListener("end", ({ data }: MessageEvent<string>) =>
    ended((JSON.parse(data) as { readonly code?: string }).code),
  );
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) ended();
  });
}

/** Fields of a tail event that the page uses. */
interface Arrived extends Partial<Pick<Identity, "root_trace_id">> {
  readonly received_at?: string;
}

/**
 * The tail begins a little before the page was read, with events that the page may show already.
 */
function isNews({ root_trace_id: root, received_at: at }: Arrived, asOf?: string): boolean {
  if (asOf === undefined || at === undefined || Date.parse(at) >= Date.parse(asOf)) return true;
  return ![...shownKeys()].some((key) => (JSON.parse(key) as readonly string[])[0] === root);
}

const isAtTop = (): boolean => window.scrollY < 40;

async function refresh(): Promise<void> {
  const model = await fetchJson<Model>(twin);
  if (model === undefined) return;
  waiting = model;
  if (live && isAtTop() && find("tr[data-key] :focus") === undefined) showWaiting();
  else showArrivedCount();
}

function shownKeys(): ReadonlySet<string> {
  return new Set(
    [...document.querySelectorAll<HTMLElement>("tr[data-key]")].map(
      (tr) => tr.dataset["key"] ?? "",
    ),
  );
}

/** Number of turns that are not on the page yet, as a button that shows them. */
function showArrivedCount(): void {
  const shown = shownKeys();
  const count = waiting?.items.filter((row) => !shown.has(rowKey(row))).length ?? 0;
  find("[data-arrived]")?.remove();
  if (count === 0) return;
  const text = `${count} new ${count === 1 ? "turn" : "turns"}`;
  const pill = drawn(
    <div class="float top" data-arrived>
      <button class="button primary small" type="button">
        {text}
      </button>
    </div>,
  ) as HTMLElement;
  pill.addEventListener("click", () => {
    window.scrollTo({ top: 0 });
    showWaiting();
  });
  document.body.append(pill);
  announce(text);
}

function showWaiting(): void {
  find("[data-arrived]")?.remove();
  const model = waiting;
  waiting = undefined;
  if (model === undefined || model.items.length === 0) return;
  const body = find("[data-rows]");
  if (body === undefined) return;
  const first = find("[data-first-steps]");
  if (first !== undefined) {
    first.remove();
    announce("The first turn has arrived");
  }
  const panel = find("[data-turns]");
  if (panel !== undefined) panel.hidden = false;
  drawList(body, model.items);
  const footer = <WindowFooter model={model} path={`${base}/traces`} query={query} />;
  find("[data-window]")?.replaceWith(drawn(footer));
  showNewer();
}

function drawList(body: HTMLElement, items: readonly Row[]): void {
  const shown = shownKeys();
  const roots = Map.groupBy(items, (row) => row.root_trace_id ?? "");
  const crowded = new Set([...roots].filter(([, rows]) => rows.length > 1).map(([root]) => root));
  const place = { base, scale: rowScale(items), crowded };
  const rows = items.map((row) => {
    const tr = drawn(<TurnRow row={row} place={place} />) as HTMLElement;
    if (shown.size > 0 && !shown.has(rowKey(row))) tr.dataset["new"] = "";
    return tr;
  });
  const held = body.contains(document.activeElement);
  body.replaceChildren(...rows);
  renewOverview?.();
  facets?.renew(items);
  showTimes(document);
  window.dispatchEvent(new CustomEvent("turnproof:rows"));
  if (held) backToRow();
}
