/**
 * @module ProofCard: what a reader takes away of a turn: the strict verdict, its signed statement,
 * the evidence that it rests on, the public keys, the page's JSON, and the command that checks them
 * offline.
 */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { downloadName } from "../../ui/display/download-name.ts";
import { Card } from "../../ui/elements/panel.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { TurnModel } from "./turn-reading.ts";

const keysName = "jwks.json";

/** The card; a statement is about one agent's turn. */
export const ProofCard: FC<{ readonly model: TurnModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { turns, root_trace_id: root } = model;
  const [turn] = turns;
  const agent = turns.length === 1 ? turn?.agent_id : undefined;
  const query = new URLSearchParams({ agent_id: agent ?? "", root_trace_id: root });
  if (turn?.turn_id !== undefined) query.set("turn_id", turn.turn_id);
  const href = (path: string): string => hrefOf(context, `${path}?${query.toString()}`);
  const [statement, evidence] = [downloadName(root, "jws"), downloadName(root, "jsonl")];
  const command = `turnproof verify ${statement} --events ${evidence} --keys ${keysName}`;
  return (
    <Card title="Statement and evidence" icon="contract" id="proof">
      {agent === undefined ? (
        <p class="muted">
          {turns.length > 1
            ? "A statement is about one turn: open one of those above."
            : "A statement needs a turn with an agent."}
        </p>
      ) : (
        <>
          <ul class="proof">
            <Way href={href("/traces/reconcile")} icon="success" name="Verdict">
              on a page of its own
            </Way>
            <Way href={href("/traces/reconcile.jws")} icon="contract" name="Signed statement" file>
              JWS: status, findings and a digest of the evidence
            </Way>
            <Way href={href("/traces/evidence.jsonl")} icon="raw" name="Evidence" file>
              JSONL: every event that was judged
            </Way>
            <Way
              href={hrefOf(context, `/.well-known/${keysName}`)}
              icon="raw"
              name="Public keys"
              file
            >
              {`${keysName}: those that check a signature`}
            </Way>
            <Way href={context.jsonHref ?? ""} icon="raw" name="JSON">
              this page
            </Way>
          </ul>
          <p class="muted">Checked offline, in the folder of these three files:</p>
          <code class="id proof-command" data-copy={command} data-copy-name="Verify command">
            {command}
          </code>
        </>
      )}
    </Card>
  );
};

const Way: FC<{
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly file?: boolean;
  readonly children?: string;
}> = ({ href, icon, name, file = false, children }) => (
  <li>
    <a href={href} {...(file ? { download: "" } : {})}>
      <Icon name={icon} /> {name}
    </a>{" "}
    <span class="muted">{children}</span>
  </li>
);
