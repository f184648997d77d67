/**
 * @module Tips: shows tooltips to keyboard users too. The explanation of a control is beside it
 * while it has the focus; `i` shows those of the whole row or card around it. A word of the
 * glossary has its meaning under the pointer and after a tap as well, at once. Escape closes a tip
 * and keeps the focus (WCAG 2.2, 1.4.13).
 */
import { announce, drawn, find } from "./page.ts";
import { addShortcuts } from "./shortcuts.ts";

const gap = 6;
const linesMax = 14;

/** Containers that `i` searches. */
const surroundings = "tr, [role=row], .findings li, .identity, .tile, .card, .bar";

function hide(): void {
  find("[role=tooltip]")?.remove();
}

/** Shows lines at an element: below it, or above where there is no room. */
function show(at: Element, lines: readonly string[]): void {
  hide();
  // The control is described by its title already; the tip is visual only.
  const tip = drawn(
    <div class="tip" role="tooltip" aria-hidden="true">
      {lines.map((line) => (
        <p>{line}</p>
      ))}
    </div>,
  ) as HTMLElement;
  document.body.append(tip);
  const { left, top, bottom } = at.getBoundingClientRect();
  const [over, under] = [top - 2 * gap, innerHeight - bottom - 2 * gap];
  const above = under < tip.offsetHeight && over > under;
  // It never covers its element: a long one scrolls in the available room.
  tip.style.maxHeight = `${Math.max(24, Math.min(above ? over : under, innerHeight * 0.6))}px`;
  const y = above ? top - gap - tip.offsetHeight : bottom + gap;
  tip.style.left = `${Math.max(gap, Math.min(left, innerWidth - tip.offsetWidth - gap))}px`;
  tip.style.top = `${Math.max(gap, y)}px`;
}

/** Time to move the pointer from a word into its tip. */
const leaveMs = 200;

/**
 * Shows the meaning of a word under the pointer; the tip of the browser is late, and absent on
 * touch.
 */
function startTexts(): void {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let over: HTMLElement | undefined;
  /** The browser's own tip would lie over this one. */
  const showWord = (word: HTMLElement): void => {
    over = word;
    word.dataset["meaning"] = word.title || (word.dataset["meaning"] ?? "");
    word.removeAttribute("title");
    show(word, [word.dataset["meaning"]]);
  };
  const leave = (): void => {
    if (over === undefined) return;
    over.title = over.dataset["meaning"] ?? "";
    if (!over.matches(":focus-visible")) hide();
    over = undefined;
  };
  document.addEventListener("pointerover", ({ target }) => {
    const word = (target as Element).closest<HTMLElement>("[data-word-of]");
    const within = (target as Element).closest("[role=tooltip]") !== null;
    clearTimeout(leaving);
    if (word !== null && word !== over) {
      leave();
      showWord(word);
    } else if (word === null && !within) leaving = setTimeout(leave, leaveMs);
  });
  document.addEventListener("click", ({ target }) => {
    const word = (target as Element).closest<HTMLElement>("[data-word-of]");
    if (word !== null) showWord(word);
  });
}

/** A title that has more than the visible words. */
function ownTip(node: Element): string | undefined {
  const title = node.getAttribute("title") ?? (node as HTMLElement).dataset["meaning"] ?? "";
  return title === "" || title === node.textContent?.trim() ? undefined : title;
}

/** Shows the explanations of everything in the row or card around the focus. */
function explain(): boolean {
  const at = document.activeElement;
  const around = at?.closest(surroundings);
  if (at === null || around === null || around === undefined) {
    announce("The focused element has no explanation");
    return true;
  }
  const lines = [around, ...around.querySelectorAll("[title]")].flatMap((node) => {
    const tip = node.checkVisibility() ? ownTip(node) : undefined;
    const word = (node as HTMLElement).innerText.trim().replaceAll(/\s+/g, " ").slice(0, 40);
    if (tip === undefined) return [];
    return [word === "" || tip.startsWith(word) ? tip : `${word}: ${tip}`];
  });
  const shown = [...new Set(lines)].slice(0, linesMax);
  if (shown.length === 0) announce("No explanation here");
  else show(at, shown);
  if (shown.length > 0) announce(shown.join("; "));
  return true;
}

/** Starts showing them. */
export function startTips(): void {
  document.addEventListener("focusin", ({ target }) => {
    hide();
    const node = target as Element;
    const tip = node.matches(":focus-visible") ? ownTip(node) : undefined;
    if (tip !== undefined && node.closest("dialog") === null) show(node, [tip]);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", (event) => {
    if ((event.target as Element).closest("[role=tooltip]") === null) hide();
  });
  window.addEventListener("resize", hide);
  // Before every other handler of the key: the first Escape closes the tip.
  const onEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || find("[role=tooltip]") === undefined) return;
    hide();
    event.stopPropagation();
    event.preventDefault();
  };
  document.addEventListener("keydown", onEscape, { capture: true });
  startTexts();
  addShortcuts([
    { keys: ["i"], label: "Explain what has the focus", group: "Everywhere", run: explain },
  ]);
}
