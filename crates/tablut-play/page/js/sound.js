// Sounds, made without files: a knock for a move, two for a capture, a chord at the end. The settings can switch them off.

import { setting } from "./settings.js";
import { watch } from "./store.js";

const LOUDNESS = 0.16;
let audio = null;
let before = null;

// Browsers allow sounds only after the user has used the page.
addEventListener("pointerdown", () => { audio ??= window.AudioContext ? new AudioContext() : null; }, { once: true });
addEventListener("keydown", () => { audio ??= window.AudioContext ? new AudioContext() : null; }, { once: true });

function tone(frequency, at, length, type = "sine", loudness = LOUDNESS) {
  const [source, gain] = [audio.createOscillator(), audio.createGain()];
  const begin = audio.currentTime + at;
  source.type = type;
  source.frequency.setValueAtTime(frequency, begin);
  gain.gain.setValueAtTime(loudness, begin);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + length);
  source.connect(gain).connect(audio.destination);
  source.start(begin);
  source.stop(begin + length);
}

function knock(at, pitch) {
  tone(pitch, at, 0.07, "triangle");
  tone(pitch * 2.7, at, 0.025, "square", LOUDNESS / 5);
}

watch(({ state, game }) => {
  const last = before;
  before = { game, node: state.node, ply: state.ply };
  if (!audio || setting("sound") !== "on" || !last || last.game !== game || last.node === state.node || state.ply <= last.ply) return;
  knock(0, 210);
  if (state.last?.captured.length) knock(0.1, 150);
  if (state.ending) [262, 330, 392].forEach((pitch, index) => tone(pitch, 0.2 + 0.09 * index, 0.7, "sine", LOUDNESS / 2));
});
