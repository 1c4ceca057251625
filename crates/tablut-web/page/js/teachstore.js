// The runs that teach nets, in the browser's database. Each run has a description and parts: its last state, its nets, and the
// games of the generations that it may need. What a generation adds is written in one transaction, so all of it or nothing.

const DATABASE = "tablut teaching";

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore("runs", { keyPath: "run" });
      request.result.createObjectStore("parts");
    });
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

let database = null;

const FULL = "The browser has no space left for nets. Delete nets that were taught here, or free space on this device. What was learnt until the last generation is kept.";
const closed = (error) => new Error(`This browser keeps nothing for this page (${error?.message || error?.name || "its storage is closed"}), so no net can be taught. Allow it to keep data, or leave the private window.`);

// Runs `then` with the two stores in one transaction, and waits until it is on disk. Gives what the request that it returns gives.
async function run(mode, then) {
  database ??= opened();
  let found = null;
  try {
    found = await database;
  } catch (error) {
    database = null;
    throw closed(error);
  }
  const transaction = found.transaction(["runs", "parts"], mode, { durability: "strict" });
  return new Promise((resolve, reject) => {
    const fail = () => reject(transaction.error?.name === "QuotaExceededError" ? new Error(FULL) : closed(transaction.error));
    for (const end of ["abort", "error"]) transaction.addEventListener(end, fail);
    let asked = null;
    transaction.addEventListener("complete", () => resolve(asked?.result));
    asked = then(transaction.objectStore("runs"), transaction.objectStore("parts"));
  });
}

const key = (name, kind, generation) => [name, kind, generation];
// Keys of a kind of part below a generation.
const below = (name, kind, generation) => IDBKeyRange.bound(key(name, kind, -1), key(name, kind, generation), true, true);

export const all = () => run("readonly", (runs) => runs.getAll());
export const get = (name) => run("readonly", (runs) => runs.get(name));
export const put = (record) => run("readwrite", (runs) => runs.put(record));
export const part = (name, kind, generation) => run("readonly", (_, parts) => parts.get(key(name, kind, generation)));
// Keeps the games of the generation that is learnt next.
export const putGames = (name, generation, games) => run("readwrite", (_, parts) => parts.put(games, key(name, "games", generation)));

// The generations whose games are there.
export const gamesOf = async (name) => (await run("readonly", (_, parts) => parts.getAllKeys(below(name, "games", Infinity)))).map(([, , generation]) => generation);

// A generation is complete: its state and net are kept with the record of the run, and what no later one needs is deleted.
export const complete = (record, generation, state, net, needed) => run("readwrite", (runs, parts) => {
  const { run: name } = record;
  parts.put(state, key(name, "state", generation));
  parts.put(net, key(name, "net", generation));
  parts.delete(below(name, "state", generation));
  parts.delete(below(name, "games", needed));
  return runs.put(record);
});

// Keeps a net from a file.
export const putNet = (record, net) => run("readwrite", (runs, parts) => {
  parts.put(net, key(record.run, "net", record.generation));
  return runs.put(record);
});

export const remove = (name) => run("readwrite", (runs, parts) => {
  parts.delete(IDBKeyRange.bound([name], [name, []]));
  return runs.delete(name);
});

// The bytes of each run.
export async function sizes() {
  const found = new Map();
  const names = (await all()).map(({ run: name }) => name);
  for (const name of names) {
    const parts = await run("readonly", (_, all) => all.getAll(IDBKeyRange.bound([name], [name, []])));
    found.set(name, parts.reduce((sum, bytes) => sum + bytes.length, 0));
  }
  return found;
}

// The newest net of each run that has one, the earliest run first.
export async function nets() {
  const complete = (await all()).filter(({ generation }) => generation !== null);
  return Promise.all(complete.map(async ({ run: name, generation }) => ({ name, bytes: await part(name, "net", generation) })));
}
