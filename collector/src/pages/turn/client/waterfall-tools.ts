/**
 * @module WaterfallTools: critical path, lanes, idle time, zoom by wheel, double click and keys.
 */
import { durationText } from "../../../ui/display/figures.ts";
import type { Stretch } from "../../../ui/display/time-scale.ts";
import { find, findAll } from "../../../ui/client/page.ts";
import { addShortcuts } from "../../../ui/client/shortcuts.ts";
import type { WaterfallGrid } from "./waterfall-grid.tsx";

/** Connects the tools of the head with the grid. */
export function startTools(grid: WaterfallGrid, gaps: readonly Stretch[]): void {
  const box = find("[data-wf-tools]");
  if (box !== undefined) box.hidden = false;
  const pressed = (name: string): boolean => {
    const button = find(`[data-wf-tool="${name}"]`);
    const on = button?.getAttribute("aria-pressed") !== "true";
    button?.setAttribute("aria-pressed", String(on));
    return on;
  };
  const critical = (): void => {
    grid.critical = pressed("critical");
  };
  const idle = (): boolean => {
    if (gaps.length === 0) return false;
    grid.compress(pressed("idle") ? gaps : []);
    return true;
  };
  offerCompression(gaps);
  find('[data-wf-tool="critical"]')?.addEventListener("click", critical);
  find('[data-wf-tool="idle"]')?.addEventListener("click", idle);
  find('[data-wf-tool="fit"]')?.addEventListener("click", () => grid.fit());
  chooseLanes(grid);
  zoomByPointer(grid);
  const group = "Turn" as const;
  addShortcuts([
    { keys: ["p"], label: "Critical path", group, run: critical },
    ...(gaps.length === 0
      ? []
      : [{ keys: ["x"] as const, label: "Compress idle time", group, run: idle }]),
    { keys: ["+"], label: "Zoom in", group, run: () => grid.zoomBy(0.6) },
    { keys: ["-"], label: "Zoom out", group, run: () => grid.zoomBy(1 / 0.6) },
    { keys: ["0"], label: "Show everything", group, run: () => grid.fit() },
    { keys: ["z"], label: "Fit the row", group, run: () => grid.fit(grid.focused) },
  ]);
}

/** Compression of a long idle gap is offered, never automatic. */
function offerCompression(gaps: readonly Stretch[]): void {
  const button = find<HTMLButtonElement>('[data-wf-tool="idle"]');
  if (button === undefined || gaps.length === 0) return;
  const lost = gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  button.hidden = false;
  const word = find("[data-word]", button);
  if (word !== undefined) word.textContent = `Compress ${durationText(lost)} idle`;
}

/** The key of the lanes becomes buttons, which do nothing without script. */
function chooseLanes(grid: WaterfallGrid): void {
  const chosen = new Set<string>();
  for (const key of findAll("[data-lane]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = key.className;
    button.dataset["lane"] = key.dataset["lane"] ?? "";
    button.setAttribute("aria-pressed", "false");
    button.append(...key.childNodes);
    key.replaceWith(button);
    button.addEventListener("click", () => {
      const lane = button.dataset["lane"] ?? "";
      if (!chosen.delete(lane)) chosen.add(lane);
      button.setAttribute("aria-pressed", String(chosen.has(lane)));
      grid.lanes = chosen;
    });
  }
}

function zoomByPointer(grid: WaterfallGrid): void {
  const scroll = find("[data-wf-scroll]");
  if (scroll === undefined) return;
  const place = (event: MouseEvent): number => {
    const box = find(".wf-head .wf-time", scroll)?.getBoundingClientRect();
    if (box === undefined || box.width === 0) return 0.5;
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  scroll.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        grid.zoomBy(Math.exp(event.deltaY * 0.002), place(event));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        grid.pan((event.deltaX || event.deltaY) * 0.001);
      } else return;
      event.preventDefault();
    },
    { passive: false },
  );
  scroll.addEventListener("dblclick", (event) => {
    const row = (event.target as Element).closest<HTMLElement>(".wf-body [data-index]");
    grid.fit(row === null ? undefined : Number(row.dataset["index"]));
  });
}
