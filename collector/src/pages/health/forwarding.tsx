/** @module Forwarding: the way of stored spans to another endpoint. */
import type { FC } from "hono/jsx";

import type { ForwardState } from "../../receive/forward/forward.ts";
import { bytesText, countText, wordsOf } from "../../ui/display/figures.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Count, Time } from "../../ui/elements/figure.tsx";
import { Fact } from "../../ui/elements/panel.tsx";

/** What waits, what was sent and what was given up. */
export const ForwardFact: FC<{ readonly of: ForwardState }> = ({ of }) => {
  const lost = Object.entries(of.lost_spans).filter(([, count]) => count > 0);
  return (
    <Fact name="forward">
      <span class="spread">
        {of.failing === null ? (
          <Badge tone="quiet" icon="pause" word="no answer yet" />
        ) : (
          <Badge
            tone={of.failing ? "warn" : "ok"}
            icon={of.failing ? "warning" : "success"}
            word={of.failing ? "takes no spans" : "takes spans"}
          />
        )}
        <span>
          <Count of={of.sent_spans} /> spans sent · <Count of={of.pending_spans} /> wait in{" "}
          {bytesText(of.disk_bytes)} of {bytesText(of.bytes_max)}
          {of.oldest_pending_at === null ? null : (
            <>
              , the oldest of <Time at={of.oldest_pending_at} form="daytime" />
            </>
          )}
        </span>
        {of.unconfirmed_spans === 0 ? null : (
          <Badge
            tone="warn"
            icon="warning"
            word={`${countText(of.unconfirmed_spans)} accepted, rejections unknown`}
          />
        )}
        {of.account_damaged ? (
          <Badge tone="bad" icon="failed" word="the account was damaged, earlier counts unknown" />
        ) : null}
        {lost.map(([reason, count]) => (
          <Badge tone="bad" icon="failed" word={`${countText(count)} lost: ${wordsOf(reason)}`} />
        ))}
      </span>
    </Fact>
  );
};
