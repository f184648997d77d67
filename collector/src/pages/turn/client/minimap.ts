/**
 * @module Minimap: the whole waterfall as a small picture; a drag over it zooms. It is a canvas,
 * so that ten thousand spans need no elements.
 */
import type { WaterfallGrid } from "./waterfall-grid.tsx";
import { find } from "../../../ui/client/page.ts";

const lanes = ["memory", "model", "tool", "host", "artifact", "delivery", "error"];

/** Shows the minimap of a grid; returns the function that redraws it. */
export function showMinimap(grid: WaterfallGrid): () => void {
  const canvas = find<HTMLCanvasElement>("[data-minimap]");
  const pen = canvas?.getContext("2d", { willReadFrequently: true }) ?? undefined;
  if (canvas === undefined || pen === undefined) return () => {};
  canvas.hidden = false;
  let from: number | undefined;
  const share = (event: PointerEvent): number => {
    const box = canvas.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  canvas.addEventListener("pointerdown", (event) => {
    from = share(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from === undefined) return;
    const to = share(event);
    const { extentMs } = grid.model;
    if (Math.abs(to - from) < 0.01) grid.fit();
    else
      grid.zoomTo({ fromMs: Math.min(from, to) * extentMs, toMs: Math.max(from, to) * extentMs });
    from = undefined;
  });
  let picture: ImageData | undefined;
  const paint = (): void => {
    const ratio = window.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height || picture === undefined) {
      canvas.width = width;
      canvas.height = height;
      paintRows(pen, grid, width, height);
      picture = pen.getImageData(0, 0, Math.max(width, 1), Math.max(height, 1));
    } else pen.putImageData(picture, 0, 0);
    paintFound(pen, grid, width, height);
    paintWindow(pen, grid, width, height);
  };
  const repaint = (): void => {
    picture = undefined;
    paint();
  };
  new ResizeObserver(repaint).observe(canvas);
  window.addEventListener("turnproof:preference", repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  return paint;
}

function paintRows(
  pen: CanvasRenderingContext2D,
  { model }: WaterfallGrid,
  width: number,
  height: number,
): void {
  const style = getComputedStyle(document.documentElement);
  const inks = new Map(lanes.map((lane) => [lane, resolved(style, `--lane-${lane}`)]));
  pen.clearRect(0, 0, width, height);
  const { rows, extentMs } = model;
  const tall = Math.max(1, Math.min(6, ((height - 8) / Math.max(rows.length, 1)) * 0.8));
  rows.forEach(({ node, startMs, endMs }, index) => {
    if (node === undefined || startMs === null) return;
    const x = extentMs > 0 ? (startMs / extentMs) * width : 0;
    const end = extentMs > 0 ? ((endMs ?? startMs) / extentMs) * width : width;
    pen.fillStyle = inks.get(node.lane) ?? "gray";
    pen.fillRect(x, 4 + (index / rows.length) * (height - 8), Math.max(end - x, 1.5), tall);
  });
}

/** Found rows as marks at the left edge, so that distant matches are visible. */
function paintFound(
  pen: CanvasRenderingContext2D,
  { found, model }: WaterfallGrid,
  width: number,
  height: number,
): void {
  if (found.size === 0) return;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = resolved(style, "--accent");
  const mark = Math.max(4, Math.round(width / 160));
  for (const index of found) {
    pen.fillRect(0, 3 + (index / model.rows.length) * (height - 8), mark, 2);
  }
}

/** A colour for the canvas, which cannot resolve custom properties with `light-dark()`. */
function resolved(style: CSSStyleDeclaration, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour === "" ? style.color : colour;
}

function paintWindow(
  pen: CanvasRenderingContext2D,
  grid: WaterfallGrid,
  width: number,
  height: number,
): void {
  const { extentMs } = grid.model;
  const { fromMs, toMs } = grid.window;
  if (extentMs <= 0 || toMs - fromMs >= extentMs * 0.999) return;
  const left = (fromMs / extentMs) * width;
  const right = (toMs / extentMs) * width;
  const style = getComputedStyle(document.documentElement);
  pen.globalAlpha = 0.72;
  pen.fillStyle = resolved(style, "--sunken");
  pen.fillRect(0, 0, left, height);
  pen.fillRect(right, 0, width - right, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = resolved(style, "--accent");
  pen.lineWidth = 2;
  pen.strokeRect(left, 1, Math.max(right - left, 2), height - 2);
}
