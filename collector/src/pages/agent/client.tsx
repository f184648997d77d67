/**
 * @module Agent in the browser: its trend, and the playground, which streams a run. The events of
 * a run arrive as server-sent events over POST; text is inserted as text nodes, whatever it
 * contains.
 */
import { base, drawn, find } from "../../ui/client/page.ts";
import { startMarks } from "../../ui/client/marks.tsx";
import { startTrend } from "../../ui/client/trend.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

/** Starts the page. */
export function start(): void {
  startMarks();
  startTrend();
  const form = find<HTMLFormElement>("[data-playground]");
  const transcript = find("[data-transcript]", form);
  if (form === undefined || transcript === undefined) return;
  let running: AbortController | undefined;
  const stop = find<HTMLButtonElement>("[data-stop]", form);
  const run = find<HTMLButtonElement>("button[type=submit]", form);
  stop?.addEventListener("click", () => running?.abort());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    running?.abort();
    const mine = new AbortController();
    running = mine;
    if (stop !== undefined) stop.hidden = false;
    if (run !== undefined) run.disabled = true;
    transcript.hidden = false;
    transcript.replaceChildren();
    void stream(form, transcript, mine.signal).finally(() => {
      if (stop !== undefined) stop.hidden = true;
      if (run !== undefined) run.disabled = false;
    });
  });
}

/** One event of the stream. */
interface Chunk {
  readonly type?: string;
  readonly [field: string]: unknown;
}

async function stream(
  form: HTMLFormElement,
  transcript: HTMLElement,
  signal: AbortSignal,
): Promise<void> {
  const notifier = new Notifier(transcript);
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as [string, string]] : [],
  );
  try {
    const response = await fetch(form.dataset["stream"] ?? "", {
      method: "POST",
      headers: { accept: "text/event-stream" },
      body: new URLSearchParams(fields),
      signal,
    });
    if (!response.ok || response.body === null) {
      // A proxy's refusal has no JSON; its status is shown.
      const problem = (await response.json().catch(() => ({}))) as { readonly detail?: string };
      notifier.step(problem.detail ?? `The run was refused (${response.status}).`);
      return;
    }
    let rest = "";
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const blocks = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) notifier.notify(block);
    }
  } catch {
    notifier.step(signal.aborted ? "Stopped." : "The connection ended.");
  }
}

/** Writes a stream as it arrives. */
class Notifier {
  private readonly node: HTMLElement;
  private answer: HTMLElement | undefined;

  constructor(node: HTMLElement) {
    this.node = node;
  }

  /** One block of server-sent events. */
  notify(block: string): void {
    const lines = block.split("\n");
    const name =
      lines
        .find((line) => line.startsWith("event:"))
        ?.slice(6)
        .trim() ?? "message";
    const data = lines
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).trimStart())
      .join("\n");
    if (name === "heartbeat" || data === "") return;
    const chunk = parse(data);
    if (name === "answer.delta") return this.print(textOf(chunk));
    if (name === "run.done" || name === "run.started") this.evidence(chunk);
    if (name === "error") return this.step(`Failed: ${wordOf(chunk, "code") ?? "unknown"}`);
    const tool = wordOf(chunk, "tool_name") ?? wordOf(chunk, "tool") ?? wordOf(chunk, "name");
    if (name !== "answer.done") this.step(tool === undefined ? name : `${name} ${tool}`);
  }

  /** A secondary line. */
  step(text: string): void {
    this.node.append(drawn(<p class="step">{text}</p>));
    this.node.scrollTop = this.node.scrollHeight;
  }

  private print(text: string): void {
    if (this.answer === undefined) {
      this.answer = drawn(<p class="said"></p>) as HTMLElement;
      this.node.append(this.answer);
    }
    this.answer.append(text);
    this.node.scrollTop = this.node.scrollHeight;
  }

  /** The link to the evidence of this run, as soon as its root is known. */
  private evidence(chunk: Chunk): void {
    const context = (chunk["trace_context"] ?? chunk["traceContext"] ?? chunk) as Chunk;
    const root = context["root_trace_id"] ?? context["rootTraceId"];
    if (typeof root !== "string" || find("a", this.node) !== undefined) return;
    this.node.append(
      drawn(
        <p class="step">
          <a href={`${base}${pageAddress("traces", root)}`}>The evidence of this run</a>
        </p>,
      ),
    );
  }
}

function parse(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    return {};
  }
}

function wordOf(chunk: Chunk, field: string): string | undefined {
  const word = chunk[field];
  return typeof word === "string" ? word : undefined;
}

function textOf(chunk: Chunk): string {
  return wordOf(chunk, "delta") ?? wordOf(chunk, "text") ?? "";
}
