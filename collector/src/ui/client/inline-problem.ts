/**
 * @module InlineProblem: a form whose refusal is shown beside its field. The page stays, and so
 * does the text in the field: it is in no address and in no state of the browser's history.
 */
import { find, findAll } from "./page.ts";

const away = "The collector does not answer. The text is still here: send it again.";

/** Starts it for the forms of the page that return to it at this fragment. */
export function startInlineProblems(fragment: string): void {
  for (const form of findAll<HTMLFormElement>("form[data-inline-problem]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form, fragment);
    });
  }
}

async function send(form: HTMLFormElement, fragment: string): Promise<void> {
  if (form.dataset["sending"] !== undefined) return;
  form.dataset["sending"] = "";
  const refusal = await refusalOf(form);
  delete form.dataset["sending"];
  if (refusal === undefined) {
    history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
    location.reload();
    return;
  }
  show(form, refusal);
}

/** Why the form was refused, in a sentence; undefined where it was taken. */
async function refusalOf(form: HTMLFormElement): Promise<string | undefined> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") body.append(name, value);
  }
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body,
      headers: { accept: "application/json" },
      redirect: "manual",
    });
    // What was taken leads back to the page.
    if (response.type === "opaqueredirect" || response.ok) return undefined;
    const { detail } = (await response.json()) as { readonly detail?: string };
    return detail ?? away;
  } catch {
    return away;
  }
}

function show(form: HTMLFormElement, text: string): void {
  const line = find<HTMLElement>("[data-problem]", form);
  if (line === undefined) return;
  line.hidden = false;
  // An alert is announced where its text changes.
  line.textContent = "";
  line.textContent = text;
  const field = find<HTMLTextAreaElement>("textarea", form);
  field?.setAttribute("aria-invalid", "true");
  field?.setAttribute("aria-describedby", line.id);
  field?.focus();
}
