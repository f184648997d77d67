/**
 * @module FirstSteps: the empty home: three ways to send a first turn, a sample to explore without
 * sending anything, and a line that waits for the first one.
 */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { curlCommand, sdkVariables } from "../../ui/display/first-turn.ts";
import { Empty } from "../../ui/elements/panel.tsx";
import { Icon } from "../../ui/icons.tsx";
import { hrefOf } from "../../ui/layout.tsx";

/** The steps. */
export const FirstSteps: FC<{ readonly context: PageContext }> = ({ context }) => (
  <div data-first-steps>
    <Empty title="No turns yet" icon="turns">
      <p>
        Send a first turn by one of three ways. No prompt, answer or argument is ever kept.{" "}
        <a href={hrefOf(context, "/sample")}>Explore a sample turn</a> without sending anything.
      </p>
      <ul class="first-steps">
        <li>
          <h3>Any OpenTelemetry app</h3>
          <p class="muted">Start it with these variables; nothing else is needed.</p>
          <Command text={sdkVariables(context.home)} name="Variables" />
        </li>
        <li>
          <h3>One line in a shell</h3>
          <p class="muted">One turn of an agent, as JSON.</p>
          <Command text={curlCommand(context.home)} name="Line for a shell" />
        </li>
        <li>
          <h3>A week of a demo</h3>
          <p class="muted">
            Five agents with incidents worth finding, from a clone of the project.
          </p>
          <Command text={`npm run demo -- --week --endpoint ${context.home}`} name="Demo command" />
        </li>
      </ul>
      <p class="waiting" data-waiting hidden>
        <Icon name="live" /> Listening: the first turn appears here by itself.
      </p>
      <p class="muted">
        Nothing arrives? <a href={hrefOf(context, "/traces/health")}>Health</a> counts what was
        refused, and why.
      </p>
    </Empty>
  </div>
);

const Command: FC<{ readonly text: string; readonly name: string }> = ({ text, name }) => (
  <div class="command">
    <pre class="code" tabindex={0}>
      {text}
    </pre>
    <button
      class="button small"
      type="button"
      aria-label={`Copy: ${name}`}
      data-copy-before
      data-copy-name={name}
      hidden
    >
      <Icon name="copy" /> Copy
    </button>
  </div>
);
