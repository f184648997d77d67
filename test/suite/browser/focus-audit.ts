/**
 * @module Focus as a keyboard meets it, measured in the document: stops that take no focus, whose
 * focus is not seen or lies under something, and what a pointer alone can use.
 */
import type { Page } from "playwright-core";

/** What is wrong with the focus on the page as it stands, one line each. */
export function focusProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const nameOf = (node: Element): string =>
      `${node.tagName.toLowerCase()}.${[...node.classList].join(".")} "${(node.textContent ?? "").trim().slice(0, 30)}"`;
    const stops = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select, textarea, summary, [tabindex]",
      ),
    ].filter(
      (node) =>
        node.tabIndex >= 0 &&
        !node.matches(":disabled, [type=hidden]") &&
        node.checkVisibility({ visibilityProperty: true }) &&
        node.closest("[inert]") === null,
    );
    if (stops.length < 2) problems.push(`only ${stops.length} stops`);
    const look = (node: Element): string => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(node);
      return [outlineStyle, outlineWidth, boxShadow, borderColor].join(" ");
    };
    // Each change of the focus is passed to the browser, which shows where a link leads: the looks
    // without it are read at once, and then it goes from stop to stop.
    (document.activeElement as HTMLElement | null)?.blur();
    const unfocused = new Map(stops.map((node) => [node, look(node)]));
    for (const node of stops) {
      node.focus();
      if (document.activeElement !== node) {
        problems.push(`takes no focus: ${nameOf(node)}`);
        continue;
      }
      if (look(node) === unfocused.get(node)) {
        problems.push(`its focus is not seen: ${nameOf(node)}`);
      }
      const box = node.getBoundingClientRect();
      const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
      const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
      const places = [0.05, 0.5, 0.95].flatMap((x) =>
        [0.1, 0.5, 0.9].map((y) => [left + (right - left) * x, top + (bottom - top) * y] as const),
      );
      const shown = places.some(([x, y]) => {
        const at = document.elementFromPoint(x, y);
        return (
          at !== null && (node.contains(at) || at.contains(node) || at.closest("label") !== null)
        );
      });
      if (!shown) problems.push(`its focus is covered: ${nameOf(node)}`);
    }
    return [...new Set(problems)].slice(0, 12);
  });
}

/** What a pointer can use and a keyboard cannot. */
export function pointerOnly(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found = [...document.querySelectorAll("body *")].filter(
      (node) =>
        getComputedStyle(node).cursor === "pointer" &&
        node.closest(
          "a[href], button, input, select, textarea, summary, label, [role=option], [role=row]",
        ) === null &&
        node.checkVisibility(),
    );
    return [...new Set(found.map((node) => `${node.tagName.toLowerCase()}.${node.className}`))];
  });
}
