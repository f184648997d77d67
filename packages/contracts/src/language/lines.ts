/** @module Lines: the line of a value of a YAML or JSON text. */
import { LineCounter, isMap, isNode, isScalar } from "yaml";
import type { Document } from "yaml";

/** Line of the value at a path such as `contracts[0].name`, else of the value around it. */
export type LineOf = (path: string) => number | undefined;

/** The lines of a document. */
export function linesOf(document: Document, text: string): LineOf {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    counter.addNewLine(at + 1);
  }
  return (path) => {
    const keys = path.split(/[.[\]]+/u).filter((key) => key !== "");
    for (; keys.length > 0; keys.pop()) {
      const offset = offsetOf(document, keys);
      if (offset !== undefined) return counter.linePos(offset).line;
    }
    return undefined;
  };
}

/** Where a field's name or an entry of a list begins. */
function offsetOf(document: Document, keys: readonly string[]): number | undefined {
  const parent: unknown =
    keys.length === 1 ? document.contents : document.getIn(keys.slice(0, -1), true);
  const last = keys.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === last);
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const node: unknown = document.getIn(keys, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
