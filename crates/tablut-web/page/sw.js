// Keeps the files of one version, so that the page works without a network. A new version waits until the page asks for it.

const FILES = {};
const scope = new URL("./", location.href).href;
// Another copy of the page under the same origin has files of its own.
const CACHE = "tablut " + scope;
const HASH_BYTES = 8;
// A file is kept under its address and the hash of its content, so that a new version fetches only what has changed.
const keptAs = (path) => `${scope}${path}?${FILES[path]}`;

async function keep(cache, path) {
  if (await cache.match(keptAs(path))) return;
  const answer = await fetch(scope + path, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  // While only some files of a version are on the server, the browser keeps the version before it.
  if ((await hashOf(answer.clone())) !== FILES[path]) throw new Error(`${path} is of another version`);
  await cache.put(keptAs(path), answer);
}

async function hashOf(answer) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.arrayBuffer()));
  return Array.from(hash.subarray(0, HASH_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function keepAll() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.keys(FILES).map((path) => keep(cache, path)));
}

async function forgetOthers() {
  const cache = await caches.open(CACHE);
  const known = new Set(Object.keys(FILES).map(keptAs));
  for (const request of await cache.keys()) if (!known.has(request.url)) await cache.delete(request);
  await clients.claim();
}

async function answer(request, path) {
  const cache = await caches.open(CACHE);
  return (await cache.match(keptAs(path))) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("message", (event) => { if (event.data === "use") skipWaiting(); });
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || !(origin + pathname).startsWith(scope)) return;
  const path = (origin + pathname).slice(scope.length) || "index.html";
  if (path in FILES) event.respondWith(answer(event.request, path));
});
