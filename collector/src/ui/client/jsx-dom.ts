/**
 * @module JsxDom: renders the server's elements as DOM nodes. The bundler replaces the server's
 * JSX runtime with it, so that an element is written once. Text becomes text nodes; no string ever
 * becomes markup.
 */

/** Allowed children. */
type Drawable = Node | string | number | boolean | null | undefined | readonly Drawable[];

type Props = Readonly<Record<string, unknown>> & { readonly children?: Drawable };

const svgTags = new Set(
  "svg g path rect circle line text use pattern defs symbol polyline polygon tspan clipPath".split(
    " ",
  ),
);

/** An element, or the result of a component. */
export function jsx(tag: string | ((props: Props) => Drawable), props: Props): Drawable {
  if (typeof tag === "function") return tag(props);
  const node = svgTags.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "children") continue;
    if (typeof value === "string") node.setAttribute(name, value);
    else if (typeof value === "number") node.setAttribute(name, String(value));
    else if (value === true) node.setAttribute(name, "");
  }
  append(node, props.children);
  return node;
}

export { jsx as jsxs, jsx as jsxDEV };

/** Children without an element around them. */
export function Fragment(props: Props): Drawable {
  return props.children;
}

/** Appends a child to a node. */
export function append(node: Node, child: Drawable): void {
  if (child === null || child === undefined || typeof child === "boolean") return;
  if (Array.isArray(child)) {
    for (const each of child as readonly Drawable[]) append(node, each);
  } else if (child instanceof Node) node.appendChild(child);
  else node.appendChild(document.createTextNode(String(child as string | number)));
}
