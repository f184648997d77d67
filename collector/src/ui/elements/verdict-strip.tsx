/**
 * @module VerdictStrip: the chain intent → artifact → contract → delivery, one sentence on why it
 * is not a success, and the findings, each with a link to its evidence.
 */
import type { ChainLink, Finding, Verdict } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import type { Failure } from "../display/failure-texts.ts";
import { wordsOf } from "../display/figures.ts";
import { reasonText, verdictSentence } from "../display/kind-texts.ts";
import { Badge, PriorityBadge, VerdictBadge } from "./badge.tsx";
import type { Tone } from "./badge.tsx";
import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";
import { Word } from "./glossary-word.tsx";
import { EvidenceLinks } from "./evidence-links.tsx";
import { Failures } from "./failures.tsx";

/** Findings shown at first; the others are one click away. */
const shownMax = 4;

const order = ["intent", "artifact", "contract", "delivery"] as const;

const states: { readonly [state: string]: readonly [Tone, IconName, string] } = {
  present: ["ok", "success", "present"],
  missing: ["bad", "orphan", "missing"],
  superseded: ["quiet", "cycle", "superseded"],
  failed: ["bad", "failed", "failed"],
  recovered: ["warn", "partial", "recovered"],
  unconfirmed: ["warn", "unknown", "unconfirmed"],
};

/** The strip. */
export const VerdictStrip: FC<{
  readonly verdict: Verdict;
  /** What ended in error, as recorded. */
  readonly failures: readonly Failure[];
}> = ({ verdict, failures }) => {
  const tasks = [...new Set(verdict.chain.map((link) => link.task_id))];
  return (
    <section class="verdict card" aria-label="Verdict">
      <header class={`sentence ${verdict.status}`}>
        <h2 class="label">
          <Word of="verdict">Verdict</Word>
        </h2>
        <VerdictBadge verdict={verdict.status} />
        <p>{verdictSentence(verdict.why)}</p>
        <WindowTrust verdict={verdict} />
      </header>
      {verdict.chain.length === 0 ? null : (
        <div class="tasks">
          {tasks.map((task) => (
            <Chain
              task={task}
              links={verdict.chain.filter((link) => link.task_id === task)}
              named={tasks.length > 1}
            />
          ))}
        </div>
      )}
      <Findings findings={verdict.findings} />
      <Failures failures={failures} />
      {verdict.missing_stages.length === 0 ? null : (
        <p class="stages-line">
          <Icon name="orphan" /> Declared stages without evidence:{" "}
          {verdict.missing_stages.map((stage) => (
            <code>{stage}</code>
          ))}
        </p>
      )}
    </section>
  );
};

const WindowTrust: FC<{ readonly verdict: Verdict }> = ({ verdict }) => {
  const { complete, read_completeness: read, reasons } = verdict.window;
  return (
    <span class="end">
      <Badge
        tone={complete ? "plain" : "warn"}
        icon={complete ? "success" : "partial"}
        word={complete ? "window complete" : `window ${read}`}
        title={complete ? "Everything of this root was read." : reasons.map(wordsOf).join(", ")}
      />
    </span>
  );
};

const Chain: FC<{
  readonly task: string | null;
  readonly links: readonly ChainLink[];
  readonly named: boolean;
}> = ({ task, links, named }) => (
  <div class="task">
    {named ? <h3>{task === null ? "Without a task" : <code>{task}</code>}</h3> : null}
    <ol class="chain" aria-label="Chain from intent to delivery">
      {order.map((name): Child => {
        const own = links.filter((link) => link.link === name);
        return (
          <li class="stage">
            <h3>
              <Icon name={name} /> <Word of={name} />
            </h3>
            {own.length === 0 ? (
              <p class="absent-link">
                <span class="muted">not requested, and not recorded</span>
              </p>
            ) : (
              own.map((link) => <Link link={link} />)
            )}
          </li>
        );
      })}
    </ol>
  </div>
);

const Link: FC<{ readonly link: ChainLink }> = ({ link }) => {
  const [tone, icon, word] = states[link.state] ?? (["quiet", "unknown", link.state] as const);
  return (
    <div class={`link ${link.state}`}>
      <div class="link-head">
        <Badge tone={tone} icon={icon} word={word} />
        {link.name === null ? null : <code>{link.name}</code>}
      </div>
      <p>
        {reasonText(link.reason)} <EvidenceLinks ids={link.evidence_ids} />
      </p>
    </div>
  );
};

const Findings: FC<{ readonly findings: readonly Finding[] }> = ({ findings }) =>
  findings.length === 0 ? (
    <></>
  ) : (
    <>
      <ol class="findings" aria-label="Findings">
        {findings.slice(0, shownMax).map((finding) => (
          <FindingLine finding={finding} />
        ))}
      </ol>
      {findings.length > shownMax ? (
        <details class="more-findings">
          <summary>
            {findings.length - shownMax} more{" "}
            {findings.length === shownMax + 1 ? "finding" : "findings"}
          </summary>
          <ol class="findings" aria-label="More findings">
            {findings.slice(shownMax).map((finding) => (
              <FindingLine finding={finding} />
            ))}
          </ol>
        </details>
      ) : null}
    </>
  );

const FindingLine: FC<{ readonly finding: Finding }> = ({ finding }) => (
  <li>
    <PriorityBadge priority={finding.priority} />
    <div>
      <b>{finding.title}</b>
      {finding.subject === null ? null : <code> {finding.subject}</code>}
      {finding.confidence === "low" ? (
        <span
          class="flag"
          title="This finding is of missing evidence, and the window is incomplete."
        >
          low confidence
        </span>
      ) : null}
      <p>
        {finding.finding} <span class="muted">{finding.recommendation}</span>
      </p>
    </div>
    <EvidenceLinks ids={finding.evidence_ids} count={finding.evidence_count} />
  </li>
);
