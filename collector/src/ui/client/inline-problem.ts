/**
 * @module InlineProblem: a form whose refusal is shown beside its field. The page stays, and so
 * does the text in the field: it is in no address and in no state of the browser's history.
 */
import { find, findAll } from "./page.ts";

const away = "The collector does not answer. What was typed is still here: send it again.";

const signedOut = "Your session has ended. What was typed is still here: sign in, then send it.";

/**
 * Starts it for the forms of the page that return to it at this fragment. A form names in
 * `data-gone` what it means that its object is not there any more.
 */
export function startInlineProblems(fragment: string): void {
  for (const form of findAll<HTMLFormElement>("form[data-inline-problem]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form, event.submitter, fragment);
    });
  }
}

async function send(
  form: HTMLFormElement,
  button: HTMLElement | null,
  fragment: string,
): Promise<void> {
  if (form.dataset["sending"] !== undefined) return;
  form.dataset["sending"] = "";
  const refusal = await refusalOf(form, button);
  delete form.dataset["sending"];
  if (refusal === undefined) {
    history.replaceState(null, "", `${location.pathname}${location.search}#${fragment}`);
    location.reload();
    return;
  }
  show(form, refusal);
}

/** Why a form was refused, in a sentence, and the field, where one is at fault. */
interface FormRefusal {
  readonly detail: string;
  readonly code?: string;
  readonly field?: string;
}

/** Undefined where the form was taken. @param button the one that sent it, whose value is sent */
async function refusalOf(
  form: HTMLFormElement,
  button: HTMLElement | null,
): Promise<FormRefusal | undefined> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, button)) {
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
    const { detail = away, ...of } = (await response.json()) as Partial<FormRefusal>;
    return { detail, ...of };
  } catch {
    return { detail: away };
  }
}

function show(form: HTMLFormElement, { detail, code, field: name }: FormRefusal): void {
  const line = find<HTMLElement>("[data-problem]", form);
  if (line === undefined) return;
  for (const marked of findAll("[aria-invalid]", form)) marked.removeAttribute("aria-invalid");
  const fields = findAll<HTMLInputElement>(".field", form);
  const named = fields.find((one) => one.name === name);
  const label = named?.labels?.[0]?.textContent;
  line.hidden = false;
  // An alert is announced where its text changes.
  line.textContent = "";
  if (code === "unauthenticated") {
    const link = document.createElement("a");
    // In another tab: what was typed stays here, and is sent again after it.
    Object.assign(link, { href: location.href, target: "_blank", textContent: "Sign in again" });
    line.append(signedOut, " ", link);
    return;
  }
  line.textContent =
    code === "not_found"
      ? (form.dataset["gone"] ?? detail)
      : label === undefined
        ? detail
        : `${label}: this value is not accepted.`;
  const field = named ?? fields.find((one) => one.matches("textarea"));
  field?.setAttribute("aria-invalid", "true");
  field?.setAttribute("aria-describedby", line.id);
  field?.focus();
}
