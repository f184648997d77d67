/**
 * @module What assistive technology is given: the accessibility tree that Chromium computes, not
 * the markup that we meant.
 */
import type { Page } from "playwright-core";

/** One element as a screen reader has it. */
export interface Spoken {
  readonly role: string;
  readonly name: string;
  /** Announced after the name; empty where there is none. */
  readonly description: string;
  readonly value: string;
  /** States and properties by their name in the tree: `expanded`, `level`, `live`, `pressed` … */
  readonly states: Readonly<Record<string, unknown>>;
  /** Places in the list of everything that stands below it: from its own up to this one. */
  readonly end: number;
}

const silent = new Set(["none", "generic", "InlineTextBox", "LineBreak"]);

/** Everything that a screen reader has of the page, in the order of the tree. */
export async function spoken(page: Page): Promise<readonly Spoken[]> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Accessibility.enable");
  const { nodes } = await tools.send("Accessibility.getFullAXTree");
  await tools.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const reported: { -readonly [K in keyof Spoken]: Spoken[K] }[] = [];
  const notify = (id: string): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const role = String(node.role?.value ?? "");
    const text = (value: { readonly value?: unknown } | undefined): string =>
      typeof value?.value === "string" ? value.value.trim() : "";
    const place = reported.length;
    const heard = !node.ignored && !silent.has(role);
    if (heard) {
      const states = (node.properties ?? []).map(({ name, value }) => [name, value.value]);
      reported.push({
        role,
        name: text(node.name),
        description: text(node.description),
        value: text(node.value),
        states: Object.fromEntries(states) as Record<string, unknown>,
        end: place,
      });
    }
    // A line of text is read once, not again by the boxes that it breaks into.
    if (role !== "StaticText") for (const child of node.childIds ?? []) notify(child);
    const own = heard ? reported[place] : undefined;
    if (own !== undefined) own.end = reported.length - 1;
  };
  const [root] = nodes;
  if (root !== undefined) notify(root.nodeId);
  return reported;
}

/** The words inside an element, in their order. */
export function wordsWithin(all: readonly Spoken[], one: Spoken): string {
  const from = all.indexOf(one);
  return all
    .slice(from + 1, one.end + 1)
    .filter(({ role }) => role === "StaticText" || role === "image")
    .map(({ name }) => name)
    .join(" ");
}

/** Roles that are not announced without a name. */
const named = new Set(
  (
    "link button combobox textbox searchbox checkbox radio listbox option image " +
    "region navigation complementary search dialog table treegrid columnheader rowheader"
  ).split(" "),
);

/** What would be clumsy to listen to, one line each. */
export function clumsy(all: readonly Spoken[]): readonly string[] {
  const problems = all.flatMap(({ role, name, description }) => {
    // The parts of a date field are the browser's own.
    if (role === "spinbutton" || name.includes("date picker")) return [];
    const own = `${role} "${name}"`;
    if (named.has(role) && name === "") return [`without a name: ${role} (${description})`];
    if (role === "StaticText") return [];
    return [
      ...(description !== "" && description === name ? [`says its name twice: ${own}`] : []),
      ...(/^(.{3,}?)[,;:]?\s+\1(?![\w.-])/.test(name) && /cell|link|button|row/.test(role)
        ? [`repeats itself: ${own}`]
        : []),
      ...(/\s[,;.](\s|$)/.test(name) ? [`a pause in the wrong place: ${own}`] : []),
      ...(/^(graphic|image|icon)$/i.test(name) ? [`says what it is drawn as: ${own}`] : []),
    ];
  });
  return [...new Set(problems)];
}
