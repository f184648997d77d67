/**
 * @module Failures: what ended in error in the turn, where it began, and the way to its event. It
 * is what was recorded, not a verdict: a turn can fail on the way and still deliver.
 */
import type { FC } from "hono/jsx";

import { failureText } from "../display/failure-words.ts";
import type { Failure } from "../display/failure-words.ts";
import { countText } from "../display/figures.ts";
import { Icon } from "../icons.tsx";
import { EvidenceLinks } from "./evidence-links.tsx";

/** Failures that stand open; the others are one click away. */
const shownMax = 3;

/** The list; nothing where nothing failed. */
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

/** A page of a thousand failures says no more than one of fifty. */
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
