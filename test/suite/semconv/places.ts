/** @module Places: which shapes a text is tried against, and what may stand where an id stands. */
import { registryRows } from "@turnproof/semconv";
import type { AttributeRow, Shape } from "@turnproof/semconv";

/** Shapes of free text that a row of the registry has; a closed value needs no detector. */
export const textShapes: readonly Shape[] = [
  ...new Set(registryRows.map((row) => row.shape)),
].filter((shape) => shape !== "closed" && shape !== "none");

/** In the place of an id, digits in one run are an id, also to those whose card has them. */
const idShapes: ReadonlySet<Shape> = new Set(["id", "tenant", "subject"] as const);

/** A caller's telephone number or IP address, as the corpus writes them, and no social number. */
const endpointPattern: RegExp =
  /^(?:[a-z]+:)?(?:\+\d[\d ()./-]{6,20}|(?:1[ .-])?\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4})$|^(?:client:)?\d+(?:\.\d+){3}(?::\d+)?$|^[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}$/;

/**
 * The stated exceptions: digits alone are an id; a tenant may be whom its telephone number or its
 * address names; a version of four numbers may look like an address.
 */
export function mayStand(row: AttributeRow, secret: string): boolean {
  if (idShapes.has(row.shape) && /^(?:x_|id:|ref\/)?\d+$/.test(secret)) return true;
  if (row.shape === "tenant" && endpointPattern.test(secret)) return true;
  return row.shape === "version" && /^\d+(\.\d+){3}(:\d+)?$/.test(secret);
}
