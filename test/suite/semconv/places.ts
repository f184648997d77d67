/** @module Places: which shapes a text is tried against, and what may stand where an id stands. */
import { registryRows } from "@turnproof/semconv";
import type { AttributeRow, Shape } from "@turnproof/semconv";

/** Shapes of free text that a row of the registry has; a closed value needs no detector. */
export const textShapes: readonly Shape[] = [
  ...new Set(registryRows.map((row) => row.shape)),
].filter((shape) => shape !== "closed" && shape !== "none");

/** In the place of an id, digits in one run are an id, also to those whose card has them. */
const idShapes: ReadonlySet<Shape> = new Set(["id", "tenant", "subject"] as const);

/** The stated exceptions: digits alone are an id; a version of four numbers may look like an address. */
export function mayStand(row: AttributeRow, secret: string): boolean {
  if (idShapes.has(row.shape) && /^(?:x_|id:|ref\/)?\d+$/.test(secret)) return true;
  return row.shape === "version" && /^\d+(\.\d+){3}(:\d+)?$/.test(secret);
}
