// Puts the page together and opens the game that its address names.

import { byId } from "./dom.js";
import { connect, on } from "./host.js";
import { set } from "./store.js";
import { defineShapes } from "./pieces.js";
import { makeBoard } from "./board.js";
import { listen } from "./input.js";
import "./overlay.js";
import { listenToTabs, openPanel } from "./tabs.js";
import { makeMoves } from "./moves.js";
import { makeControls, makeTheme } from "./controls.js";
import { makeLines } from "./lines.js";
import { makeReview } from "./review.js";
import { makePuzzles } from "./puzzles.js";
import { makeRules } from "./rules.js";
import { makeLens } from "./lens.js";
import { makeSlider } from "./slider.js";
import { makeWorkshop } from "./workshop.js";
import { makeEditor } from "./editor.js";
import { makeNewGame, usualGame } from "./newgame.js";
import { makeShare, openAddress } from "./share.js";

makeTheme();
defineShapes();
makeBoard();
makeControls();
makeMoves();
makeLines();
makeReview();
makePuzzles();
makeRules();
makeLens();
makeSlider();
makeWorkshop();
makeEditor();
makeShare();
makeNewGame();
listen();
listenToTabs();
openPanel("moves");

on("connected", () => { byId("offline").hidden = true; });
on("hello", async () => {
  await openAddress(usualGame);
  document.documentElement.dataset.ready = "yes";
});
on("lost", () => {
  byId("offline").hidden = false;
  set({ thinking: false, analysing: false });
});
addEventListener("hashchange", () => { if (location.hash.length > 1) openAddress(usualGame); });
connect();
