/**
 * @module ListFiles: the whole list of a page as a file of CSV or JSON lines, with the permission,
 * scope, filters and order of the page. A page declares its fields once; both forms have them.
 */
import type { Hono } from "hono";
import type { z } from "zod";
import type { ColumnType } from "@turnproof/store";

import { download } from "../http/download.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import type { AppContext, AppEnv } from "../http/environment.ts";
import type { Parts } from "../parts.ts";
import { columnData } from "./column-data.ts";
import { fileWindow, windowText } from "./file-window.ts";
import { csvLines, linesOf } from "./text-formats.ts";
import type { WrittenColumn } from "./column-data.ts";
import { capital } from "../ui/display/capital.ts";

const types = {
  csv: "text/csv; charset=UTF-8; header=present",
  jsonl: "application/jsonl; charset=UTF-8",
} as const;

/** A form of a file, which is the ending of its path. */
export type FileForm = keyof typeof types;
/** Every form. */
export const fileForms: readonly FileForm[] = ["csv", "jsonl"];

/** Media type of a form. */
export function mediaTypeOf(form: FileForm): string {
  return types[form];
}

/** The fields of a row of the list's JSON, in the order of its file. */
export type ListFields<Row> = Readonly<Record<keyof Row & string, ColumnType>>;

/** A list that leaves as a file. */
export interface ListFile {
  /** The page. */
  readonly path: string;
  /** Of the list, in ids and names of files: `tools`. */
  readonly name: string;
  /** What it holds, and what a line is where that differs: `costs`. */
  readonly rows: string;
  readonly query: z.ZodObject;
  /** The JSON that has the rows; of the page where it is absent. */
  readonly json?: string;
  /** As the page needs it; `trace.read` where it is absent. */
  readonly needs?: Endpoint["needs"];
  /** As those of the page ({@link Endpoint}). */
  readonly unbound?: true;
  readonly reads?: true;
  /**
   * False for rows that are no evidence, such as settings: whether they are whole is no question.
   */
  readonly evidence?: false;
}

/** The endpoints of a list's files. */
export function fileEndpoints(file: ListFile): Endpoints {
  const {
    path,
    name,
    rows,
    query,
    json = `${path}.json`,
    needs = "trace.read",
    evidence = true,
    ...of
  } = file;
  const id = capital(name);
  const shared = {
    ...of,
    needs,
    lasts: true,
    audit: `${name}.export`,
    query,
    text:
      `Columns are the fields of a row of \`${json}\`; a column that is a list or a record there ` +
      "is JSON. A cell of CSV that begins like a formula has an apostrophe before it." +
      (evidence ? ` ${windowText}` : ""),
    failures: ["scope_forbidden", "store_unavailable", "streams_full"],
  } as const satisfies Partial<Endpoint>;
  return {
    [`GET ${path}.csv`]: {
      ...shared,
      id: `export${id}Csv`,
      summary: `CSV of ${rows}`,
      returns: "A line of names, and one line for each row.",
      answers: "text/csv",
    },
    [`GET ${path}.jsonl`]: {
      ...shared,
      id: `export${id}JsonLines`,
      summary: `JSON lines of ${rows}`,
      returns: "One row a line.",
      answers: "application/jsonl",
    },
  };
}

/** Answers a list's files; `pages` reads the request and then the rows, some at a time. */
export function mountFiles<Row extends object>(
  app: Hono<AppEnv>,
  parts: Parts,
  of: Pick<ListFile, "path" | "name" | "evidence"> & {
    readonly fields: ListFields<Row>;
    /** @param bound called where a bound ends the reading */
    readonly pages: (c: AppContext, bound: () => void) => AsyncGenerator<readonly Row[]>;
  },
): void {
  for (const form of fileForms) {
    app.get(`${of.path}.${form}`, async (c) => {
      const window = await fileWindow(c, parts);
      return download(c, parts, {
        name: of.name,
        extension: form,
        type: types[form],
        parts: () => writtenFile(form, columnsOf(of.fields), of.pages(c, window.bound)),
        ...(of.evidence === false ? {} : { headers: window.header }),
      });
    });
  }
}

/** A table in one of its forms, part by part; the head of CSV is there without any row too. */
export async function* writtenFile<Row>(
  form: FileForm,
  columns: readonly WrittenColumn<Row>[],
  pages: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let head = true;
  for await (const rows of pages) {
    const data = columnData(columns, rows);
    if (form === "csv") yield* csvLines(data, { head, forSheets: true });
    else yield* linesOf(data);
    head = false;
  }
}

function columnsOf<Row extends object>(fields: ListFields<Row>): readonly WrittenColumn<Row>[] {
  return Object.entries<ColumnType>(fields).map(([name, type]) => ({
    name,
    type,
    value: (row) => {
      const value = (row as Readonly<Record<string, unknown>>)[name] ?? null;
      if (value === null) return null;
      return type === "json" ? JSON.stringify(value) : (value as string | number | boolean);
    },
  }));
}
