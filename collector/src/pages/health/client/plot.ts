/**
 * @module Plot: a small line over time, drawn by uPlot in the theme's colours. It sets its
 * geometry through the object model, which the content policy allows.
 */
import uPlot from "uplot";

const height = 96;

/** An open plot. */
export interface Plot {
  show(seconds: readonly number[], values: readonly (number | null)[]): void;
  close(): void;
}

/** Opens a plot in a node. `label` is its name for screen readers. */
export function openPlot(node: HTMLElement, label: string): Plot {
  const ink = (name: string): string =>
    getComputedStyle(node).getPropertyValue(name).trim() || "currentColor";
  const resolved = (name: string): string => {
    // A canvas does not resolve light-dark(); an element of the page does.
    const probe = document.createElement("span");
    probe.style.color = ink(name);
    node.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const axis = (): uPlot.Axis => ({
    stroke: resolved("--ink-3"),
    grid: { stroke: resolved("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
    size: 36,
  });
  const plot = new uPlot(
    {
      width: Math.max(120, node.clientWidth),
      height,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [{ ...axis(), size: 22 }, axis()],
      series: [{}, { stroke: resolved("--accent"), width: 1.5, points: { show: false } }],
    },
    [[], []],
    node,
  );
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  const onResize = new ResizeObserver(() => {
    plot.setSize({ width: Math.max(120, node.clientWidth), height });
  });
  onResize.observe(node);
  return {
    show: (seconds, values) => plot.setData([[...seconds], [...values]]),
    close: () => {
      onResize.disconnect();
      plot.destroy();
    },
  };
}
