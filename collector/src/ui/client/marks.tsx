/**
 * @module Marks: `m` marks a turn, `c` compares two marked turns, so that no ids have to be
 * pasted.
 */
import { announce, base, drawn, find, findAll } from "./page.ts";
import { currentRow } from "./rows.ts";
import { addShortcuts } from "./shortcuts.ts";

interface Mark {
  readonly root: string;
  readonly turn: string | undefined;
  readonly agent: string | undefined;
  readonly at: string;
}

const storageKey = "turnproof-marks";

function readMarks(): readonly Mark[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as readonly Mark[];
  } catch {
    return [];
  }
}

let marks = readMarks();

function keep(next: readonly Mark[]): void {
  marks = next;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // Without storage the marks last as long as the page.
  }
  show();
}

const same = (a: Mark, b: Mark): boolean => a.root === b.root && a.turn === b.turn;

function markOf(row: HTMLElement): Mark {
  const { root = "", turn, agent, at = "" } = row.dataset;
  return { root, turn, agent, at };
}

/** Marks or unmarks; a third mark removes the oldest one. */
function toggle(mark: Mark): void {
  const there = marks.some((other) => same(other, mark));
  const next = there ? marks.filter((other) => !same(other, mark)) : [...marks, mark].slice(-2);
  keep(next);
  announce(there ? "Unmarked" : `Marked, ${next.length} of 2`);
}

function show(): void {
  const inTime = marks.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  for (const row of findAll("tr[data-key]")) {
    const at = inTime.findIndex((mark) => same(mark, markOf(row)));
    if (at === -1) delete row.dataset["marked"];
    else row.dataset["marked"] = "";
    const link = find(".c-agent", row);
    if (at === -1) link?.removeAttribute("data-mark");
    else link?.setAttribute("data-mark", at === 0 ? "A" : "B");
  }
  find("[data-marks]")?.remove();
  if (marks.length === 0) return;
  const differ = marks.length === 2 && !isComparable();
  const bar = drawn(
    <div class="float" data-marks role="region" aria-label="Marked turns">
      <span>
        {marks.length === 1
          ? "1 turn marked"
          : differ
            ? `2 turns marked: ${notComparable}`
            : "2 turns marked"}
      </span>
      <a
        class="button primary small"
        href={compareHref() ?? "#"}
        hidden={marks.length < 2 || differ}
      >
        Compare <kbd>c</kbd>
      </a>
      <button class="button bare small" type="button">
        Clear
      </button>
    </div>,
  ) as HTMLElement;
  find("button", bar)?.addEventListener("click", () => keep([]));
  document.body.append(bar);
}

const notComparable = "only turns of one agent can be compared";

function isComparable(): boolean {
  return marks[0]?.agent === marks[1]?.agent;
}

/** Address of the comparison: the earlier turn is the baseline. */
function compareHref(): string | undefined {
  const [baseline, candidate] = marks.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  if (baseline === undefined || candidate === undefined) return undefined;
  const query = new URLSearchParams({
    agent_id: candidate.agent ?? baseline.agent ?? "",
    baseline_root: baseline.root,
    candidate_root: candidate.root,
  });
  // Two turns of one root are identified by their own ids.
  if (baseline.root === candidate.root) {
    if (baseline.turn !== undefined) query.set("baseline_turn", baseline.turn);
    if (candidate.turn !== undefined) query.set("candidate_turn", candidate.turn);
  }
  return `${base}/traces/compare?${query.toString()}`;
}

function compare(): boolean {
  const href = compareHref();
  if (href === undefined) {
    announce("Mark two turns with m first");
    return true;
  }
  if (!isComparable()) {
    announce(notComparable);
    return true;
  }
  location.assign(href);
  return true;
}

/** Adds the keys and shows the marks of this session. `mark` is the turn of a page about one. */
export function startMarks(mark?: Mark): void {
  addShortcuts([
    {
      keys: ["m"],
      label: "Mark the turn for a comparison",
      group: "List",
      run: () => {
        const row = currentRow()?.closest<HTMLElement>("tr[data-key]");
        const chosen = mark ?? (row === null || row === undefined ? undefined : markOf(row));
        if (chosen === undefined) return false;
        toggle(chosen);
        return true;
      },
    },
    { keys: ["c"], label: "Compare the two marked turns", group: "List", run: compare },
  ]);
  window.addEventListener("turnproof:rows", show);
  show();
}
