/**
 * @module WaterfallFind: the box over the waterfall. It searches all rows, including those not
 * drawn; its text is in the address of the page, and typing never loses the focus.
 */
import { countText } from "../../../ui/display/figures.ts";
import { lanes } from "../../../ui/display/kind-texts.ts";
import {
  findRows,
  readRowQuery,
  rowKeys,
  rowStates,
  valuesOf,
} from "../../../ui/display/row-find.ts";
import type { EventsOf } from "../../../ui/display/row-find.ts";
import { nextOf, withAncestors } from "../../../ui/display/tree-rows.ts";
import { complete } from "../../../ui/client/completion.tsx";
import { fragment, onFragment, setFragment } from "../../../ui/client/fragment.ts";
import { announce, find } from "../../../ui/client/page.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";
import type { WaterfallGrid } from "./waterfall-grid.tsx";

const typingMs = 90;
const valuesMax = 40;

const words: { readonly [key: string]: string } = {
  op: "operation",
  kind: "kind of event",
  tool: "tool called",
  model: "model called",
  status: "how it ended",
  service: "application it is of",
  producer: "who sent it",
  release: "version of the service that wrote it",
  component: "part of the agent",
  agent: "agent",
  dialect: "convention it was written in",
  lane: "lane of the waterfall",
  span: "span id",
  parent: "id of its parent span",
  event: "event id",
  task: "task",
  ref: "resource touched",
  is: "critical, missing, unfinished…",
  duration: ">2s, <150ms, or ? for unknown",
};

/** Callbacks between the box and the page. */
export interface RowFinding {
  /** The filter on rows is off. */
  keepAll(): void;
  /** Another row is selected. */
  renew(): void;
  /** Searches for this text, and shows the first match. */
  request(text: string): void;
}

/** Starts the box of the page. */
export function startFind(grid: WaterfallGrid, eventsOf: EventsOf): RowFinding | undefined {
  const form = find<HTMLFormElement>("[data-wf-find]");
  const field = find<HTMLInputElement>("input", form);
  if (form === undefined || field === undefined) return undefined;
  const box = new FindBox(grid, eventsOf, { form, field });
  box.start();
  return {
    keepAll: () => box.only(false),
    renew: () => box.print(),
    request: (text) => box.request(text),
  };
}

interface FindParts {
  readonly form: HTMLFormElement;
  readonly field: HTMLInputElement;
}

class FindBox {
  readonly #grid: WaterfallGrid;
  readonly #eventsOf: EventsOf;
  readonly #form: HTMLFormElement;
  readonly #field: HTMLInputElement;
  #found: readonly number[] = [];
  #only = false;
  #timer: number | undefined;

  constructor(grid: WaterfallGrid, eventsOf: EventsOf, { form, field }: FindParts) {
    this.#grid = grid;
    this.#eventsOf = eventsOf;
    this.#form = form;
    this.#field = field;
  }

