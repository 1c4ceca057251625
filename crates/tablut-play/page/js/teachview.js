// How a run looks that teaches a net: a game of the newest net, its scores over time, and how its games end.

import { boardPicture, widthOf } from "./boards.js";
import { h, percent, replace, s } from "./dom.js";

const SIDES = ["attackers", "draws", "defenders", "unfinished"];
const FILLS = { attackers: "attackers", draws: "draw", defenders: "defenders", unfinished: "unfinished" };
const PHASES = { preparing: "The machine is measured", playing: "The net plays against itself", learning: "The net learns from its games", measuring: "The net plays to show how strong it is" };

export const timeText = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
const count = (number) => number.toLocaleString("en");
const counted = (number, name) => `${count(number)} ${name}${number === 1 ? "" : "s"}`;
const points = ({ wins, draws, losses }) => `won ${wins}${draws ? `, drew or left unfinished ${draws}` : ""} and lost ${losses} of ${wins + draws + losses} games`;

// A board on which a game is replayed, one move after another.
function makeReplay() {
  const board = h("div", { class: "replay" });
  const caption = h("p", { class: "soft small" });
  // A game takes about this long, however many plies it has.
  const [GAME_MS, LEAST_MS, MOST_MS] = [12000, 90, 350];
  let [game, next, ply, timer, picture, pieces] = [null, null, 0, null, null, new Map()];

  const squareOf = (name, width) => [name.codePointAt(0) - 97, width - Number(name.slice(1))];
  const isSame = (one, other) => one?.run === other?.run && one?.generation === other?.generation && one?.index === other?.index;

  // Draws the whole position. The pieces are kept by their places, so that each can move.
  function draw() {
    const rows = game.positions[ply];
    picture = boardPicture(rows);
    picture.removeAttribute("aria-hidden");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", "A game of the net against itself");
    pieces = new Map([...picture.querySelectorAll("use")].map((piece) => [`${piece.getAttribute("x")},${piece.getAttribute("y")}`, piece]));
    replace(board, picture);
  }

  function step() {
    if (ply + 1 >= game.positions.length) {
      if (next && !isSame(next, game)) begin(next);
      return;
    }
    const width = widthOf(game.positions[0]);
    const [from, to] = game.moves[ply].split(/[-x]/).map((square) => squareOf(square, width));
    ply += 1;
    const piece = pieces.get(from.join());
    pieces.delete(from.join());
    pieces.set(to.join(), piece);
    piece.style.transform = `translate(${to[0] - piece.getAttribute("x")}px, ${to[1] - piece.getAttribute("y")}px)`;
    const standing = new Set();
    game.positions[ply].split("/").forEach((row, y) => {
      let x = 0;
      for (const part of row.match(/\d+|[tTK]/g)) {
        if (Number(part)) x += Number(part);
        else { standing.add(`${x},${y}`); x += 1; }
      }
    });
    for (const [place, captured] of pieces) if (!standing.has(place)) { captured.remove(); pieces.delete(place); }
    tell();
  }

  function tell() {
    const isOver = ply + 1 >= game.positions.length && game.ending;
    const net = game.generation === 0 ? "The untrained net" : `The net of generation ${game.generation}`;
    caption.textContent = `${net}, game ${count(game.index + 1)}, move ${ply}${isOver ? `: ${game.ending}` : ""}`;
  }

  function begin(found) {
    [game, next, ply] = [found, null, 0];
    draw();
    tell();
    clearInterval(timer);
    // A board that nobody sees rests.
    timer = setInterval(() => { if (board.isConnected && board.getClientRects().length > 0) step(); }, Math.min(MOST_MS, Math.max(LEAST_MS, GAME_MS / game.positions.length)));
  }

  return {
    elements: [board, caption],
    show(found) {
      if (!game || game.run !== found.run) begin(found);
      else if (isSame(found, game)) game = found;
      else next = found;
    },
    clear() {
      clearInterval(timer);
      [game, next] = [null, null];
      replace(board);
      caption.textContent = "";
    },
    hasGame: () => game !== null,
  };
}

// The score against the untrained net over the time of the run: a dot for each net, a line through the games of the latest
// nets together, and its 95 % intervals.
const [WIDTH, HEIGHT, LEFT, FOOT] = [320, 120, 34, 16];
const UNTRAINED = "untrained";
function curve(generations) {
  const known = generations.filter(({ recent }) => recent);
  if (!known.length) return null;
  const most = generations.at(-1).seconds;
  const x = (seconds) => (LEFT + ((WIDTH - LEFT - 6) * seconds) / most).toFixed(1);
  const y = (share) => (6 + (HEIGHT - FOOT - 12) * (1 - share)).toFixed(1);
  const text = (at, up, words, anchor) => s("text", { x: at, y: up, "text-anchor": anchor }, words);
  const up = known.map(({ seconds, recent }) => `${x(seconds)} ${y(recent.high)}`);
  const down = known.map(({ seconds, recent }) => `${x(seconds)} ${y(recent.low)}`).reverse();
  const dot = ({ seconds, scores }) => scores.filter(({ opponent }) => opponent === UNTRAINED).map(({ mean }) => s("circle", { cx: x(seconds), cy: y(mean), r: 2 }));
  const svg = s("svg", { class: "learning-curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" },
    [0, 0.5, 1].map((share) => [s("path", { class: share === 0.5 ? "even" : "rule", d: `M${LEFT} ${y(share)}H${WIDTH - 6}` }), text(LEFT - 4, Number(y(share)) + 3.5, `${100 * share} %`, "end")]),
    s("path", { class: "interval", d: `M${[...up, ...down].join("L")}z` }), known.map(dot),
    s("path", { class: "line", d: "M" + known.map(({ seconds, recent }) => `${x(seconds)} ${y(recent.mean)}`).join("L") }),
    text(LEFT, HEIGHT - 3, "0 s", "start"), text(WIDTH - 6, HEIGHT - 3, timeText(most), "end"));
  svg.setAttribute("aria-label", `Score against the untrained net after each generation: first ${percent(known[0].recent.mean)}, last ${percent(known.at(-1).recent.mean)}`);
  return svg;
}

