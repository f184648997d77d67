/** @module Graph in the browser: the connections of the box under the pointer stand out. */
import { findAll } from "../../ui/client/page.ts";

/** Starts it. */
export function start(): void {
  for (const graph of findAll<SVGElement>(".agent-graph")) {
    const edges = findAll<SVGPathElement>("[data-from]", graph);
    graph.addEventListener("pointerover", ({ target }) => {
      const node = (target as Element).closest<SVGElement>("[data-node]")?.dataset["node"];
      for (const edge of edges) {
        const { from, to } = edge.dataset;
        if (node !== undefined && (from === node || to === node)) edge.dataset["lit"] = "";
        else delete edge.dataset["lit"];
      }
      graph.toggleAttribute("data-pointed", node !== undefined);
    });
    graph.addEventListener("pointerleave", () => {
      graph.removeAttribute("data-pointed");
    });
  }
}
