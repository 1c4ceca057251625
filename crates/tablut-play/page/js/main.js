// Puts the page together and opens the game that its address names.

import { byId } from "./dom.js";
import { connect, on } from "./host.js";
import { listenForMessages, showNotice } from "./message.js";
import { set } from "./store.js";
import { makeSettings } from "./settings.js";
import { defineShapes } from "./pieces.js";
import { makeBoard } from "./board.js";
import "./overlay.js";
import "./motion.js";
import "./sound.js";
import "./pause.js";
import "./myrules.js";
import { listen } from "./input.js";
import { makeTabs, openPanel } from "./tabs.js";
import { makeMoves } from "./moves.js";
import { makeControls } from "./controls.js";
import { makeDrawing } from "./drawing.js";
import { makeLines } from "./lines.js";
import { makeReview } from "./review.js";
import { makePuzzles } from "./puzzles.js";
import { makeLesson } from "./lesson.js";
import { makeRules } from "./rules.js";
import { makeLens } from "./lens.js";
import { makeSlider } from "./slider.js";
import { makeTeach } from "./teach.js";
import { makeWorkshop } from "./workshop.js";
import { makeEditor } from "./editor.js";
import { makeNewGame, usualGame } from "./newgame.js";
import { makeShare } from "./share.js";
import { makeKeys } from "./keys.js";
import "./welcome.js";
import "./task.js";
import { listenToAddress, openAddress } from "./address.js";

makeSettings();
defineShapes();
makeBoard();
makeTabs();
makeControls();
makeMoves();
makeLines();
makeEditor();
makeSlider();
makeReview();
makePuzzles();
makeLesson();
makeRules();
makeLens();
makeWorkshop();
makeTeach();
makeShare();
makeNewGame();
makeKeys();
makeDrawing();
listen();
listenForMessages();
listenToAddress(usualGame);
openPanel("moves");

// The first `hello` of a connection starts the page. Later ones only have new nets.
let greeted = false;
let wasLost = false;

on("hello", async () => {
  if (greeted) return;
  greeted = true;
  await openAddress(usualGame);
  document.documentElement.dataset.ready = "yes";
});
on("connected", () => {
  byId("offline").hidden = true;
  if (wasLost) showNotice("Connected again.");
});
on("lost", ({ reason }) => {
  greeted = false;
  wasLost = true;
  byId("offline").textContent = reason || "The connection is lost. Trying again…";
  byId("offline").hidden = false;
  set({ thinking: false, analysing: false });
});
on("waiting", ({ on: isWaiting }) => { byId("pending").hidden = !isWaiting; });
connect();