  start(): void {
    this.#form.hidden = false;
    // Before the completion's handler, which would close an open offer.
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    const offers = complete(this.#field, {
      keys: rowKeys,
      words,
      closed: {
        is: rowStates,
        lane: lanes.map(([lane]) => lane),
        status: ["success", "error", "partial", "started", "unknown"],
      },
      seen: (key) => this.#valuesOf(key),
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      offers.close();
    });
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#typed(), typingMs);
    });
    this.#field.addEventListener("change", () => this.#typed());
    this.#form.addEventListener("click", (event) => {
      const tool = (event.target as Element).closest<HTMLElement>("[data-find]");
      if (tool !== null) this.#press(tool.dataset["find"] ?? "");
    });
    onFragment(() => this.#read());
    const group = "Turn" as const;
    addShortcuts([
      { keys: ["f"], label: "Find in this turn", group, run: () => this.#enter() },
      { keys: ["n"], label: "Next match", group, run: () => this.#step(1, true) },
      { keys: ["N"], label: "Previous match", group, run: () => this.#step(-1, true) },
    ]);
    this.#read();
  }

  /** Shows only matches and their ancestors, or everything. */
  only(on: boolean): void {
    this.#only = on;
    setFragment({ only: on ? "1" : null });
    this.#show();
  }

  /** Searches for this text, and moves the focus to the first match. */
  request(text: string): void {
    setFragment({ find: text });
    this.#read();
    this.#form.scrollIntoView({ block: "nearest" });
    this.#grid.focus(this.#found[0] ?? this.#grid.focused);
  }

  #enter(): void {
    this.#form.scrollIntoView({ block: "nearest" });
    this.#field.focus();
    this.#field.select();
  }

  #press(tool: string): void {
    if (tool === "next") this.#step(1, false);
    else if (tool === "before") this.#step(-1, false);
    else if (tool === "only") this.only(!this.#only);
    else {
      this.#field.value = "";
      this.#typed();
      this.#field.focus();
    }
  }

  #onKey(event: KeyboardEvent): void {
    const open = find("#suggestions") !== undefined;
    const choosing = this.#field.hasAttribute("aria-activedescendant");
    if (event.key === "Enter" && !choosing) {
      this.#typed();
      this.#step(event.shiftKey ? -1 : 1, false);
    } else if (event.key === "Escape" && !open) {
      event.preventDefault();
      this.#grid.focus(this.#grid.focused);
    }
  }

  /** Reads the text from the address. */
  #read(): void {
    const state = fragment();
    const text = state.get("find") ?? "";
    this.#only = state.has("only");
    if (this.#field.value !== text) this.#field.value = text;
    this.#look();
    const [first] = this.#found;
    if (first !== undefined) this.#grid.show(first);
    this.print();
  }

  #typed(): void {
    clearTimeout(this.#timer);
    const text = this.#field.value.trim();
    setFragment({ find: text === "" ? null : text });
    this.#look();
  }

  #look(): void {
    const { rows } = this.#grid.model;
    this.#found = findRows(rows, this.#eventsOf, readRowQuery(this.#field.value));
    this.#show();
  }

  #show(): void {
    const { rows } = this.#grid.model;
    const narrowed = this.#only && this.#found.length > 0;
    this.#grid.showFound(
      new Set(this.#found),
      narrowed ? withAncestors(rows, this.#found) : undefined,
    );
    this.print();
  }

  #step(by: 1 | -1, take: boolean): void {
    if (this.#found.length === 0) {
      announce(this.#field.value.trim() === "" ? "No search text" : "Nothing matches");
      return;
    }
    const next = nextOf(this.#found, this.#grid.focused, by) ?? 0;
    if (take) this.#grid.focus(next);
    else this.#grid.show(next);
  }

  /** `3 of 17`, `17 matches`, or that nothing matches and which words are no valid terms. */
  #result(): string {
    const count = this.#found.length;
    const place = this.#found.indexOf(this.#grid.focused) + 1;
    if (place > 0) return `${countText(place)} of ${countText(count)}`;
    if (count > 0) return `${countText(count)} ${count === 1 ? "match" : "matches"}`;
    const { unclear } = readRowQuery(this.#field.value);
    const none = `No match in ${countText(this.#grid.model.rows.length)} rows`;
    return unclear.length === 0 ? none : `${none}; ${unclear.join(" ")} was searched as text`;
  }

  /** Announces the selected row's position among the matches. */
  print(): void {
    const requested = this.#field.value.trim() !== "";
    const count = this.#found.length;
    const output = find("[data-find-count]", this.#form);
    if (output !== undefined) output.textContent = requested ? this.#result() : "";
    for (const button of this.#form.querySelectorAll<HTMLButtonElement>("[data-find]")) {
      const name = button.dataset["find"];
      button.disabled = name === "clear" ? !requested : name !== "only" && count === 0;
      if (name === "only") button.setAttribute("aria-pressed", String(this.#only));
    }
  }

  /** Values of a key in this turn's rows, in the order of the rows. */
  #valuesOf(key: string): readonly string[] {
    const seen = new Set<string>();
    for (const row of this.#grid.model.rows) {
      for (const value of valuesOf(row, this.#eventsOf, key)) seen.add(String(value));
      if (seen.size >= valuesMax) break;
    }
    return [...seen];
  }
}