const FEW_GAMES = 20;
const gamesOf = ({ wins, draws, losses }) => wins + draws + losses;

// What was measured of the newest nets, in words.
function measured({ generations, final_scores: finals }) {
  const sentences = [];
  const last = generations.at(-1);
  if (!last) return sentences;
  const final = finals.find(({ opponent }) => opponent === UNTRAINED);
  const { recent } = last;
  if (final && gamesOf(final) >= FEW_GAMES) sentences.push(`The net ${points(final)} against the untrained net.`);
  else if (recent) sentences.push(`${recent.nets > 1 ? `The last ${recent.nets} nets that met it` : last.scores.some(({ opponent }) => opponent === UNTRAINED) ? "The newest net" : "An earlier net"} ${points(recent)} against the untrained net.`);
  // The games of a net against the one with half as many generations.
  const met = [];
  for (const entry of [...generations].reverse()) {
    const earlier = entry.scores.find(({ generation }) => generation !== null);
    if (earlier) met.push({ ...earlier, at: entry.seconds });
    if (met.reduce((sum, found) => sum + gamesOf(found), 0) >= FEW_GAMES) break;
  }
  const then = met.length === 1 && generations.find(({ generation }) => generation === met[0].generation);
  const sum = met.reduce((all, { wins, draws, losses }) => ({ wins: all.wins + wins, draws: all.draws + draws, losses: all.losses + losses }), { wins: 0, draws: 0, losses: 0 });
  if (gamesOf(sum) >= FEW_GAMES) sentences.push(then ? `After ${timeText(met[0].at)} the net ${points(sum)} against the net of ${timeText(met[0].at - then.seconds)} before.` : `The last ${met.length} nets ${points(sum)} against nets of half their age.`);
  const [first] = generations;
  if (last !== first) sentences.push(`${last.captures.toFixed(1)} pieces were captured in each of its last games, and ${first.captures.toFixed(1)} in those of the untrained net.`);
  return sentences;
}

function endings({ results, generations }) {
  const games = SIDES.reduce((sum, side) => sum + results[side].count, 0);
  if (!games) return null;
  const part = (side) => {
    const span = h("span", { class: "fill-" + FILLS[side] });
    span.style.flex = `${results[side].part} 0 0`;
    return span;
  };
  return [h("h3", {}, `How its last ${games} games ended`), h("div", { class: "bar", "aria-hidden": "true" }, SIDES.map(part)),
    h("dl", { class: "endings" }, SIDES.map((side) => h("div", {}, h("dt", {}, h("i", { class: "fill-" + FILLS[side] }), side), h("dd", {}, percent(results[side].part)))))];
}

// The view of one run with its buttons. `showRun` takes each of its states, `showGame` its games.
export function makeRunView(buttons) {
  const title = h("h2");
  const status = h("p", { class: "small", id: "teach-status" });
  const bar = h("progress", { "aria-label": "Time of the training" });
  const replay = makeReplay();
  const scores = h("div", { class: "stack" });
  const ends = h("div", { class: "stack" });
  let [shown, drawn] = [null, ""];

  function statusText({ state, phase, games, n_generations: generations, seconds, seconds_left: left }) {
    if (state.waiting) return `Waits for the net that is learning now; place ${state.waiting} in the queue.`;
    if (state.failed !== undefined) return `It has stopped: ${state.failed}`;
    const played = `${counted(games, "game")}, ${counted(generations, "generation")}`;
    if (state === "ended") return generations ? `It has learnt for ${timeText(seconds)}: ${played}.` : "It was stopped before its first generation was complete, so there is no net yet.";
    return `${PHASES[phase]}. ${played}${left === null ? "" : `, ${clock(left)} left`}.`;
  }

  return {
    element: h("div", { class: "stack" }, title, status, bar, buttons, ...replay.elements, scores, ends),
    showRun(run) {
      if (run.run !== shown) {
        [shown, drawn] = [run.run, ""];
        replay.clear();
      }
      title.textContent = run.rules;
      status.textContent = statusText(run);
      const isRunning = run.state === "running";
      bar.hidden = !isRunning || run.seconds_left === null;
      bar.value = run.seconds / Math.max(run.seconds + run.seconds_left, 1);
      // Figures are drawn anew only when something was measured.
      const key = [run.n_generations, run.final_scores.length, JSON.stringify(run.results)].join();
      if (key === drawn) return;
      drawn = key;
      const graph = curve(run.generations);
      replace(scores, graph && h("h3", {}, "Score against the untrained net"), graph, measured(run).map((sentence) => h("p", { class: "small" }, sentence)));
      replace(ends, endings(run));
    },
    showGame: (game) => replay.show(game),
  };
}
