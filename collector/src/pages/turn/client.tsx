/**
 * @module Turn in the browser: replaces the server's first waterfall rows by the grid, shows the
 * selected event beside it, and links every statement to its evidence.
 */
import type { Insights, TurnEvent, Verdict } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import { readField, readRecords } from "../../ui/display/columns.ts";
import type { Columns } from "../../ui/display/columns.ts";
import { prioritiesOf } from "../../ui/display/event-priorities.ts";
import { waterfallOf } from "../../ui/display/turn-columns.ts";
import type { TurnColumns } from "../../ui/display/turn-columns.ts";
import { typicalByTool } from "../../ui/display/typical-call.ts";
import type { TypicalCall } from "../../ui/display/typical-call.ts";
import { idleGaps } from "../../ui/display/time-scale.ts";
import { nextOf } from "../../ui/display/tree-rows.ts";
import { waterfallRows } from "../../ui/display/waterfall-rows.ts";
import type { WaterfallRow } from "../../ui/display/waterfall-rows.ts";
import { EventPanel } from "../../ui/elements/event-panel.tsx";
import { fragment, onFragment, setFragment } from "../../ui/client/fragment.ts";
import { makeCopyable } from "../../ui/client/copying.ts";
import { startInlineProblems } from "../../ui/client/inline-problem.ts";
import { startMarks } from "../../ui/client/marks.tsx";
import { announce, drawn, fetchJson, find, inColumns, twin } from "../../ui/client/page.ts";
import { showTimes } from "../../ui/client/preferences.ts";
import { addTreeKeys } from "../../ui/client/tree-keys.ts";
import { EventSheet } from "./client/event-sheet.ts";
import { showMinimap } from "./client/minimap.ts";
import { addShortcuts } from "../../ui/client/shortcuts.ts";
import { startFind } from "./client/waterfall-find.ts";
import { WaterfallGrid } from "./client/waterfall-grid.tsx";
import { startActions } from "./client/turn-actions.ts";
import { startStatistics } from "./client/turn-statistics.tsx";
import { showPath, startPath } from "./client/waterfall-path.tsx";
import { startTools } from "./client/waterfall-tools.ts";

/** Fields of the twin that the page uses, as columns. */
type Model = TurnColumns<Needed>;

interface Needed extends Pick<Identity, "root_trace_id"> {
  readonly turns: readonly (Partial<Pick<Identity, "turn_id" | "agent_id">> & {
    readonly ended_at: string;
  })[];
  readonly verdict: Verdict;
  readonly insights: Insights;
  readonly typical_calls: readonly TypicalCall[];
}

/** Starts the page of a turn. */
export function start(): void {
  startActions();
  startInlineProblems("notes");
  void load();
}

async function load(): Promise<void> {
  const model = await fetchJson<Model>(inColumns(twin));
  if (model === undefined) {
    announce("The waterfall could not be loaded; the first rows stay as they are.");
    return;
  }
  const [turn] = model.turns;
  startMarks(
    turn === undefined
      ? undefined
      : { root: model.root_trace_id, turn: turn.turn_id, agent: turn.agent_id, at: turn.ended_at },
  );
  const page = new OpenPage(model);
  page.start();
}

class OpenPage {
  readonly #grid: WaterfallGrid;
  readonly #eventOf: (id: string) => TurnEvent | undefined;
  readonly #rowOf = new Map<string, number>();
  readonly #findings: readonly number[];
  readonly #missing: readonly number[];
  #find: ReturnType<typeof startFind> | undefined;
  #raw = false;
  #started = false;
  readonly #sheet = new EventSheet(() => this.#grid.focus(this.#grid.focused));
  #shown: WaterfallRow | undefined;

