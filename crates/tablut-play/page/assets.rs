// Every file of the page by its type; `src/serve/assets.rs` includes this list.
assets! {
    "text/javascript; charset=utf-8":
        "js/main.js" "js/transport.js" "js/host.js" "js/store.js" "js/dom.js" "js/board.js" "js/input.js" "js/pieces.js" "js/overlay.js"
        "js/moves.js" "js/controls.js" "js/evaluation.js" "js/lines.js" "js/rules.js" "js/newgame.js" "js/share.js"
        "js/review.js" "js/proof.js" "js/puzzles.js" "js/lens.js" "js/slider.js" "js/workshop.js" "js/training.js" "js/editor.js"
        "js/nets.js" "js/tabs.js";
    "text/css; charset=utf-8": "css/base.css" "css/board.css" "css/panels.css";
    "image/svg+xml": "icon.svg";
}
