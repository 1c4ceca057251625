// The user's own rules that were played in this browser. They can be chosen again.

import { on } from "./host.js";
import { keep, kept } from "./kept.js";
import { store } from "./store.js";

const KEY = "my-rules";
const MOST_RULES = 20;

// The rules, the latest first: each a name, the text of a rule file and the board's size.
export const keptRules = () => kept(KEY, []);

on("rules", ({ name, toml, size, built_in: isBuiltIn }) => {
  if (isBuiltIn) return;
  const others = keptRules().filter((rules) => rules.name !== name);
  keep(KEY, [{ name, toml, size }, ...others].slice(0, MOST_RULES));
});

// The present game's rules, as a request names them.
store.ownRules = () => (store.rules.built_in ? { name: store.rules.name } : { toml: store.rules.toml });