  constructor(model: Model) {
    this.#eventOf = readEvents(model.events);
    const waterfall = waterfallOf(model.waterfall, model.events);
    const rows = waterfallRows(waterfall);
    rows.rows.forEach(({ node }, index) => {
      for (const id of node?.event_ids ?? []) this.#rowOf.set(id, index);
    });
    const priorities = prioritiesOf({ ...model, waterfall });
    this.#findings = [
      ...new Set([...priorities.keys()].flatMap((id) => this.#rowOf.get(id) ?? [])),
    ].toSorted((a, b) => a - b);
    this.#missing = rows.rows.flatMap((row, index) => (row.kind === "missing" ? [index] : []));
    // The grid draws, and so calls back, while it is still being created.
    let paint = (): void => {};
    const typical = typicalByTool(model.typical_calls);
    this.#grid = new WaterfallGrid(
      rows,
      { priorities, typical },
      {
        onSelect: (row) => this.#show(row),
        onView: () => paint(),
        onKeepAll: () => this.#find?.keepAll(),
      },
    );
    paint = showMinimap(this.#grid);
    paint();
  }

  start(): void {
    find("[data-wf-more]")?.remove();
    const { rows, extentMs } = this.#grid.model;
    startTools(this.#grid, idleGaps(rows, extentMs));
    window.addEventListener("turnproof:preference", () => this.#grid.measure());
    document.addEventListener("click", (event) => {
      const link = (event.target as Element).closest<HTMLElement>("[data-evidence]");
      const index = this.#rowOf.get(link?.dataset["evidence"] ?? "");
      if (link === null || index === undefined) return;
      event.preventDefault();
      this.#goTo(index);
      this.#sheet.open();
    });
    document.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("tr[data-raw]");
      const index = this.#rowOf.get(row?.dataset["raw"] ?? "");
      if (index !== undefined && window.getSelection()?.isCollapsed !== false) this.#goTo(index);
    });
    find(".waterfall")?.addEventListener("click", (event) => {
      const target = event.target as Element;
      if (target.closest("[data-index]") === null || target.closest("a, .twist") !== null) return;
      this.#sheet.open();
    });
    this.#addKeys();
    startPath(this.#grid);
    // Something is selected from the start: the event of the address, the evidence of a finding,
    // or else the turn itself.
    const named = this.#named();
    if (named === undefined) this.#grid.select(this.#findings[0] ?? 0);
    else this.#goTo(named);
    this.#started = true;
    onFragment(() => {
      const index = this.#named();
      if (index !== undefined && index !== this.#grid.focused) this.#goTo(index);
    });
    const eventsOf = (row: WaterfallRow): readonly TurnEvent[] => this.#eventsOf(row);
    this.#find = startFind(this.#grid, eventsOf);
    startStatistics(this.#grid.model, eventsOf, (text) => this.#find?.request(text));
    document.body.dataset["ready"] = "";
    this.#sheet.resume();
    performance.mark("turnproof:ready");
  }

  /** Row of the event that the address names: selected here, or linked from another page. */
  #named(): number | undefined {
    const linked = /^#e-(.+)$/.exec(location.hash)?.[1];
    const id = fragment().get("event") ?? (linked === undefined ? null : decoded(linked));
    return id === null ? undefined : this.#rowOf.get(id);
  }

  #goTo(index: number): void {
    find(".waterfall")?.scrollIntoView({ block: "nearest" });
    this.#grid.focus(index);
  }

  #addKeys(): void {
    const group = "Turn" as const;
    addTreeKeys(this.#grid, group, () => this.#enter());
    addShortcuts([
      { keys: ["Escape"], label: "Back to the rows", group, run: () => this.#back() },
      { keys: ["]"], label: "Next finding", group, run: () => this.#step(this.#findings, 1) },
      { keys: ["["], label: "Previous finding", group, run: () => this.#step(this.#findings, -1) },
      { keys: ["u"], label: "Next missing parent", group, run: () => this.#step(this.#missing, 1) },
      { keys: ["e"], label: "Raw evidence of the event", group, run: () => this.#toggleRaw() },
    ]);
  }

  /** Goes to the next of some rows, cyclically. */
  #step(rows: readonly number[], by: 1 | -1): void {
    if (rows.length === 0) {
      announce("There is none");
      return;
    }
    this.#goTo(nextOf(rows, this.#grid.focused, by) ?? 0);
  }

  #enter(): void {
    this.#grid.select(this.#grid.focused);
    const panel = find("[data-panel]");
    this.#sheet.open();
    panel?.scrollIntoView({ block: "nearest" });
    panel?.focus();
  }

  #back(): boolean {
    if (this.#sheet.close()) return true;
    const panel = find("[data-panel]");
    if (panel?.contains(document.activeElement) !== true) return false;
    this.#goTo(this.#grid.focused);
    return true;
  }

  #toggleRaw(): void {
    this.#raw = !this.#raw;
    if (this.#shown === undefined) this.#grid.select(this.#grid.focused);
    else this.#show(this.#shown);
    announce(this.#raw ? "Raw evidence" : "Evidence in words");
  }

  #eventsOf({ node }: WaterfallRow): readonly TurnEvent[] {
    return (node?.event_ids ?? []).flatMap((id) => this.#eventOf(id) ?? []);
  }

  #show(row: WaterfallRow): void {
    this.#shown = row;
    // The row of a span that is missing has no event: the one before is selected no more.
    if (this.#started) setFragment({ event: row.node?.event_id ?? null });
    this.#find?.renew();
    showPath(this.#grid);
    const body = find("[data-panel-body]");
    if (body === undefined) return;
    const events = this.#eventsOf(row);
    const first = events.findIndex(({ event_id: id }) => id === row.node?.event_id);
    const ordered = first > 0 ? [...events.slice(first), ...events.slice(0, first)] : events;
    body.replaceChildren(drawn(this.#raw ? rawText(ordered) : panelOf(row, ordered)));
    body.scrollTop = 0;
    showTimes(body);
    makeCopyable(body);
  }
}

/** A part of an address as text; a malformed one is no id. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Events by id. Few of thousands are shown, so each is created on first use. */
function readEvents(columns: Columns): (id: string) => TurnEvent | undefined {
  const idAt = readField(columns, "event_id");
  const read = readRecords<TurnEvent>(columns);
  const places = new Map<unknown, number>();
  for (let at = 0; at < columns.count; at += 1) places.set(idAt(at), at);
  const made = new Map<number, TurnEvent>();
  return (id) => {
    const at = places.get(id);
    if (at === undefined) return undefined;
    const event = made.get(at) ?? read(at);
    made.set(at, event);
    return event;
  };
}

function panelOf(row: WaterfallRow, events: readonly TurnEvent[]): unknown {
  if (row.kind === "missing") {
    return (
      <p>
        <b>This span is not recorded.</b> Its children name <code>{row.missingId}</code> as their
        parent. It may be lost, sampled out, still running, or of a process that sends elsewhere.
      </p>
    );
  }
  if (events.length === 0) return <p class="muted">No event of this row was loaded.</p>;
  return events.map((event) => <EventPanel event={event} />);
}

function rawText(events: readonly TurnEvent[]): unknown {
  return events.map((event) => <pre class="code">{JSON.stringify(event, null, 2)}</pre>);
}
