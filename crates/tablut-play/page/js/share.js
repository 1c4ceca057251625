// Links, pictures, records out and in.

import { on } from "./host.js";
import { byId, h } from "./dom.js";
import { request, say, store } from "./store.js";
import { addPanel } from "./tabs.js";
import { playerFields } from "./newgame.js";

let wanted = null;

function save(name, type, content) {
  const link = h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Draws the picture's SVG into pixels.
function savePng(name, svg) {
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name.replace(/svg$/, "png"), "image/png", blob));
  });
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

const TYPES = { text: "text/plain", otg: "text/plain", json: "application/json", svg: "image/svg+xml", toml: "application/toml" };

on("export", ({ format, name, text }) => {
  const to = wanted ?? format;
  wanted = null;
  if (to === "png") savePng(name, text);
  else save(name, TYPES[format], text);
});

on("link", async ({ fragment }) => {
  const field = byId("link-field");
  field.value = new URL("#" + fragment, document.baseURI).href;
  field.hidden = false;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    byId("link-told").textContent = "Copied. It carries rules, position and moves.";
  } catch {
    byId("link-told").textContent = "It carries rules, position and moves.";
  }
  say(byId("link-told").textContent);
});

export function makeShare() {
  const exporter = (format, text, as) => h("button", { type: "button", id: "export-" + (as ?? format), onclick: () => { wanted = as ?? format; request("export", { format }); } }, text);
  const text = h("textarea", { id: "import-text", placeholder: "Moves, a position, an OTG record, a saved game, a rule file or a link", spellcheck: "false" });
  const file = h("input", { type: "file", "aria-label": "A file with a game or with rules", accept: ".json,.otg,.txt,.tafl,.toml" });
  file.addEventListener("change", async () => {
    if (file.files[0] && file.files[0].size < 250000) text.value = await file.files[0].text();
  });
  const playOn = h("div", { class: "stack" });
  const fill = () => {
    const { players } = store.state;
    const fields = { attackers: playerFields("attackers", players.attackers, "on"), defenders: playerFields("defenders", players.defenders, "on") };
    const chosen = () => ({ players: { attackers: fields.attackers.chosen(), defenders: fields.defenders.chosen() } });
    playOn.replaceChildren(fields.attackers.field, fields.defenders.field, h("div", { class: "row" },
      h("button", { type: "button", id: "change-players", onclick: () => request("players", chosen()) }, "Change players"),
      h("button", { type: "button", onclick: () => request("play-on", chosen()) }, "New game from here")));
  };
  addPanel("share", "share", "Share", { opened: fill }).append(
    h("div", { class: "card" }, h("h2", {}, "A link to this position"), h("div", { class: "row" }, h("button", { type: "button", id: "make-link", onclick: () => request("link") }, "Make the link")),
      h("input", { id: "link-field", readonly: true, hidden: true, "aria-label": "Link" }), h("p", { id: "link-told", class: "soft small" })),
    h("div", { class: "card" }, h("h2", {}, "Save"), h("div", { class: "row" }, exporter("text", "Moves as text"), exporter("otg", "OTG"), exporter("json", "Whole game (JSON)"), exporter("svg", "Picture (SVG)"), exporter("svg", "Picture (PNG)", "png"), exporter("toml", "Rule file"))),
    h("div", { class: "card" }, h("h2", {}, "Open"), h("div", { class: "field" }, h("label", { for: "import-text" }, "A game, a position or rules"), text), file,
      h("div", { class: "row" }, h("button", { type: "button", id: "import", onclick: async () => { if (await request("import", { text: text.value })) text.value = ""; } }, "Open"))),
    h("div", { class: "card" }, h("h2", {}, "Players"), playOn));
}
