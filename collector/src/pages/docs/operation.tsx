/** @module Operation: one route of the description in full. */
import type { Child, FC } from "hono/jsx";

import { Card } from "../../ui/elements/panel.tsx";
import { InCode } from "./in-code.tsx";
import type { ParameterText, RouteText, Schema } from "./route-text.ts";

/** A route. */
export const Operation: FC<{ readonly of: RouteText }> = ({ of }) => {
  const { method, path, operation, twinId } = of;
  const { parameters = [], requestBody, responses } = operation;
  return (
    <Card title={operation.summary.replaceAll("`", "")}>
      <p class="route-line">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>{" "}
        <code class="muted">{operation.operationId}</code>
      </p>
      {twinId === undefined ? null : (
        <p class="muted">
          A page, and JSON at <code>{path}.json</code> (<code>{twinId}</code>).
        </p>
      )}
      {operation.description === undefined ? null : (
        <p>
          <InCode text={operation.description} />
        </p>
      )}
      <Fields title="Parameters" rows={parameters.map(fieldOfParameter)} />
      {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
        <Fields title={`Body: ${type}`} rows={fieldsOf(schema)} />
      ))}
      <h3>Answers</h3>
      <dl class="answers">
        {Object.entries(responses).map(([status, { description, content }]) => (
          <div>
            <dt>
              <b>{status}</b> <span class="muted">{Object.keys(content ?? {}).join(", ")}</span>
            </dt>
            <dd>
              <InCode text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};

interface Field {
  readonly name: string;
  readonly where: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
  /** Every value, where they are many. */
  readonly values: string | undefined;
}

/** Most values that stand beside a name; more are a line of their own. */
const valuesBeside = 6;

function fieldOfParameter({
  name,
  in: where,
  required,
  schema,
  description,
}: ParameterText): Field {
  return { ...fieldOf({ name, where, required, schema }), text: description ?? "" };
}

function fieldsOf(schema: Schema | undefined): readonly Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, of]) => {
    const required = schema?.required?.includes(name) ?? false;
    return fieldOf({ name, where: "body", required, schema: of });
  });
}

function fieldOf({
  name,
  where,
  required,
  schema,
}: Pick<Field, "name" | "where" | "required"> & { readonly schema: Schema }): Field {
  const isLong = (schema.enum?.length ?? 0) > valuesBeside;
  return {
    name,
    where,
    required,
    type: isLong ? `one of ${schema.enum?.length}` : typeText(schema),
    text: schema.description ?? "",
    values: isLong ? typeText(schema) : undefined,
  };
}

/** Type of a value in one line. */
function typeText(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(" | ");
  if (schema.items !== undefined) return `${typeText(schema.items)}[]`;
  const type = [schema.type ?? "any"].flat().join(" | ");
  const bounds =
    schema.minimum === undefined && schema.maximum === undefined
      ? ""
      : ` ${schema.minimum ?? ""}…${schema.maximum ?? ""}`;
  return `${schema.format ?? type}${bounds}`;
}

const Fields: FC<{ readonly title: string; readonly rows: readonly Field[] }> = ({ title, rows }) =>
  rows.length === 0 ? (
    <></>
  ) : (
    <>
      <h3>{title}</h3>
      <dl class="answers">
        {rows.map(({ name, where, type, required, text, values }): Child => (
          <div>
            <dt>
              <code>{name}</code>{" "}
              <span class="muted">
                {where === "path" ? "path, " : ""}
                {type}
                {required ? ", required" : ""}
              </span>
            </dt>
            <dd>
              <InCode text={text} />
              {values === undefined ? null : <p class="muted">{values}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
