// Every file of the page by its type; `src/serve/assets.rs` includes this list.
assets! {
    "text/javascript; charset=utf-8":
        "js/main.js" "js/address.js" "js/board.js" "js/boards.js" "js/choice.js" "js/clock.js" "js/controls.js" "js/dom.js"
        "js/drawing.js" "js/ease.js" "js/editor.js" "js/evaluation.js" "js/faces.js" "js/gamelist.js" "js/host.js" "js/input.js"
        "js/kept.js" "js/keys.js" "js/lens.js" "js/lesson.js" "js/levels.js" "js/lines.js" "js/message.js" "js/motion.js"
        "js/moves.js" "js/mygames.js" "js/myrules.js" "js/nets.js" "js/newgame.js" "js/offers.js" "js/overlay.js" "js/ownmistakes.js" "js/pause.js"
        "js/pieces.js" "js/proof.js" "js/puzzles.js" "js/review.js" "js/rules.js" "js/seats.js" "js/settings.js" "js/share.js"
        "js/slider.js" "js/sound.js" "js/store.js" "js/study.js" "js/tabs.js" "js/task.js" "js/teach.js" "js/teachview.js" "js/times.js"
        "js/transport.js" "js/welcome.js" "js/workshop.js";
    "text/css; charset=utf-8": "css/base.css" "css/board.css" "css/panels.css";
    "image/svg+xml": "icon.svg";
    "image/png": "preview.png";
}
