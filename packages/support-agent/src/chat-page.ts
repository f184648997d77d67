/** @module The chat's page: a form, a log, and a 30-line reader of the UI message stream. */

/** HTML of the page. */
export const chatPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Support agent</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  form { display: flex; gap: 0.5rem; flex-wrap: wrap; }
  input[name="text"] { flex: 1 1 14rem; }
  input, button { font: inherit; padding: 0.4rem 0.6rem; }
  [role="log"] p { margin: 0.5rem 0; overflow-wrap: anywhere; }
  .tool { opacity: 0.7; }
</style>
<h1>Support agent</h1>
<p>Try “Where is my order A-1001?”, then in a new thread “What do you remember of my order?”.</p>
<div role="log" aria-live="polite"></div>
<form>
  <label>User <input name="user" value="ann" size="8" pattern="[a-z0-9_]+" /></label>
  <input name="text" aria-label="Message" placeholder="Message" required autocomplete="off" />
  <button>Send</button>
  <button type="button" id="fresh">New thread</button>
</form>
<script type="module">
  const log = document.querySelector("[role=log]");
  const form = document.querySelector("form");
  let thread = crypto.randomUUID();
  const line = (text, kind = "") => {
    const p = log.appendChild(document.createElement("p"));
    p.className = kind;
    p.textContent = text;
    return p;
  };
  document.querySelector("#fresh").onclick = () => {
    thread = crypto.randomUUID();
    line("— a new thread —", "tool");
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    const { user, text } = Object.fromEntries(new FormData(form));
    form.elements.text.value = "";
    line(user + ": " + text);
    const messages = [{ role: "user", parts: [{ type: "text", text }] }];
    const body = JSON.stringify({ id: thread, user, messages });
    const headers = { "content-type": "application/json" };
    const response = await fetch("/api/chat", { method: "POST", headers, body });
    if (!response.ok) return line("The request was refused.", "tool");
    let shown;
    let rest = "";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split("\\n\\n");
      rest = lines.pop();
      for (const data of lines.map((each) => each.slice(6)).filter((each) => each !== "[DONE]")) {
        const chunk = JSON.parse(data);
        if (chunk.type === "text-start") shown = line("agent: ");
        if (chunk.type === "text-delta") shown.textContent += chunk.delta;
        if (chunk.type === "tool-output-available") line("tool: " + chunk.output.badge, "tool");
        if (chunk.type === "error") line("The turn failed: " + chunk.errorText, "tool");
      }
    }
  };
</script>
</html>
`;
