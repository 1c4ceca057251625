// Links, pictures, records out and in.

import { ask, on } from "./host.js";
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
  const text = h("textarea", { id: "import-text", placeholder: "Moves, a position, an OTG record, a saved game or a link", spellcheck: "false" });
  const file = h("input", { type: "file", "aria-label": "A file with a game", accept: ".json,.otg,.txt,.tafl" });
  file.addEventListener("change", async () => {
    if (file.files[0] && file.files[0].size < 250000) text.value = await file.files[0].text();
  });
  const playOn = h("div", { class: "stack" });
  addPanel("share", "Share", () => {
    const players = { attackers: playerFields("attackers", store.state.players.attackers), defenders: playerFields("defenders", store.state.players.defenders) };
    for (const side of ["attackers", "defenders"]) {
      const field = players[side].field;
      field.querySelector("select").id = "on-" + side;
      field.querySelector("label").setAttribute("for", "on-" + side);
    }
    playOn.replaceChildren(players.attackers.field, players.defenders.field, h("div", { class: "row" },
      h("button", { type: "button", onclick: () => request("players", { players: { attackers: players.attackers.chosen(), defenders: players.defenders.chosen() } }) }, "Change players"),
      h("button", { type: "button", onclick: () => request("play-on", { players: { attackers: players.attackers.chosen(), defenders: players.defenders.chosen() } }) }, "New game from here")));
  }).append(
    h("div", { class: "card" }, h("h2", {}, "Link"), h("div", { class: "row" }, h("button", { type: "button", id: "make-link", onclick: () => request("link") }, "Make a link to this position")),
      h("input", { id: "link-field", readonly: true, hidden: true, "aria-label": "Link" }), h("p", { id: "link-told", class: "soft small" })),
    h("div", { class: "card" }, h("h2", {}, "Save"), h("div", { class: "row" }, exporter("text", "Moves as text"), exporter("otg", "OTG"), exporter("json", "Whole game (JSON)"), exporter("svg", "Picture (SVG)"), exporter("svg", "Picture (PNG)", "png"), exporter("toml", "Rule file"))),
    h("div", { class: "card" }, h("h2", {}, "Open"), h("div", { class: "field" }, h("label", { for: "import-text" }, "A game or a position"), text), file,
      h("div", { class: "row" }, h("button", { type: "button", id: "import", onclick: async () => { if (await request("import", { text: text.value })) text.value = ""; } }, "Open"))),
    h("div", { class: "card" }, h("h2", {}, "Players"), playOn));
}

// Opens what the page's address names: a game of the host's, or a game that the link itself carries.
export async function openAddress(fallback) {
  const fragment = location.hash.slice(1);
  const game = fragment.match(/^game=([a-z0-9]+)$/)?.[1];
  try {
    if (fragment.includes("rules=") || fragment.includes("toml=")) return await ask("import", { text: "#" + fragment });
    if (game ?? store.game) return await ask("open", { game: game ?? store.game });
  } catch (error) {
    byId("error").textContent = error.message;
  }
  return request("new", fallback());
}
