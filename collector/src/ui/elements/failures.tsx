/**
 * @module Failures: what ended in error in the turn, where it began, and a link to its event. It
 * shows records, not a verdict: a turn with errors can still deliver.
 */
import type { FC } from "hono/jsx";

import { failureText } from "../display/failure-texts.ts";
import type { Failure } from "../display/failure-texts.ts";
import { countText } from "../display/figures.ts";
import { Icon } from "../icons.tsx";
import { EvidenceLinks } from "./evidence-links.tsx";

/** Failures shown at first; the others are one click away. */
const shownMax = 3;

/** The list; nothing without failures. */
export const Failures: FC<{ readonly failures: readonly Failure[] }> = ({ failures }) =>
  failures.length === 0 ? (
    <></>
  ) : (
    <>
      <ol class="findings" aria-label="What failed">
        {failures.slice(0, shownMax).map((failure) => (
          <FailureLine of={failure} />
        ))}
      </ol>
      {failures.length > shownMax ? (
        <details class="more-findings">
          <summary>{countText(failures.length - shownMax)} more failed</summary>
          <ol class="findings" aria-label="What else failed">
            {failures.slice(shownMax, listedMax).map((failure) => (
              <FailureLine of={failure} />
            ))}
          </ol>
          {failures.length > listedMax ? (
            <p class="muted">
              {countText(failures.length - listedMax)} further ones stand in the waterfall.
            </p>
          ) : null}
        </details>
      ) : null}
    </>
  );

/** A thousand failures on a page help no more than fifty. */
const listedMax = 50;

const FailureLine: FC<{ readonly of: Failure }> = ({ of }) => (
  <li>
    <Icon name="failed" />
    <div>
      <b>{of.what}</b>
      <p>{failureText(of)}.</p>
    </div>
    <EvidenceLinks ids={[of.event_id]} />
  </li>
);
