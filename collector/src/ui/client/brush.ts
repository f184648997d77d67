/**
 * @module Brush: a drag over the histogram becomes the time filter; a plain click takes one bar.
 */
import { timeText } from "../display/figures.ts";
import { base, find } from "./page.ts";
import { clock } from "./preferences.ts";

/** Watches the histogram of the page, also after it was redrawn. */
export function watchBrush(query: URLSearchParams): void {
  const place = find("[data-histogram-place]");
  if (place === undefined) return;
  let from: number | undefined;
  const share = (event: PointerEvent): number => {
    const box = find("[data-histogram] svg")?.getBoundingClientRect();
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
    read(event.target as Element, share(event));
    if (from === undefined) return;
    const to = share(event);
    const brush = find<SVGRectElement>("[data-brush]");
    brush?.setAttribute("x", `${Math.min(from, to) * 100}%`);
    brush?.setAttribute("width", `${Math.abs(to - from) * 100}%`);
  });
  place.addEventListener("pointerup", (event) => {
    if (from === undefined) return;
    const to = share(event);
    const range: readonly [number, number] = [Math.min(from, to), Math.max(from, to)];
    from = undefined;
    delete place.dataset["brushing"];
    narrow(range, query);
  });
  place.addEventListener("pointercancel", () => {
    from = undefined;
    delete place.dataset["brushing"];
    find("[data-brush]")?.setAttribute("width", "0");
  });
}

function bounds(): readonly [number, number] | undefined {
  const figure = find("[data-histogram]");
  if (figure === undefined) return undefined;
  return [Number(figure.dataset["from"]), Number(figure.dataset["to"])];
}

/** Describes the bar under the pointer in words. */
function read(_target: Element, share: number): void {
  const bars = document.querySelectorAll<SVGGElement>("[data-histogram] g");
  const bar = bars[Math.min(bars.length - 1, Math.floor(share * bars.length))];
  const readout = find("[data-readout]");
  if (bar === undefined || readout === undefined) return;
  const at = new Date(Number(bar.dataset["from"])).toISOString();
  readout.textContent = `${timeText(at, clock(), "daytime")} · ${bar.dataset["words"] ?? ""}`;
}

function narrow([left, right]: readonly [number, number], query: URLSearchParams): void {
  const ends = bounds();
  if (ends === undefined) return;
  const [start, end] = ends;
  const bars = document.querySelectorAll<SVGGElement>("[data-histogram] g");
  let from = start + left * (end - start);
  let to = start + right * (end - start);
  if (right - left < 0.004) {
    const bar = bars[Math.min(bars.length - 1, Math.floor(left * bars.length))];
    from = Number(bar?.dataset["from"] ?? from);
    to = from + (end - start) / bars.length;
  }
  const next = new URLSearchParams(query);
  next.delete("cursor");
  next.set("start_time", new Date(Math.floor(from)).toISOString());
  next.set("end_time", new Date(Math.ceil(to)).toISOString());
  location.assign(`${base}/traces?${next.toString()}`);
}
