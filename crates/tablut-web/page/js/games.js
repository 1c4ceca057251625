// The saved games of this browser, in its database: for each its name, its file and when it was last played.

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("tablut", 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore("games", { keyPath: "name" }));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

let database = null;
// Where the browser keeps nothing, the games last until the page is closed.
const memory = new Map();
const MEMORY = { put: (game) => memory.set(game.name, game), delete: (name) => memory.delete(name), get: (name) => memory.get(name), getAll: () => [...memory.values()] };

// Runs one request on the games, and waits until it is on disk.
async function run(mode, ask) {
  database ??= opened().catch(() => null);
  const found = await database;
  if (!found) return ask(MEMORY);
  const transaction = found.transaction("games", mode, { durability: "strict" });
  const request = ask(transaction.objectStore("games"));
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve(request.result));
    for (const end of ["abort", "error"]) transaction.addEventListener(end, () => reject(transaction.error));
  });
}

export const save = (name, text, when = Date.now()) => run("readwrite", (games) => games.put({ name, text, when }));
export const remove = (name) => run("readwrite", (games) => games.delete(name));
export const load = async (name) => (await run("readonly", (games) => games.get(name)))?.text;
// All games, the last played first.
export const all = async () => (await run("readonly", (games) => games.getAll())).sort((a, b) => b.when - a.when);
