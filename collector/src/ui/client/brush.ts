/**
 * @module Brush: a stretch of a chart becomes the page's range of time, by a drag or by keys: the
 * arrows move along the bars, with Shift they select, and Enter takes the selection. A plain click
 * takes one bar. Each chart of a page has a brush of its own.
 */
import { isoTime } from "@turnproof/semconv";

import { timeText } from "../display/figures.ts";
import { find, findAll, pageQuery } from "./page.ts";
import { clock } from "./preferences.ts";

/** A selection as parts of the chart's width, 0 to 1. */
type Selected = readonly [from: number, to: number];

/** Watches every chart of the page, also after it was redrawn. */
export function watchBrush(): void {
  for (const place of findAll<HTMLElement>("[data-histogram-place]")) {
    watchPointer(place);
    watchKeys(place);
  }
}

function watchPointer(place: HTMLElement): void {
  let from: number | undefined;
  const share = (event: PointerEvent): number => {
    const box = find("[data-histogram] svg", place)?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return 0;
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  place.addEventListener("pointerdown", (event) => {
    if ((event.target as Element).closest("svg") === null || event.button !== 0) return;
    from = share(event);
    place.dataset["brushing"] = "";
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    const to = share(event);
    const bar = barAt(place, to);
    read(place, bar);
    draw(place, selectedOf(place, bar, bar), "[data-pointed]");
    if (from !== undefined) draw(place, [Math.min(from, to), Math.max(from, to)]);
  });
  place.addEventListener("pointerup", (event) => {
    if (from === undefined) return;
    const to = share(event);
    const selected: Selected = [Math.min(from, to), Math.max(from, to)];
    from = undefined;
    delete place.dataset["brushing"];
    const bar = barAt(place, to);
    narrow(place, selected[1] - selected[0] < 0.004 ? selectedOf(place, bar, bar) : selected);
  });
  place.addEventListener("pointerleave", () => {
    draw(place, [0, 0], "[data-pointed]");
    readWhole(place);
  });
  place.addEventListener("pointercancel", () => {
    from = undefined;
    delete place.dataset["brushing"];
    draw(place, [0, 0]);
  });
}

/** The chart is a slider over its bars; each new drawing is one again. */
function watchKeys(place: HTMLElement): void {
  let bar = -1;
  let anchor = -1;
  const enable = (): void => {
    const svg = find<SVGElement>("[data-histogram] svg", place);
    if (svg === undefined || svg.getAttribute("role") === "slider") return;
    svg.setAttribute("role", "slider");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("aria-valuemin", "1");
    svg.setAttribute("aria-valuemax", String(bars(place).length));
    describeBar(place, svg, Math.min(Math.max(bar, 0), bars(place).length - 1));
  };
  new MutationObserver(enable).observe(place, { childList: true, subtree: true });
  enable();
  place.addEventListener("keydown", (event) => {
    const svg = (event.target as Element).closest<SVGElement>("[role=slider]");
    if (svg === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = bars(place).length - 1;
    const next = {
      ArrowLeft: bar === -1 ? last : Math.max(bar - 1, 0),
      ArrowRight: bar === -1 ? 0 : Math.min(bar + 1, last),
      Home: 0,
      End: last,
    }[event.key];
    if (next !== undefined) {
      if (!event.shiftKey || anchor === -1) anchor = event.shiftKey && bar !== -1 ? bar : next;
      bar = next;
      place.dataset["brushing"] = "";
      draw(place, selectedOf(place, Math.min(anchor, bar), Math.max(anchor, bar)));
      describeBar(place, svg, bar);
      read(place, bar);
    } else if (event.key === "Enter" && bar !== -1) {
      narrow(place, selectedOf(place, Math.min(anchor, bar), Math.max(anchor, bar)));
    } else if (event.key === "Escape" && bar !== -1) {
      bar = anchor = -1;
      delete place.dataset["brushing"];
      draw(place, [0, 0]);
      readWhole(place);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  place.addEventListener("focusout", () => {
    delete place.dataset["brushing"];
  });
}

function bars(place: HTMLElement): readonly SVGGElement[] {
  return findAll<SVGGElement>("[data-histogram] g", place);
}

function barAt(place: HTMLElement, share: number): number {
  const size = bars(place).length;
  return Math.min(size - 1, Math.floor(share * size));
}

function selectedOf(place: HTMLElement, first: number, last: number): Selected {
  const size = Math.max(bars(place).length, 1);
  return [first / size, (last + 1) / size];
}

function draw(place: HTMLElement, [from, to]: Selected, over = "[data-brush]"): void {
  const rect = find<SVGRectElement>(over, place);
  rect?.setAttribute("x", `${from * 100}%`);
  rect?.setAttribute("width", `${(to - from) * 100}%`);
}

/** A bar in words. */
function wordsOf(place: HTMLElement, bar: number): string | undefined {
  const { from, words } = bars(place)[bar]?.dataset ?? {};
  if (from === undefined) return undefined;
  return `${timeText(isoTime(Number(from)), clock(), "daytime")} · ${words ?? ""}`;
}

function read(place: HTMLElement, bar: number): void {
  const readout = find("[data-readout]", place);
  const words = wordsOf(place, bar);
  if (readout === undefined || words === undefined) return;
  readout.dataset["whole"] ??= readout.textContent;
  readout.textContent = words;
}

/** The words of the whole chart again. */
function readWhole(place: HTMLElement): void {
  const readout = find("[data-readout]", place);
  const whole = readout?.dataset["whole"];
  if (readout !== undefined && whole !== undefined) readout.textContent = whole;
}

function describeBar(place: HTMLElement, svg: SVGElement, bar: number): void {
  svg.setAttribute("aria-valuenow", String(bar + 1));
  svg.setAttribute("aria-valuetext", wordsOf(place, bar) ?? "");
}

/** Opens the page with this stretch of a chart as its range. */
function narrow(place: HTMLElement, [left, right]: Selected): void {
  const figure = find("[data-histogram]", place);
  if (figure === undefined) return;
  const [start, end] = [Number(figure.dataset["from"]), Number(figure.dataset["to"])];
  const at = (share: number): number => start + share * (end - start);
  const next = pageQuery();
  for (const place of ["cursor", "skip"]) next.delete(place);
  next.set("start_time", isoTime(Math.floor(at(left))));
  next.set("end_time", isoTime(Math.ceil(at(right))));
  location.assign(`${location.pathname}?${next.toString()}`);
}
