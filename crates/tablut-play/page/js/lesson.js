// A lesson of two minutes. The host makes its steps from the rules' data, so that it is true for every rule set.

import { h, replace } from "./dom.js";
import { request, store, watch } from "./store.js";
import { addPanel } from "./tabs.js";

const body = h("div", { class: "stack" });

export const nextStep = (step) => request("lesson", { step });
export const openLesson = () => nextStep(0);

export function makeLesson() {
  addPanel("learn", "lesson", "Lesson").append(body);
}

let shown = null;
watch(({ rules, exercise }) => {
  const key = `${rules?.name} ${exercise?.lesson?.step}`;
  if (!rules || key === shown) return;
  shown = key;
  replace(body, h("div", { class: "card" }, h("h2", {}, "Learn the game in two minutes"),
    h("p", {}, `Each step is one move on the board, under the current rules (${rules.name}).`),
    h("ol", { class: "steps-list" }, rules.lesson.map((title, step) => h("li", {}, h("button", { type: "button", class: "link", "aria-current": exercise?.lesson?.step === step ? "true" : null, onclick: () => nextStep(step) }, title)))),
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", id: "begin-lesson", onclick: openLesson }, "Begin"))));
});
