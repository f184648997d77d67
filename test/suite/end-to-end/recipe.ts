/**
 * @module Recipe: reads the lines and the spans of docs/instrument/to-success.md, so that the page
 * itself is what is tested.
 */
import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";

/** The lines between two marks, trimmed, without blank ones and the marks. */
export function addedLines(text: string, begin: string, end: string): string[] {
  return text
    .split(begin)
    .slice(1)
    .flatMap((part) => (part.split(end)[0] ?? "").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const spanPattern = /^( *)(with )?tracer\.start_\w*span\("([^"]+)", attributes=\{([^}]*)\}\)/gm;

/**
 * The spans of the page's Python block, in the order of their lines, each below the one that its
 * indentation puts it in. `names` are the values of the variables that their attributes use.
 */
export function pythonSpans(
  page: string,
  names: Readonly<Record<string, string | boolean>>,
): PlainSpan[] {
  const code = /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const beganMs = Date.now() - 2_000;
  const ids = /^ *ids = \{([^}]*)\}$/m.exec(code)?.[1] ?? "";
  const open: { readonly indent: number; readonly spanId: string }[] = [];
  return [...code.matchAll(spanPattern)].map(([, space = "", , name = "", dict = ""], index) => {
    while ((open.at(-1)?.indent ?? -1) >= space.length) open.pop();
    const parent = open.at(-1);
    const spanId = `${index + 1}`.padStart(16, "b");
    open.push({ indent: space.length, spanId });
    const startMs = beganMs + index * 200;
    const endMs = parent === undefined ? startMs + 1_500 : startMs + 100;
    return {
      traceId: "",
      spanId,
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      name,
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${endMs}000000`,
      // The turn's own span gets the ids by `set_attributes`.
      attributes: attributesOf(
        parent === undefined ? `${dict}, ${ids}` : dict.replace("**ids", ids),
        names,
      ),
    };
  });
}

/** A dictionary of Python's whose values are texts, truth values or names of variables. */
function attributesOf(
  dict: string,
  names: Readonly<Record<string, string | boolean>>,
): PlainAttributes {
  const pairs = [...dict.matchAll(/"([^"]+)": (?:"([^"]*)"|(\w+))/g)];
  return Object.fromEntries(
    pairs.map(([, key = "", text, word = ""]) => {
      if (text !== undefined) return [key, text];
      const value = word === "True" || word === "False" ? word === "True" : names[word];
      if (value === undefined) throw new Error(`the page does not say what ${word} is`);
      return [key, value];
    }),
  );
}
