/** @module RouteText: the routes of the description, each once, as the page shows them. */
import type { OpenApi } from "../../http/openapi.ts";

/** A JSON schema, as far as the page shows it. */
export interface Schema {
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

/** A parameter of a route. */
export interface ParameterText {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface OperationText {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly parameters?: readonly ParameterText[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >;
}

/** One route of the description. */
export interface RouteText {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationText;
  /** `operationId` of the same model under the same path with `.json`. */
  readonly twinId: string | undefined;
}

/** Every route once; a page and its JSON twin are one. */
export function routesOf({ paths }: Pick<OpenApi, "paths">): readonly RouteText[] {
  const isTwin = (path: string): boolean =>
    path.endsWith(".json") && paths[path.slice(0, -".json".length)]?.["get"] !== undefined;
  const twinIdOf = (path: string): string | undefined =>
    (paths[`${path}.json`]?.["get"] as OperationText | undefined)?.operationId;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "get" || !isTwin(path))
      .map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation: operation as OperationText,
        twinId: method === "get" ? twinIdOf(path) : undefined,
      })),
  );
}

/** The route of an operation, or of a twin's; undefined where there is none. */
export function routeOf(
  description: Pick<OpenApi, "paths">,
  operationId: string | null | undefined,
): RouteText | undefined {
  if (operationId === null || operationId === undefined) return undefined;
  return routesOf(description).find(
    ({ operation, twinId }) => operation.operationId === operationId || twinId === operationId,
  );
}
