/**
 * @module Early: applies the stored preferences before the first paint. It is a separate small
 * script, because modules run late and inline scripts are blocked.
 */
const chosen = (name: string): string | null => {
  try {
    return localStorage.getItem(`turnproof.${name}`);
  } catch {
    // Storage can be forbidden; then the system setting is used.
    return null;
  }
};

for (const name of ["theme", "density", "clock"]) {
  const value = chosen(name);
  if (value !== null) document.documentElement.setAttribute(`data-${name}`, value);
}
