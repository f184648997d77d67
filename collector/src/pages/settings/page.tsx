/**
 * @module Settings page: the principal and its permissions, the configuration, and the switches
 * stored in the browser.
 */
import type { Child, FC } from "hono/jsx";

import { roles } from "../../access/principal.ts";
import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { SettingsModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Chip, TenantChip } from "../../ui/elements/chip.tsx";
import { Card, Fact, Facts, Note, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";

const contentModes: { readonly [mode: string]: string } = {
  metadata: "No content is shown: metadata alone.",
  redacted: "Content that a host keeps is shown with common secrets masked.",
  full: "Content that a host keeps is shown whole: for controlled test data.",
};

/** Settings and about. */
export function settingsPage(model: SettingsModel, context: PageContext): Child {
  return (
    <Page context={context} title="Settings" script="settings">
      {model.warnings.map((warning) => (
        <Note tone="warn">{warning}</Note>
      ))}
      <div class="health-panels">
        <You model={model} context={context} />
        <Reading />
        <Configured model={model} />
        <About model={model} context={context} />
      </div>
      <Permissions model={model} context={context} />
    </Page>
  );
}

const via: { readonly [how: string]: string } = {
  loopback: "from this machine, without a sign-in",
  bearer: "by a token with each request",
  session: "by a session of this browser",
};

const You: FC<{ readonly model: SettingsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { principal } = model;
  return (
    <Card title="You" icon="person" id="you">
      <Facts>
        <Fact name="name">{principal.name}</Fact>
        <Fact name="role">
          <b>{principal.role}</b>
        </Fact>
        <Fact name="signed in">{via[principal.via] ?? principal.via}</Fact>
        <Fact name="you read">
          <span class="spread">
            {principal.application_id === undefined ? null : (
              <Chip name="app" value={principal.application_id} />
            )}
            {principal.user_id === undefined ? (
              <Chip name="tenant" value="all" title="You are bound to no tenant." />
            ) : (
              <TenantChip userId={principal.user_id} />
            )}
          </span>
        </Fact>
      </Facts>
      {context.csrfToken === undefined ? null : (
        <form method="post" action={hrefOf(context, "/logout")}>
          <input type="hidden" name="csrf_token" value={context.csrfToken} />
          <button class="button" type="submit">
            Sign out
          </button>
        </form>
      )}
    </Card>
  );
};

const preferences = [
  ["theme", "Theme", ["system", "light", "dark"]],
  ["density", "Rows", ["normal", "dense"]],
  ["clock", "Times", ["utc", "local"]],
] as const;

/** Stored in the browser; without script the system settings apply, and the page states that. */
const Reading: FC = () => (
  <Card title="Display" icon="theme" id="reading">
    <noscript>
      <p class="muted">
        These switches need a script. Without one the pages follow your system, in UTC.
      </p>
    </noscript>
    <div class="choices" data-choices hidden>
      {preferences.map(([name, label, values]) => (
        <fieldset>
          <legend>{label}</legend>
          <div class="segments">
            {values.map((value) => (
              <label>
                <input type="radio" name={`choice-${name}`} value={value} data-choice={name} />
                <span>{value === "utc" ? "UTC" : value}</span>
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <p class="muted">Stored in this browser only.</p>
    </div>
  </Card>
);

const Switch: FC<{ readonly on: boolean; readonly yes: string; readonly no: string }> = ({
  on,
  yes,
  no,
}) => <Badge tone={on ? "ok" : "quiet"} icon={on ? "success" : "unjudged"} word={on ? yes : no} />;

const Configured: FC<{ readonly model: SettingsModel }> = ({ model }) => {
  const { audit, pseudonyms, store, ingest } = model;
  return (
    <Card title="What is configured" icon="settings" id="configured">
      <Facts>
        <Fact name="sign-in">
          <Switch
            on={model.auth_configured}
            yes="required"
            no="none: this machine only, each local user is admin"
          />
        </Fact>
        <Fact name="content mode">
          <b>{model.content_mode}</b>{" "}
          <span class="muted">{contentModes[model.content_mode] ?? ""}</span>
        </Fact>
        <Fact name="writing">
          <Switch on={!model.read_only} yes="allowed by role" no="read-only" />
        </Fact>
        <Fact name="audit log">
          {audit.on ? (
            <Badge
              tone={audit.healthy ? "ok" : "bad"}
              icon={audit.healthy ? "success" : "failed"}
              word={audit.healthy ? `on, ${countText(audit.records)} records` : "cannot be written"}
            />
          ) : (
            <Badge tone="quiet" icon="unjudged" word="off while no sign-in is configured" />
          )}
        </Fact>
        <Fact name="pseudonyms">
          <Switch on={pseudonyms.stable} yes="stable" no="new with every start" />{" "}
          <span class="muted">scope {pseudonyms.scope}</span>
        </Fact>
        <Fact name="store">
          <code>{store.name}</code> <span class="muted">{store.sources.join(", ")}</span>
        </Fact>
        <Fact name="other trace backend">
          {model.trace_link_host === null ? (
            <span class="muted">none: TURNPROOF_UI_TRACE_LINK names one</span>
          ) : (
            <code>{model.trace_link_host}</code>
          )}
        </Fact>
        <Fact name="receiving">
          <Switch on={ingest.on} yes="on" no="off" />{" "}
          <span class="muted">
            {ingest.tokens === 0
              ? "open on loopback, no producer's token is set"
              : `${countText(ingest.tokens)} producers' tokens`}
          </span>
        </Fact>
      </Facts>
    </Card>
  );
};

const About: FC<{ readonly model: SettingsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <Card title="About" icon="info" id="about">
    <Facts>
      <Fact name="version">{model.version}</Fact>
      <Fact name="interface">
        <a href={hrefOf(context, "/docs")}>every route</a> ·{" "}
        <a href={hrefOf(context, "/openapi.json")}>OpenAPI</a>
      </Fact>
      <Fact name="design">
        <a href={hrefOf(context, "/patterns")}>every element in every state</a>
      </Fact>
      <Fact name="keys">
        press <kbd>?</kbd> on any page
      </Fact>
    </Facts>
    <p class="muted">
      Evidence is content-free: no prompt, answer, argument or result is ever stored. Ids and
      fingerprints are still sensitive, and reading them is recorded.
    </p>
  </Card>
);

const Permissions: FC<{ readonly model: SettingsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <Card
    title="Roles and permissions"
    icon="blocking"
    id="roles"
    flush
    end={<ListEnd context={context}>{countText(model.permissions.length)}</ListEnd>}
  >
    <Table
      stacks
      label="Permissions by role"
      head={
        <>
          <th scope="col">Permission</th>
          {roles.map((role) => (
            <th scope="col">
              {role}
              {role === model.principal.role ? <span class="muted"> (you)</span> : null}
            </th>
          ))}
        </>
      }
    >
      {model.permissions.map(({ permission, meaning, roles: holders }) => (
        <tr>
          <td class="wide wrap">
            <code>{permission}</code> <span class="muted">{meaning}</span>
          </td>
          {roles.map((role) => (
            <td data-head={role}>
              {holders.includes(role) ? (
                <Icon name="success" label="yes" />
              ) : (
                <>
                  <span class="muted" aria-hidden="true">
                    –
                  </span>
                  <span class="sr">no</span>
                </>
              )}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  </Card>
);
