/**
 * @module FindBox: the box that finds rows of the waterfall. It works in the browser only, so it
 * is hidden without script.
 */
import type { FC } from "hono/jsx";

import { Icon } from "../../ui/icons.tsx";

/** The box, its count, and the actions on the matches. */
export const FindBox: FC = () => (
  <form class="wf-find" role="search" aria-label="Find in this turn" data-wf-find hidden>
    <div class="filter">
      <Icon name="find" />
      <input
        class="field"
        type="text"
        placeholder="Find: word, tool:search, is:missing, duration:>2s"
        aria-label="Find rows of this turn"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <kbd aria-hidden="true">f</kbd>
    </div>
    <output class="muted" data-find-count></output>
    <div class="find-tools">
      <button
        class="button small"
        type="button"
        data-find="before"
        title="Previous match (N, or Shift+Enter in the box)"
        disabled
      >
        <Icon name="up" label="Previous match" />
      </button>
      <button
        class="button small"
        type="button"
        data-find="next"
        title="Next match (n, or Enter in the box)"
        disabled
      >
        <Icon name="down" label="Next match" />
      </button>
      <button
        class="button small"
        type="button"
        data-find="only"
        aria-pressed="false"
        title="Leave out rows that neither match nor stand above a match"
      >
        Only matches
      </button>
      <button class="button small" type="button" data-find="clear" disabled>
        Clear
      </button>
    </div>
    <details class="find-help">
      <summary>What can be found</summary>
      <p>
        Words are searched in the whole row; all of them have to match, and <code>-word</code> must
        not. A term looks in one place: <code>op:</code> <code>kind:</code> <code>tool:</code>{" "}
        <code>model:</code> <code>status:</code> <code>service:</code> <code>producer:</code>{" "}
        <code>span:</code> <code>event:</code> <code>task:</code> <code>ref:</code>, or any
        attribute by its name, as in <code>input_tokens:&gt;800</code>. <code>tool:=search</code> is
        that value exactly, <code>tool:?</code> where none was recorded,{" "}
        <code>duration:&gt;2s</code> what took longer, <code>duration:?</code> what is of unknown
        duration, <code>is:missing</code> gaps. Values with spaces stand in double quotes.
      </p>
    </details>
  </form>
);
