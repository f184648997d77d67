/**
 * @module Layout as a reader meets it, measured in the document: what is cut off without a way to
 * the whole, what lies over something else, what makes the page wider than its window.
 */
import type { Page } from "playwright-core";

/** What is wrong with the layout of the page as it stands, one line each. */
export function layoutProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const nameOf = (node: Element): string => {
      const own = `${node.tagName.toLowerCase()}.${[...node.classList].join(".")}`;
      const place = node.closest("[id], [data-page]")?.id ?? "";
      return `${own} (in ${place}) "${(node.textContent ?? "").trim().slice(0, 40)}"`;
    };
    const styleOf = (node: Element): CSSStyleDeclaration => getComputedStyle(node);
    const seen = (node: Element): boolean =>
      node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      node.closest(".sr, .skip, svg.sprite") === null;
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      problems.push(`wider than its window by ${root.scrollWidth - root.clientWidth} px`);
    }
    for (const tiles of document.querySelectorAll(".tiles")) {
      const last = tiles.lastElementChild;
      if (last === null || !seen(tiles)) continue;
      const left = tiles.getBoundingClientRect().right - last.getBoundingClientRect().right;
      if (left > 3) problems.push(`${Math.round(left)} px without a tile: ${nameOf(tiles)}`);
    }
    const clips = (value: string): boolean => value === "hidden" || value === "clip";

    // Cut off: the text does not fit, and no ancestor shows all of it.
    for (const node of document.body.querySelectorAll("*")) {
      if (node instanceof SVGElement || !seen(node)) continue;
      const { overflowX, overflowY } = styleOf(node);
      const wide = clips(overflowX) && node.scrollWidth > node.clientWidth + 1;
      const tall = clips(overflowY) && node.scrollHeight > node.clientHeight + 3;
      if ((!wide && !tall) || (node.textContent ?? "").trim() === "") continue;
      // A row of the waterfall shows its whole event beside it; a tip has what a box has no room
      // for.
      if (node.closest("[title], [data-meaning], .wf-row, .wf-body, .wf") !== null) continue;
      if (node.querySelector("[title]") !== null && !tall) continue;
      problems.push(`cut off: ${nameOf(node)}`);
    }

    // The word of a state is short, so it is whole, also where a tooltip has it.
    const clipping = (node: Element): Element | null => {
      for (let box = node.parentElement; box !== null; box = box.parentElement) {
        if (styleOf(box).overflowX !== "visible") return box;
      }
      return null;
    };
    for (const word of document.querySelectorAll(".badge > .word")) {
      const box = clipping(word);
      if (box === null || !seen(word) || !clips(styleOf(box).overflowX)) continue;
      const room = box.getBoundingClientRect().right - parseFloat(styleOf(box).paddingRight);
      // The space after the last letter is empty.
      const space = parseFloat(styleOf(word).letterSpacing) || 0;
      const over = word.getBoundingClientRect().right - space - room;
      if (over > 0.5) problems.push(`${over.toFixed(1)} px of a state cut: ${nameOf(word)}`);
    }

    // The times of an axis are texts of a drawing, which have no lines.
    for (const axis of document.querySelectorAll("[data-axis]")) {
      const boxes = [...axis.querySelectorAll("text")]
        .filter(seen)
        .map((text) => text.getBoundingClientRect());
      boxes.forEach(({ right }, index) => {
        const end =
          boxes[index + 1]?.left ?? axis.parentElement?.getBoundingClientRect().right ?? 0;
        if (right > end + 1) problems.push(`no room on the axis for time ${index + 1}`);
      });
    }

    // Lying over: lines of text that share pixels, bars that stay in place left aside.
    interface Line {
      readonly node: Element;
      readonly box: DOMRect;
    }
    const staying = new Map<Element, boolean>();
    const stays = (node: Element | null): boolean => {
      if (node === null) return false;
      const known = staying.get(node);
      if (known !== undefined) return known;
      const { position, float } = styleOf(node);
      const own =
        position === "fixed" ||
        position === "sticky" ||
        float !== "none" ||
        node.matches("dialog, .suggestions, [role=tooltip]");
      const answer = own || stays(node.parentElement);
      staying.set(node, answer);
      return answer;
    };
    /** What the boxes around an element leave to be seen of it. */
    interface Window {
      readonly left: number;
      readonly right: number;
      readonly top: number;
      readonly bottom: number;
    }
    const everything = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };
    const inner = (a: Window, b: Window): Window => ({
      left: Math.max(a.left, b.left),
      right: Math.min(a.right, b.right),
      top: Math.max(a.top, b.top),
      bottom: Math.min(a.bottom, b.bottom),
    });
    const windows = new Map<Element, Window>();
    const windowOf = (node: Element | null): Window => {
      if (node === null || node === document.body) return everything;
      const known = windows.get(node);
      if (known !== undefined) return known;
      const { overflowX, overflowY } = styleOf(node);
      const open = overflowX === "visible" && overflowY === "visible";
      const around = windowOf(node.parentElement);
      const answer = open ? around : inner(around, node.getBoundingClientRect());
      windows.set(node, answer);
      return answer;
    };
    const cut = (node: Element, box: DOMRect): DOMRect | undefined => {
      const { left, right, top, bottom } = inner(windowOf(node), box);
      return right - left < 1 || bottom - top < 1
        ? undefined
        : new DOMRect(left, top, right - left, bottom - top);
    };
    const lines: Line[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      const node = text.parentElement;
      if (node === null || (text.textContent ?? "").trim() === "") continue;
      if (!seen(node) || node.closest("svg, script, style, title") !== null || stays(node))
        continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) {
        const shown = cut(node, box);
        if (shown !== undefined) lines.push({ node, box: shown });
      }
    }
    lines.sort((a, b) => a.box.top - b.box.top);
    lines.forEach((one, index) => {
      for (let next = index + 1; next < lines.length; next += 1) {
        const other = lines[next];
        // Lines of text are set close together: letters do not fill their boxes.
        if (other === undefined || other.box.top > one.box.bottom - 5) break;
        if (other.node === one.node) continue;
        const across =
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        if (across > 2)
          problems.push(`lie over each other: ${nameOf(one.node)}, ${nameOf(other.node)}`);
      }
    });
    return [...new Set(problems)].slice(0, 12);
  });
}

/** Spacing that a reader may set (WCAG 2.2, 1.4.12); the pages must hold under it. */
export function setTextSpacing(page: Page): Promise<void> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* {
      line-height: 1.5 !important;
      letter-spacing: 0.12em !important;
      word-spacing: 0.16em !important;
    }
    p { margin-block-end: 2em !important; }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
}
