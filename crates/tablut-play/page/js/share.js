// Links, pictures, records out and in.

import { on } from "./host.js";
import { byId, h, saveFile } from "./dom.js";
import { addFile, isList } from "./gamelist.js";
import { showError } from "./message.js";
import { request, say, store } from "./store.js";
import { addPanel, openPanel } from "./tabs.js";
import { playerFields } from "./newgame.js";

let wanted = null;

// Draws the picture's SVG into pixels.
function savePng(name, svg) {
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveFile(name.replace(/svg$/, "png"), "image/png", blob));
  });
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

const TYPES = { text: "text/plain", otg: "text/plain", json: "application/json", svg: "image/svg+xml", toml: "application/toml" };

on("export", ({ format, name, text }) => {
  if (store.collected) return;
  const to = wanted ?? format;
  wanted = null;
  if (to === "png") savePng(name, text);
  else saveFile(name, TYPES[format], text);
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
    const content = (await file.files[0]?.text()) ?? "";
    if (isList(content)) openText(content);
    else text.value = content;
  });
  async function openText(content) {
    try {
      if (!isList(content)) return (await request("import", { text: content })) && (text.value = "");
      say(await addFile(content));
      openPanel("moves");
      byId("my-games").open = true;
    } catch (error) {
      showError(error.message);
    }
  }
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
      h("div", { class: "row" }, h("button", { type: "button", id: "import", onclick: () => openText(text.value) }, "Open"))),
    h("div", { class: "card" }, h("h2", {}, "Players"), playOn));
}
