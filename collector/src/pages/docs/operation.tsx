/** @module Operation: one route of the description, collapsed at first. */
import type { Child, FC } from "hono/jsx";

import { InCode } from "./in-code.tsx";

/** A JSON schema, as far as this page shows it. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/** One route of the description. */
export interface RouteText {
  readonly path: string;
  readonly method: string;
  /** A page whose model is also answered under the same path with `.json`. */
  readonly hasTwin: boolean;
  readonly operation: {
    readonly summary: string;
    readonly tags: readonly string[];
    readonly description?: string;
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: { readonly content: Content };
    readonly responses: Readonly<
      Record<string, { readonly description: string; readonly content?: Content }>
    >;
  };
}

/** A route. */
export const Operation: FC<{ readonly of: RouteText }> = ({ of }) => {
  const { method, path, operation } = of;
  const { parameters = [], requestBody, responses } = operation;
  return (
    <li>
      <details>
        <summary data-row>
          <span class={`method ${method.toLowerCase()}`}>{method}</span>
          <code>{path}</code>
          <span class="muted">{operation.summary}</span>
          {of.hasTwin ? <span class="route-twin muted">page, and .json</span> : null}
        </summary>
        <div class="route">
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
        </div>
      </details>
    </li>
  );
};

interface Field {
  readonly name: string;
  readonly where: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

function fieldOfParameter({ name, in: where, required, schema, description }: Parameter): Field {
  return { name, where, type: typeText(schema), required, text: description ?? "" };
}

function fieldsOf(schema: Schema | undefined): readonly Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, of]) => ({
    name,
    where: "body",
    type: typeText(of),
    required: schema?.required?.includes(name) ?? false,
    text: of.description ?? "",
  }));
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
        {rows.map(({ name, where, type, required, text }): Child => (
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
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
