/**
 * @module SidesForm: the terms and the limit of both sides, and the command that reads more turns.
 */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText } from "../../ui/display/figures.ts";
import { hrefOf } from "../../ui/layout.tsx";
import { sideNames, sides } from "./names.ts";
import { turnsMax } from "./sides.ts";
import type { GateModel } from "./route.ts";

/** The form. */
export const Sides: FC<{ readonly model: GateModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <form
    class="fields gate-sides"
    method="get"
    action={hrefOf(context, "/traces/compare/gate")}
    aria-label="Sides"
  >
    {sides.map((name) => (
      <label>
        <span>{sideNames[name]}</span>
        <input
          class="field mono"
          name={name}
          value={model[name] ?? ""}
          placeholder={name === "baseline" ? "release:3.2" : "release:3.3"}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
    ))}
    <label class="gate-limit">
      <span>Turns a side, at most</span>
      <input
        class="field"
        name="limit"
        type="number"
        required
        min="1"
        max={String(turnsMax)}
        value={String(model.limit)}
      />
    </label>
    <label>
      <span>Must be decided</span>
      <input
        class="field mono"
        name="require"
        value={model.required.join(" ")}
        placeholder="cost"
        title="Contracts, duration, tokens or cost; else what is not recorded decides nothing"
        autocomplete="off"
        spellcheck={false}
      />
    </label>
    {reachOf(context).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <button class="button primary" type="submit">
      Compare
    </button>
  </form>
);

/** Parameters of this page by which both sides are narrowed. */
export function reachOf({
  query,
}: PageContext): readonly (readonly [name: string, value: string])[] {
  return ["start_time", "end_time", "user_id", "scope"].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
}

/** How many turns this page reads, and the command that reads more. */
export const Reach: FC<{ readonly model: GateModel }> = ({ model }) => (
  <p class="muted gate-reach">
    The newest {countText(model.limit)} turns of each side are read at most, here up to{" "}
    {countText(turnsMax)}. <code>turnproof gate</code> reads 1,000 of each, or <code>--limit</code>
    {model.baseline === null || model.candidate === null ? (
      "."
    ) : (
      <>
        :{" "}
        <code>
          turnproof gate <span>--baseline</span> {quoted(model.baseline)} <span>--candidate</span>{" "}
          {quoted(model.candidate)} <span>--contract</span> contracts
          {model.required.length === 0 ? null : (
            <>
              {" "}
              <span>--require</span> {model.required.join(" ")}
            </>
          )}
        </code>
      </>
    )}
  </p>
);

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
