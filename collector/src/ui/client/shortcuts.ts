/**
 * @module Shortcuts: the table of keys. The help dialog is generated from it, nothing fires while
 * typing, and a sequence such as `g h` waits a while for its second key.
 */

/** One shortcut. */
export interface Shortcut {
  /** Keys as `KeyboardEvent.key` names them; two for a sequence. */
  readonly keys: readonly [string] | readonly [string, string];
  readonly label: string;
  /** Heading in the help. */
  readonly group: "Everywhere" | "List" | "Turn" | "Go to";
  /** False when there was nothing to do, so that the browser handles the key. */
  readonly run: (event: KeyboardEvent) => boolean | void;
}

const table: Shortcut[] = [];
/** Long enough to find the second key. */
const sequenceMs = 3_000;
let first: { readonly key: string; readonly at: number } | undefined;

/** Adds shortcuts to the table; a later one with the same keys replaces the earlier. */
export function addShortcuts(shortcuts: readonly Shortcut[]): void {
  for (const shortcut of shortcuts) {
    const same = table.findIndex(({ keys }) => keys.join(" ") === shortcut.keys.join(" "));
    if (same === -1) table.push(shortcut);
    else table[same] = shortcut;
  }
}

/** The table, for the help. */
export function shortcuts(): readonly Shortcut[] {
  return table;
}

/** Inputs without text entry. */
const pressed = /^(?:button|checkbox|color|file|image|radio|range|reset|submit)$/;

/** True while the event belongs to a field or to a dialog. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (target === null) return false;
  if (target.closest("dialog") !== null) return event.key !== "?";
  if (target instanceof HTMLInputElement) return !pressed.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Keys that controls use themselves: to press, or to choose among others by arrows. */
function isTaken(event: KeyboardEvent): boolean {
  const control = (event.target as HTMLElement | null)?.closest(
    "a, button, input, label, summary, [role=button]",
  );
  if (control === null || control === undefined) return false;
  if (event.key === "Enter" || event.key === " ") return true;
  const arrows = control.matches("[type=radio], [type=range]");
  return arrows && /^(?:Arrow|Home|End|Page)/.test(event.key);
}

/** True for a key with a browser modifier; AltGr only forms the character. */
function isModified(event: KeyboardEvent): boolean {
  if (event.getModifierState("AltGraph")) return false;
  return event.ctrlKey || event.metaKey || event.altKey;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || isModified(event)) return;
  if (isTyping(event) || isTaken(event) || event.isComposing) return;
  const now = event.timeStamp;
  const before = first !== undefined && now - first.at < sequenceMs ? first.key : undefined;
  first = undefined;
  const fits = (shortcut: Shortcut): boolean =>
    shortcut.keys.length === 2
      ? shortcut.keys[0] === before && shortcut.keys[1] === event.key
      : before === undefined && shortcut.keys[0] === event.key;
  const shortcut = table.find((one) => one.keys.length === 2 && fits(one)) ?? table.find(fits);
  if (shortcut !== undefined) {
    if (shortcut.run(event) !== false) event.preventDefault();
    return;
  }
  if (table.some(({ keys }) => keys.length === 2 && keys[0] === event.key)) {
    first = { key: event.key, at: now };
    event.preventDefault();
  }
}

/** Starts listening; once. */
export function listenForKeys(): void {
  document.addEventListener("keydown", onKey);
}
