/**
 * @module Completion: keys and values of a box of terms as a list below it, following the combobox
 * pattern: the focus stays in the field, arrows choose, Enter or Tab accepts, Escape closes.
 */
import { verdictReasons } from "@turnproof/evidence";

import { hasValues, termKey, typedKeys } from "../display/filter-keys.ts";
import { termText } from "../display/filter-terms.ts";
import { drawn, find } from "./page.ts";

/** Vocabulary of a box. */
export interface Grammar {
  readonly keys: readonly string[];
  /** Descriptions of keys, in a few words. */
  readonly words: { readonly [key: string]: string };
  /** Fixed values of a key. */
  readonly closed: { readonly [key: string]: readonly string[] };
  /** Values of a key that are on the page. */
  readonly seen: (key: string) => readonly string[];
}

const words: { readonly [key: string]: string } = {
  status: "of the turn itself",
  tool: "tool called",
  agent: "agent",
  user: "tenant, or anonymous",
  tenant: "the same as user",
  thread: "thread",
  memory: "memory",
  app: "application",
  root: "root trace",
  turn: "turn",
  run: "run",
  task: "task",
  ref: "resource touched",
  kind: "kind of event",
  after: "time, inclusive",
  before: "time, exclusive",
  verdict: "of the judge",
  finding: "code of the judge",
  insight: "code of a Trace Insight",
  contract: "name=violated, name=holds",
  reason: "why the verdict is no success",
  cache: "semantic cache",
  model: "model called",
  release: "version of a service",
  env: "deployment environment",
  producer: "who sent it",
  dialect: "convention of the spans",
  error: "type of a call's error",
  has: "something of this kind",
  latency: ">2s, <150ms",
  tokens: ">1000",
};

const closed: { readonly [key: string]: readonly string[] } = {
  status: ["success", "error", "partial", "started", "unknown"],
  verdict: ["success", "partial", "failed", "unknown", "unjudged"],
  cache: ["hit", "miss", "bypassed", "rejected", "disabled", "none"],
  user: ["anonymous", "unattributed"],
  has: hasValues,
  reason: verdictReasons,
};

interface Choice {
  readonly text: string;
  readonly note: string;
}

const shownMax = 12;

function choices(word: string, grammar: Grammar): readonly Choice[] {
  const { keys, words: of, closed: values, seen } = grammar;
  const negated = word.startsWith("-") ? "-" : "";
  const [key = "", value] = word.slice(negated.length).split(":");
  if (value === undefined) {
    return keys
      .filter((name) => name.startsWith(key))
      .map((name) => ({ text: `${negated}${name}:`, note: of[name] ?? "" }));
  }
  const own = termKey(key);
  // The last value of a list is completed; those before it stay, and are not offered again.
  const before = value.slice(0, value.lastIndexOf(",") + 1);
  const listed = new Set(before.split(","));
  return [...new Set([...(values[own] ?? []), ...seen(own)])]
    .filter((one) => one.startsWith(value.slice(before.length)) && !listed.has(one))
    .map((one) => {
      const text = termText({ key: own, value: one, negated: false }).slice(own.length + 1);
      return { text: `${negated}${key}:${before}${text} `, note: "" };
    });
}

/** Completes the filter bar of the page; `seen` are the values of its facets. */
export function completeFilter(seen: Grammar["seen"]): void {
  const field = find<HTMLInputElement>("[data-filter] input");
  if (field === undefined) return;
  complete(field, { keys: typedKeys, words, closed, seen });
  // `/` on a page without a filter of its own leads here.
  if (location.hash === "#filter") field.focus();
}

/**
 * Completes the only field of a form. Accepting an offer fires `change` on the field; the result
 * removes the list.
 */
export function complete(
  field: HTMLInputElement,
  grammar: Grammar,
): { readonly close: () => void } {
  const form = field.parentElement ?? document.body;
  announceCombobox(field);
  let offered: readonly Choice[] = [];
  let chosen = -1;
  const close = (): void => {
    find("#suggestions")?.remove();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    chosen = -1;
  };
  const take = (index: number): void => {
    const choice = offered[index];
    if (choice === undefined) return;
    const [from, word] = wordAt(field);
    const rest = field.value.slice(from + word.length);
    field.value = `${field.value.slice(0, from)}${choice.text}${rest.trimStart()}`;
    const caret = from + choice.text.length;
    field.setSelectionRange(caret, caret);
    if (choice.text.endsWith(":")) show();
    else close();
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const show = (): void => {
    close();
    const [, word] = wordAt(field);
    offered = choices(word, grammar).slice(0, shownMax);
    if (offered.length === 0) return;
    const list = drawn(<List offered={offered} />) as HTMLElement;
    list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option !== null) take(Number(option.dataset["index"]));
    });
    form.append(list);
    field.setAttribute("aria-expanded", "true");
  };
  const choose = (by: number): void => {
    chosen = (chosen + by + offered.length) % offered.length;
    for (const [index, option] of [...form.querySelectorAll("[role=option]")].entries()) {
      option.setAttribute("aria-selected", String(index === chosen));
      if (index === chosen) option.scrollIntoView({ block: "nearest" });
    }
    field.setAttribute("aria-activedescendant", `suggestion-${chosen}`);
  };
  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const open = find("#suggestions") !== undefined;
    if (event.key === "Escape") {
      if (open) close();
      else field.blur();
    } else if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      choose(event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
    } else if (open && (event.key === "Enter" || event.key === "Tab")) {
      const only = event.key === "Enter" && isOnly(offered, wordAt(field)[1]);
      if (chosen === -1 && !only) return;
      take(Math.max(chosen, 0));
      event.preventDefault();
    }
  });
  return { close };
}

/** True for the only offer, where it adds to what was typed. */
function isOnly(offered: readonly Choice[], word: string): boolean {
  return offered.length === 1 && word !== "" && offered[0]?.text.trim() !== word;
}

/** The word before the caret, and where it begins. */
function wordAt(field: HTMLInputElement): readonly [from: number, word: string] {
  const before = field.value.slice(0, field.selectionStart ?? field.value.length);
  const from = before.search(/\S*$/);
  return [from, before.slice(from)];
}

function announceCombobox(field: HTMLInputElement): void {
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-expanded", "false");
  field.setAttribute("aria-controls", "suggestions");
}

function List({ offered }: { readonly offered: readonly Choice[] }) {
  return (
    <div class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions">
      {offered.map(({ text, note }, index) => (
        <div
          role="option"
          id={`suggestion-${index}`}
          aria-selected="false"
          data-index={String(index)}
        >
          {text.trim()}
          {note === "" ? null : <span class="muted">{note}</span>}
        </div>
      ))}
    </div>
  );
}
