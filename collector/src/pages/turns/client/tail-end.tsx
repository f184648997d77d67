/** @module TailEnd: the notice that the live tail has ended, and new turns do not appear. */
import { announce, drawn, find } from "../../../ui/client/page.ts";
import { Icon } from "../../../ui/icons.tsx";

/** Shows it above the list. @param code of the server; none where a stream was refused */
export function showTailEnd(code?: string): void {
  hideTailEnd();
  setWaiting(false);
  const isSession = code === "session_ended";
  const what = isSession ? "Your session has ended." : "The live tail has ended.";
  const notice = (
    <div class="unclear" data-tail-end>
      <Icon name="warning" />
      <p>
        {what} New turns do not appear here.{" "}
        <a href={`${location.pathname}${location.search}`}>
          {isSession ? "Sign in again" : "Load the page again"}
        </a>
      </p>
    </div>
  );
  (find("[data-first-steps]") ?? find("[data-turns]"))?.before(drawn(notice));
  announce(`${what} New turns do not appear here.`);
}

/** Removes it while a tail is open. */
export function hideTailEnd(): void {
  find("[data-tail-end]")?.remove();
  setWaiting(true);
}

/** Whether the empty page states that it waits for a first turn. */
function setWaiting(isOpen: boolean): void {
  const line = find("[data-waiting]");
  if (line !== undefined) line.hidden = !isOpen;
}
