/** @module TimeAxis in the browser: the ticks of a chart in the chosen clock. */
import { isoTime } from "@turnproof/semconv";

import { timeText } from "../display/figures.ts";
import type { DisplayClock } from "../display/figures.ts";
import { timeTicks } from "../display/time-ticks.ts";

/** Moves the ticks to the round times of a clock; the server draws those of UTC. */
export function showTicks(figure: HTMLElement, clock: DisplayClock): void {
  const svg = figure.querySelector(".time-axis svg");
  const [line, text] = [svg?.querySelector("line"), svg?.querySelector("text")];
  if (svg === null || !line || !text) return;
  const [fromMs, toMs] = [Number(figure.dataset["from"]), Number(figure.dataset["to"])];
  const { atMs, form } = timeTicks(fromMs, toMs, clock);
  // Without a round time of this clock those of the other one stay.
  if (atMs.length === 0) return;
  const ticks = atMs.flatMap((ms) => {
    const x = `${(((ms - fromMs) / (toMs - fromMs)) * 100).toFixed(3)}%`;
    const [mark, word] = [line.cloneNode(), text.cloneNode()] as [SVGLineElement, SVGTextElement];
    mark.setAttribute("x1", x);
    mark.setAttribute("x2", x);
    word.setAttribute("x", x);
    word.dataset["at"] = isoTime(ms);
    word.dataset["form"] = form;
    word.textContent = timeText(isoTime(ms), clock, form);
    return [mark, word];
  });
  svg.replaceChildren(...ticks);
}
