/**
 * @module Chip: identity and filters as small named values. The scope is always visible, and
 * anonymous and unattributed have chips of their own.
 */
import type { Identity } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import { shortId } from "../display/figures.ts";
import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";

/** A value shortened in its middle; printed in full. */
const Shortened: FC<{ readonly of: string; readonly chars: number }> = ({ of, chars }) => {
  const text = shortId(of, chars);
  return (
    <span class="value" data-whole={text === of ? undefined : of}>
      {text}
    </span>
  );
};

/** A named value. With `href` it is a link. */
export const Chip: FC<{
  readonly name?: string;
  readonly value: string;
  readonly icon?: IconName;
  readonly href?: string;
  readonly title?: string;
  readonly dashed?: boolean;
  readonly chars?: number;
  /** Name of the value when copied; in the browser the chip then copies it in full. */
  readonly copy?: string;
}> = ({ name, value, icon, href, title, dashed = false, chars = 28, copy }) => {
  const body = (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      {name === undefined ? null : <b>{name}</b>}
      <Shortened of={value} chars={chars} />
    </>
  );
  const look = { class: dashed ? "chip dashed" : "chip", title: title ?? value };
  return href === undefined ? (
    <span {...look} {...(copy === undefined ? {} : { "data-copy": value, "data-copy-name": copy })}>
      {body}
    </span>
  ) : (
    <a {...look} href={href}>
      {body}
    </a>
  );
};

/** Chips in a row; `label` is their name for screen readers. */
export const Chips: FC<{ readonly label: string; readonly children?: Child }> = ({
  label,
  children,
}) => (
  <div class="chips" role="group" aria-label={label}>
    {children}
  </div>
);

/** Identity, as far as known. `user_id`: a value, null for anonymous, absent when not recorded. */
export type ScopeParts = Partial<
  Pick<Identity, "application_id" | "agent_id" | "user_id" | "memory_id" | "thread_id">
>;

/** Values of the fields on which several turns differ; undefined where one has none. */
export type SeveralParts = {
  readonly [Field in keyof ScopeParts]?: readonly ScopeParts[Field][];
};

/** The values of turns that differ, in one chip. */
const SeveralChip: FC<{
  readonly name: string;
  readonly values: readonly (string | null | undefined)[];
}> = ({ name, values }) => {
  const words = values.map((value) => (value === null ? "anonymous" : (value ?? "not recorded")));
  return <Chip name={name} value={words.join(", ")} chars={60} />;
};

/** The tenant: a value, anonymous, or not recorded. */
export const TenantChip: FC<{
  readonly userId: Identity["user_id"] | undefined;
  readonly href?: string;
}> = ({ userId, href }) => {
  const link = href === undefined ? {} : { href };
  if (userId === undefined) {
    return (
      <Chip
        name="tenant"
        value="unattributed"
        icon="unknown"
        dashed
        title="No user is recorded for this turn."
        {...link}
      />
    );
  }
  return userId === null ? (
    <Chip
      name="tenant"
      value="anonymous"
      icon="anonymous"
      title="The turn was recorded as belonging to no user."
      {...link}
    />
  ) : (
    <Chip name="tenant" value={userId} icon="person" {...link} />
  );
};

/** The scope hierarchy: tenant ▸ agent ▸ memory ▸ thread. */
export const ScopeChips: FC<{
  readonly of: ScopeParts;
  /** Where it is of turns that differ. */
  readonly several?: SeveralParts;
  /** Address of a list filtered by one field. */
  readonly hrefBy?: (field: keyof ScopeParts, value: string | null | undefined) => string;
}> = ({ of, several = {}, hrefBy }) => {
  const link = (field: keyof ScopeParts): { readonly href?: string } =>
    hrefBy === undefined || of[field] === undefined ? {} : { href: hrefBy(field, of[field]) };
  const level = (
    field: "agent_id" | "memory_id" | "thread_id",
    name: string,
    names: string,
  ): Child => {
    const value = of[field];
    const values = several[field];
    if (values !== undefined) return <SeveralChip name={names} values={values} />;
    return value === undefined ? (
      <Chip name={name} value="unknown" dashed title={`No ${name} was recorded.`} />
    ) : (
      <Chip name={name} value={value} {...link(field)} />
    );
  };
  const arrow = (
    <span class="sep" aria-hidden="true">
      ▸
    </span>
  );
  return (
    <Chips label="Scope: tenant, agent, memory, thread">
      {several.application_id === undefined ? null : (
        <SeveralChip name="apps" values={several.application_id} />
      )}
      {of.application_id === undefined ? null : (
        <Chip name="app" value={of.application_id} {...link("application_id")} />
      )}
      {several.user_id === undefined ? (
        <TenantChip userId={of.user_id} {...link("user_id")} />
      ) : (
        <SeveralChip name="tenants" values={several.user_id} />
      )}
      {arrow}
      {level("agent_id", "agent", "agents")}
      {arrow}
      {level("memory_id", "memory", "memories")}
      {arrow}
      {level("thread_id", "thread", "threads")}
    </Chips>
  );
};
