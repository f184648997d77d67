/**
 * @module Group in the browser: turns of a thread or an agent can be marked as on the home.
 */
import { startMarks } from "./marks.tsx";

/** Starts the page. */
export function start(): void {
  startMarks();
}
