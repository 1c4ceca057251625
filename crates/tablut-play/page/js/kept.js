// What this browser keeps between visits. Where it may keep nothing, the page remembers it until it is closed.

const memory = new Map();

export function keptText(key) {
  try {
    return memory.get(key) ?? localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

export const kept = (key, usual) => JSON.parse(keptText(key) ?? "null") ?? usual;

export function keepText(key, text) {
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}
export const keep = (key, value) => keepText(key, JSON.stringify(value));
