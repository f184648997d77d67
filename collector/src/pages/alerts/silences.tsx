/** @module Silences: the silences of alerts, their ends, and the form that makes one. */
import type { FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import type { PageContext } from "../../http/page-context.ts";
import { countText } from "../../ui/display/figures.ts";
import { Time } from "../../ui/elements/figure.tsx";
import { Hidden } from "../../ui/elements/hidden.tsx";
import { Card, Heads, Table } from "../../ui/elements/panel.tsx";
import { Refusal } from "../../ui/elements/refusal.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { groupCharsMax, silenceHoursMax } from "./alert-lists.ts";
import type { AlertsModel } from "./route.ts";

/** Shown where the rule of a form was removed meanwhile. */
export const ruleGone = "The rule is no longer there. Load the page again.";

/** True where the reader may change alerts. */
export function manages({ principal, readOnly }: PageContext): boolean {
  return !readOnly && principal !== undefined && permits(principal, "alert.manage");
}

/** The silences, and the form. */
export const Silences: FC<{ readonly model: AlertsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const rules = manages(context) && model.running ? model.rules.map(({ name }) => name) : [];
  if (model.silences.length === 0 && rules.length === 0) return <></>;
  return (
    <Card
      title="Silences"
      icon="pause"
      flush
      end={
        <ListEnd context={context} path="/alerts/silences" unfiltered>
          {countText(model.silences.length)}
        </ListEnd>
      }
    >
      {model.silences.length === 0 ? null : (
        <Table
          stacks
          label="Silences"
          head={<Heads texts={["Rule", "Group", "Until", "By", "Change"]} />}
        >
          {model.silences.map(({ rule, group, until, by }, index) => (
            <tr>
              <th scope="row">{rule}</th>
              <td data-head="Group">{group ?? "all"}</td>
              <td data-head="Until">
                <Time at={until} form="daytime" />
              </td>
              <td data-head="By">{by}</td>
              <td>
                {manages(context) ? (
                  <form
                    method="post"
                    action={hrefOf(context, "/alerts/silence")}
                    data-inline-problem
                    data-gone={ruleGone}
                  >
                    <Hidden
                      fields={{
                        csrf_token: context.csrfToken,
                        rule,
                        group: group ?? undefined,
                        hours: "0",
                      }}
                    />
                    <button class="button" type="submit">
                      End
                      <span class="sr">
                        {" "}
                        the silence of {group === null ? rule : `${rule} of ${group}`}
                      </span>
                    </button>
                    <Refusal of={`end-${index}`} />
                  </form>
                ) : null}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {rules.length === 0 ? null : <SilenceForm rules={rules} context={context} />}
    </Card>
  );
};

/** Silences a rule or a group, whether or not it fires now. */
const SilenceForm: FC<{ readonly rules: readonly string[]; readonly context: PageContext }> = ({
  rules,
  context,
}) => (
  <form
    class="silence"
    method="post"
    action={hrefOf(context, "/alerts/silence")}
    data-inline-problem
    data-gone={ruleGone}
    aria-label="Silence a rule"
  >
    <Hidden fields={{ csrf_token: context.csrfToken }} />
    <label for="silence-rule">Rule</label>
    <select id="silence-rule" class="field" name="rule" required>
      {rules.map((name) => (
        <option value={name}>{name}</option>
      ))}
    </select>
    <label for="silence-group">Group, or empty for all</label>
    <input
      id="silence-group"
      class="field"
      name="group"
      maxlength={groupCharsMax}
      autocomplete="off"
      spellcheck={false}
    />
    <label for="silence-hours">Hours</label>
    <input
      id="silence-hours"
      class="field"
      name="hours"
      type="number"
      min="0.5"
      max={String(silenceHoursMax)}
      step="0.5"
      value="8"
      required
    />
    <button class="button" type="submit">
      Silence
    </button>
    <Refusal of="silence" />
  </form>
);
