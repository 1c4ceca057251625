// Small helpers to build elements; text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked") element.checked = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const byId = (id) => document.getElementById(id);

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export const percent = (share) => (share > 0 && share < 0.095 ? (100 * share).toFixed(1) : Math.round(100 * share)) + " %";
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Saves a file on the user's device.
export function saveFile(name, type, content) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A picture of something defined in pieces.js.
export const use = (name) => s("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, s("use", { href: "#" + name }));

// A bar of three shares.
export function chancesBar(chances, label) {
  const part = (side) => {
    const span = h("span", { class: "fill-" + side });
    span.style.flex = `${chances[side]} 0 0`;
    return span;
  };
  return h("div", { class: "bar", role: "img", "aria-label": label ?? chancesText(chances) }, part("attackers"), part("draw"), part("defenders"));
}

export const chancesText = (chances) =>
  `attackers ${percent(chances.attackers)}, draw ${percent(chances.draw)}, defenders ${percent(chances.defenders)}`;
