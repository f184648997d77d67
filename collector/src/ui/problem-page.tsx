/**
 * @module Problem page: every error in words, with the code and the request id from the log. It
 * never repeats input.
 */
import type { Child, FC } from "hono/jsx";

import { problemTexts } from "./display/problem-texts.ts";
import type { Problem } from "../http/problem.ts";
import type { PageContext } from "../http/page-context.ts";
import { requestedRange } from "./display/time-range.ts";
import { OtherRange } from "./elements/other-range.tsx";
import { Fact, Facts } from "./elements/panel.tsx";
import { Icon } from "./icons.tsx";
import type { IconName } from "./icons.tsx";
import { BarePage, Page, hrefOf, hrefWith } from "./layout.tsx";

/** An error. */
export function problemPage(problem: Problem, context: PageContext): Child {
  const title = problemTexts(problem.status, problem.code, problem.field).title;
  if (context.principal === undefined && context.authConfigured) {
    return (
      <BarePage context={context} title={title}>
        <Body problem={problem} context={context} bare />
      </BarePage>
    );
  }
  return (
    <Page context={withoutQuery(context)} title={`Error ${problem.status}`} windowTitle={title}>
      <Body problem={problem} context={context} />
    </Page>
  );
}

/** What is around an error: the printed address has no input either. */
function withoutQuery(context: PageContext): PageContext {
  return { ...context, query: new URLSearchParams() };
}

const Body: FC<{
  readonly problem: Problem;
  readonly context: PageContext;
  /** True where no bar above has the heading of the page. */
  readonly bare?: boolean;
}> = ({ problem, context, bare = false }) => {
  const { title, next } = problemTexts(problem.status, problem.code, problem.field);
  return (
    <section class="empty problem" aria-label={title}>
      <Icon name={iconOf(problem)} />
      {bare ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{problem.detail}</p>
      <p class="muted">{next}</p>
      <div class="page-actions">
        <Ways problem={problem} context={context} />
      </div>
      <Facts>
        {bare ? <Fact name="status">{problem.status}</Fact> : null}
        <Fact name="code">
          <code>{problem.code}</code>
        </Fact>
        {problem.field === undefined ? null : (
          <Fact name={fieldName(problem)}>
            <code>{problem.field}</code>
          </Fact>
        )}
        {problem.allowed === undefined ? null : (
          <Fact name={allowedName(problem)}>
            <Allowed problem={problem} context={context} />
          </Fact>
        )}
        {typeof problem.store?.host === "string" ? (
          <Fact name="server">
            <code>{problem.store.host}</code>
          </Fact>
        ) : null}
        {typeof problem.store?.reason === "string" ? (
          <Fact name="reason">{problem.store.reason}</Fact>
        ) : null}
        <Fact name="request">
          <code>{problem.request_id}</code>
        </Fact>
      </Facts>
    </section>
  );
};

function fieldName({ code }: Problem): string {
  if (code === "store_timeout" || code === "preview_timeout") return "too slow";
  return code.startsWith("attribute_") ? "field" : "parameter";
}

function allowedName({ field, code }: Problem): string {
  if (field !== undefined) return "allowed";
  return code === "body_invalid" ? "fields here" : "parameters here";
}

/** Allowed values; each links to the page with it alone, and no input is repeated. */
const Allowed: FC<{ readonly problem: Problem; readonly context: PageContext }> = ({
  problem,
  context,
}) => (
  <span class="allowed">
    {problem.allowed?.map((word) =>
      problem.field === undefined ? (
        <code>{word}</code>
      ) : (
        <a href={`${hrefOf(context, context.path)}?${problem.field}=${encodeURIComponent(word)}`}>
          <code>{word}</code>
        </a>
      ),
    )}
  </span>
);

function iconOf({ status, code }: Problem): IconName {
  if (code === "store_read_only") return "pause";
  if (status === 401 || status === 403) return "blocking";
  if (status === 404) return "orphan";
  if (status === 429) return "clock";
  return "warning";
}

/** The page whose form posts to a path: the link back for a refused form. */
function formOf(path: string): { readonly path: string; readonly name: string } | undefined {
  if (path.startsWith("/traces/recommendations")) return { path: "/learning", name: "Learning" };
  if (path.startsWith("/alerts/")) return { path: "/alerts", name: "Alerts" };
  const agent = /^(\/agents\/[^/]+)\/run$/.exec(path)?.[1];
  return agent === undefined ? undefined : { path: agent, name: "The agent" };
}

/** Links for the next step. */
const Ways: FC<{ readonly problem: Problem; readonly context: PageContext }> = ({
  problem,
  context,
}) => {
  const { status, code, field } = problem;
  const signedOut = context.principal === undefined && context.authConfigured;
  if (signedOut) {
    return (
      <a class="button primary" href={hrefOf(context, "/login")}>
        Sign in
      </a>
    );
  }
  const here = hrefOf(context, context.path);
  const form = formOf(context.path);
  return (
    <>
      {form === undefined ? null : (
        <a class="button primary" href={hrefOf(context, form.path)}>
          {form.name}
        </a>
      )}
      {code === "range_empty" ? (
        <OtherRange
          requested={requestedRange(context.query)}
          hrefWith={(changes) => hrefWith(context, changes)}
        />
      ) : null}
      {code === "cursor_rejected" ||
      (status === 400 && code.startsWith("parameter")) ||
      (code === "scope_forbidden" && field !== undefined) ? (
        <a class="button primary" href={here}>
          This page without parameters
        </a>
      ) : null}
      {code === "trace_not_found_in_window" ? (
        <a class="button primary" href={hrefOf(context, "/traces/find")}>
          Search the whole history
        </a>
      ) : null}
      {status === 503 || status === 500 ? (
        <>
          {form === undefined && code !== "store_corrupt" ? (
            // The address as it is, with its parameters, which the page does not repeat.
            <a class="button primary" href="">
              Try again
            </a>
          ) : null}
          <a class="button" href={hrefOf(context, "/traces/health")}>
            Health
          </a>
        </>
      ) : null}
      {status === 403 ? (
        <a class="button" href={hrefOf(context, "/settings")}>
          Show my account
        </a>
      ) : null}
      <a class="button" href={hrefOf(context, "/traces")}>
        Turns
      </a>
    </>
  );
};
