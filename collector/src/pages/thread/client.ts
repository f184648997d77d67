/** @module Thread in the browser: its turns can be marked as on the home page. */
import { startMarks } from "../../ui/client/marks.tsx";

/** Starts the page. */
export function start(): void {
  startMarks();
}
