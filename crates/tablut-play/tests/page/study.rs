//! Analysis, review, puzzles, lens, workshop, setting up, sharing.

use super::browser::{Browser, squares, with_browser, with_browser_and};
use super::games::open_saved_game;

#[test]
fn a_win_at_hand_is_shown_as_certain() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/9/2K5t/9/9/9/6t1t+d").await;
        assert!(
            browser.js("document.getElementById('eval-bar').hidden").await == true,
            "nothing is told before it is asked for"
        );
        browser.panel("analysis").await;
        browser.click("#analyse").await;
        browser.until("document.querySelector('#panel-analysis .sure') !== null").await;
        assert!(browser.text("#panel-analysis").await.contains("Certain: the defenders win in 1"));
        assert!(browser.js("document.getElementById('eval-bar').hidden").await == false);
        browser.until("document.querySelectorAll('#overlay polygon').length > 0").await;
        browser.end().await;
    });
}

#[test]
fn an_analysis_goes_on_until_it_is_stopped_and_then_from_there() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("analysis").await;
        browser.click("#analyse").await;
        let simulations = "Number(document.querySelector('#panel-analysis .card .stack').textContent.match(/([0-9,]+) simulations/)?.[1].replaceAll(',', '') ?? 0)";
        browser.until(&format!("{simulations} > 45000")).await;
        assert_eq!(browser.text("#analyse").await, "Stop");
        assert!(browser.text("#panel-analysis").await.contains("going on"));
        browser.click("#analyse").await;
        browser.until(&format!("{simulations} === 0")).await;
        browser.click("#analyse").await;
        browser.until(&format!("{simulations} > 0")).await;
        assert!(browser.js(simulations).await.as_u64().unwrap() > 45_000);
        browser.end().await;
    });
}

#[test]
fn a_line_is_shown_on_the_board_and_played_only_by_its_own_button() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("analysis").await;
        browser.click("#analyse").await;
        browser.until("document.querySelectorAll('#panel-analysis .lines li').length > 0").await;
        let moves = "document.querySelectorAll('.move-list button').length";
        let drawn = "document.querySelector('#panel-analysis .lines .first').textContent";
        browser.js("document.querySelector('#panel-analysis .lines button').click()").await;
        assert_eq!(browser.js(moves).await, 0, "a click shows the line");
        let play = "document.querySelector('#panel-analysis .lines .play').click()";
        let played = browser.js(&format!("[{drawn}, {play}]")).await;
        browser.until(&format!("{moves} === 1")).await;
        assert!(browser.text(".move-list").await.contains(played[0].as_str().unwrap()));
        browser.end().await;
    });
}

#[test]
fn a_study_of_a_game_against_the_computer_has_both_sides_and_keeps_arrows() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.square("d1").await;
        browser.square("d3").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        let game = browser.js("location.hash").await;
        browser.click("#more summary").await;
        browser.click("#do-study").await;
        browser.until(&format!("location.hash !== {game}")).await;
        browser.until("!document.getElementById('study').hidden").await;
        browser.until("document.querySelectorAll('#panel-analysis .lines li').length > 0").await;
        // Another move from the start becomes a variation, and its answer is one's own.
        browser.click("#do-first").await;
        browser.move_by_clicks("d1-d2").await;
        browser.move_by_clicks("e3-f3").await;
        browser.click("#draw-arrows").await;
        browser.square("a4").await;
        browser.square("a2").await;
        browser.until("!document.getElementById('clear-arrows').disabled").await;
        browser.square("e5").await;
        browser.square("e5").await;
        browser.click("#draw-arrows").await;
        browser.panel("moves").await;
        assert!(browser.text(".move-list").await.contains("e3-f3"));
        browser.js("(() => { const c = document.getElementById('comment'); c.value = 'quiet'; c.dispatchEvent(new Event('change')); return true; })()").await;
        browser.until("document.querySelector('.move-list').textContent.includes('quiet')").await;
        assert!(!browser.text(".move-list").await.contains("%cal"));
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.until("document.querySelectorAll('#overlay polygon').length === 1 && document.querySelectorAll('#overlay circle').length === 1").await;
        assert!(browser.text(".move-list").await.contains("quiet"));
        browser.end().await;
    });
}

#[test]
fn the_net_is_introduced_where_it_analyses() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("analysis").await;
        browser.click("#about-nets summary").await;
        let about = browser.text("#about-nets").await;
        assert!(about.contains("About the net: ") && about.contains("Learnt from: "), "{about}");
        browser.end().await;
    });
}

#[test]
fn a_review_makes_exercises_that_take_every_winning_move() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/9/2K5t/9/9/9/6t1t+d&moves=c5-h5,g1-g5").await;
        browser.panel("review").await;
        browser.click("#start-review").await;
        browser.until("document.querySelectorAll('.mistakes button').length === 1").await;
        let list = browser.text(".mistakes").await;
        assert!(list.contains("c5-h5") && list.contains("allowed a win in 1") && !list.contains("c5-c9"), "{list}");
        // The review is kept with the game, and each move has its grade.
        browser.page.refresh().await.unwrap();
        browser.ready().await;
        browser.panel("review").await;
        browser.until("document.querySelectorAll('.mistakes button').length === 1").await;
        browser.until("document.getElementById('accuracy').textContent.includes('defenders')").await;
        assert!(browser.text(".move-list .grade-blunder").await.contains("c5-h5"));
        assert!(browser.text("#scale").await.contains("?? blunders: 20 %"));
        let words = browser.text("#review-words").await;
        for part in ["The defenders played 0 of 1 move well.", "move 1 of the defenders, c5-h5: it allowed a win in 1."]
        {
            assert!(
                words.contains(part) && browser.text("#welcome").await.contains("The turning point was"),
                "{words}"
            );
        }
        browser.click(".mistakes button").await;
        browser.until("document.getElementById('task').textContent.includes('find something better')").await;
        for mv in [("c5", "h5"), ("c5", "a5")] {
            browser.square(mv.0).await;
            browser.square(mv.1).await;
            browser
                .until(&format!("document.querySelector('.verdict')?.textContent.includes('{}-{}')", mv.0, mv.1))
                .await;
        }
        assert!(browser.text(".verdict").await.contains("Right"));
        // The page shows the win that the mistake allowed.
        browser.click("#punish").await;
        browser.until("document.querySelector('#proof .branches')?.textContent.includes('g1-g5 wins at once')").await;
        assert!(browser.js("document.getElementById('panel-analysis').hidden").await == false);
        browser.end().await;
    });
}

#[test]
fn ones_own_mistakes_come_again_after_some_days() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=9/9/9/9/2K5t/9/9/9/6t1t+d").await;
        browser.js("document.getElementById('go-on-defenders').click()").await;
        browser.until("document.querySelector('#player-bottom .name').textContent === 'You'").await;
        browser.panel("review").await;
        browser.move_by_clicks("c5-h5").await;
        browser.until("document.querySelectorAll('.move-list button').length === 2").await;
        browser.js("document.getElementById('start-review').click()").await;
        browser.until("document.querySelectorAll('.mistakes button').length > 0").await;
        browser.panel("puzzles").await;
        assert_eq!(browser.js("document.getElementById('due-mistakes').disabled").await, true, "not today");
        // Three days later, in another game.
        let later = "localStorage.setItem('mistakes', JSON.stringify(JSON.parse(localStorage.getItem('mistakes')).map((one) => \
             ({ ...one, at: one.at - 3 * 86400000 }))))";
        browser.js(later).await;
        browser.page.goto("about:blank").await.unwrap();
        browser.open(&host, "/#rules=masters").await;
        browser.panel("puzzles").await;
        browser.until("!document.getElementById('due-mistakes').disabled").await;
        browser.click("#due-mistakes").await;
        browser.until("document.getElementById('task').textContent.includes('find something better')").await;
        browser.square("c5").await;
        browser.square("a5").await;
        browser.until("document.querySelector('.verdict')?.textContent.includes('Right')").await;
        let kept =
            browser.js("JSON.parse(localStorage.getItem('mistakes')).find((one) => one.played === 'c5-h5').times");
        assert_eq!(kept.await, 1);
        browser.end().await;
    });
}

#[test]
fn grades_are_strict_against_a_strong_level_and_lenient_against_a_weak_one() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        for (level, part) in [("newcomer", "?? blunders: 40 %"), ("strong", "? mistakes: 7.5 %")] {
            open_saved_game(&browser, level).await;
            browser.move_by_clicks("c5-h5").await;
            browser.panel("review").await;
            browser.click("#start-review").await;
            browser.until("document.getElementById('scale') !== null").await;
            let scale = browser.text("#scale").await;
            assert!(scale.contains(part), "{level}: {scale}");
        }
        browser.end().await;
    });
}

#[test]
fn a_mistake_is_punished_on_the_board_with_its_proof() {
    with_browser(|host, browser, _folder| async move {
        // The king has two open lines, and the attackers cannot close both.
        let path = "/#rules=kvasir&start=9/9/9/2K6/9/9/9/9/t4t1t1+a&moves=f1-f2";
        browser.open(&host, path).await;
        browser.panel("analysis").await;
        browser.click("#do-back").await;
        browser.click("#analyse").await;
        browser.until("document.getElementById('proof-card')?.hidden === false").await;
        browser.click("#show-proof").await;
        browser.until("document.querySelectorAll('#proof .branches li').length > 5").await;
        let text = browser.text("#proof").await;
        assert!(text.contains("lose, whatever they play"), "{text}");
        // A move of the losing side is shown with its answer.
        browser.until("/ then c6-.. wins/.test(document.querySelector('#proof .branches').textContent)").await;
        browser.end().await;
    });
}

#[test]
fn winning_moves_are_listed_and_followed_level_by_level() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=3t5/9/9/t2K4t/9/9/9/9/3t5+d").await;
        browser.panel("analysis").await;
        browser.click("#analyse").await;
        browser.until("document.getElementById('proof-card')?.hidden === false").await;
        browser.click("#show-proof").await;
        browser.until("document.querySelector('#proof .branches button')?.textContent.includes('wins in 1')").await;
        browser.js("document.querySelector('#proof .branches button').click()").await;
        browser.until("document.querySelector('#proof')?.textContent.includes('Attackers to move lose')").await;
        browser.until("document.getElementById('proof-play') !== null").await;
        browser.js("document.getElementById('proof-play').click()").await;
        browser.until("document.querySelectorAll('.move-list button').length === 1").await;
        browser.end().await;
    });
}

#[test]
fn puzzles_come_from_ones_own_games() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir&start=3t5/9/9/t2K4t/9/9/9/9/3t5+d").await;
        // The defenders miss a win in two.
        browser.move_by_clicks("d6-e6").await;
        browser.panel("puzzles").await;
        browser.click("#find-puzzles").await;
        browser
            .until("document.querySelector('#panel-puzzles [role=status]').textContent.includes('found in 1 game')")
            .await;
        let list = browser.text("#panel-puzzles .mistakes").await;
        assert!(list.contains("the defenders win in 2"), "{list}");
        browser.js("document.querySelector('#panel-puzzles .mistakes button').click()").await;
        browser.until("document.getElementById('task').textContent.includes('win in 2')").await;
        browser.end().await;
    });
}

#[test]
fn without_a_run_the_page_has_no_slider() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.until("document.getElementById('part-slider').hidden").await;
        browser.end().await;
    });
}

#[test]
fn the_slider_shows_how_each_checkpoint_sees_the_position() {
    let run = tempfile::tempdir().expect("a folder");
    let folder = run.path().join("checkpoints");
    std::fs::create_dir(&folder).expect("a new folder");
    let net = tablut_games::shipped_net().expect("the tests are built with the net");
    for generation in 0..3 {
        std::fs::write(folder.join(format!("gen-0000{generation}.safetensors")), net).expect("the disk takes it");
    }
    with_browser_and(
        &["--checkpoints", run.path().to_str().expect("a plain path")],
        |host, browser, _folder| async move {
            browser.open(&host, "/#rules=kvasir").await;
            browser.panel("slider").await;
            browser
                .until(
                    "document.querySelector('#panel-slider [role=status]').textContent.includes('All 3 checkpoints')",
                )
                .await;
            assert!(browser.text("#panel-slider strong").await.contains("generation 2"));
            browser.js("(() => { const r = document.getElementById('generation'); r.value = '0'; r.dispatchEvent(new Event('input')); return true; })()").await;
            assert!(browser.text("#panel-slider strong").await.contains("generation 0"));
            // The checkpoints evaluate the next position automatically.
            browser.move_by_clicks("d1-d3").await;
            browser
                .until(
                    "document.querySelector('#panel-slider [role=status]').textContent.includes('All 3 checkpoints')",
                )
                .await;
            browser.end().await;
        },
    );
}

/// Plays the solution that the task shows, and returns its two squares.
pub async fn play_solution(browser: &Browser) {
    browser.click("#solve").await;
    browser.until("document.querySelector('#task .verdict') !== null").await;
    let solution = browser.text("#task .verdict strong").await;
    browser.click("#try-again").await;
    let (from, to, _) = squares(solution.split(':').next().unwrap_or_default());
    browser.square(from).await;
    browser.square(to).await;
}

#[test]
fn a_puzzle_is_solved_and_counted() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("puzzles").await;
        browser.click("#open-puzzle").await;
        browser.until("document.getElementById('task').textContent.includes('win in 2')").await;
        play_solution(&browser).await;
        browser.until("document.getElementById('task').textContent.includes('win in 1')").await;
        play_solution(&browser).await;
        browser.until("document.querySelector('#task .verdict')?.textContent.includes('Right')").await;
        // What was shown before it was found does not count as solved.
        assert!(browser.text("#panel-puzzles").await.contains("Streak 0"));
        assert!(!browser.text("#task").await.contains("to move and win"), "a solved task is not asked again");
        browser.click("#next-puzzle").await;
        browser.until("document.getElementById('task').textContent.includes('Puzzle 2 of')").await;
        browser.until("document.querySelectorAll('.marks .mark-failed').length === 1").await;
        browser.end().await;
    });
}

#[test]
fn rated_puzzles_have_no_end_and_those_that_failed_come_again() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("puzzles").await;
        browser.click("#rated-puzzle").await;
        browser.until("document.getElementById('task').textContent.includes('rating 1000')").await;
        browser.click("#solve").await;
        browser.until("document.getElementById('panel-puzzles').textContent.includes('Rating 984')").await;
        let kept = "JSON.parse(localStorage.getItem('puzzles'))";
        let failed = browser.js(&format!("Object.keys({kept}.failedAt)[0]")).await;
        // Another one follows. After four days the one that failed comes again.
        browser.click("#next-puzzle").await;
        browser.until("document.getElementById('task').textContent.includes('rating 984')").await;
        let later = format!(
            "(() => {{ const all = {kept}; all.failedAt[{failed}] -= 4 * 86400000; localStorage.setItem('puzzles', JSON.stringify(all)); }})()"
        );
        browser.js(&later).await;
        browser.click("#next-puzzle").await;
        let failed: Vec<&str> = failed.as_str().unwrap().split(' ').collect();
        let number = failed[2].parse::<u32>().unwrap() + 1;
        let again = format!("text.includes('Puzzle {number} of') && text.includes('{} rules')", failed[0]);
        browser.until(&format!("((text) => {again})(document.getElementById('task').textContent)")).await;
        browser.end().await;
    });
}

#[test]
fn todays_puzzle_counts_the_days_in_a_row() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        let yesterday = "localStorage.setItem('puzzles', JSON.stringify({ daily: { day: Math.floor(Date.now() / 86400000) - 1, days: 4 } }))";
        browser.js(yesterday).await;
        browser.panel("puzzles").await;
        assert!(browser.text("#panel-puzzles").await.contains("Today’s puzzle: 4 days in a row."));
        browser.click("#daily-puzzle").await;
        browser.until("!document.getElementById('task').hidden").await;
        let done = "document.getElementById('panel-puzzles').textContent.includes('5 days in a row')";
        while browser.js(done).await == false {
            let task = browser.text("#task .task-text").await;
            play_solution(&browser).await;
            let next = format!(
                "document.querySelector('#task .task-text') && document.querySelector('#task .task-text').textContent !== '{task}'"
            );
            browser.until(&format!("{done} || !!({next})")).await;
        }
        browser.end().await;
    });
}

#[test]
fn a_win_in_two_is_played_to_its_end_and_a_longer_win_is_not_enough() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("puzzles").await;
        browser.js("(() => { const f = document.getElementById('puzzle-distance'); f.value = '2'; f.dispatchEvent(new Event('change')); return true; })()").await;
        browser.click("#open-puzzle").await;
        browser.until("document.getElementById('task').textContent.includes('win in 2')").await;
        play_solution(&browser).await;
        // The defence has answered, and the win goes on.
        browser.until("document.getElementById('task').textContent.includes('win in 1')").await;
        assert_eq!(browser.js("document.querySelectorAll('.move-list button').length").await, 2);
        play_solution(&browser).await;
        browser.until("document.querySelector('#task .verdict')?.textContent.includes('Right')").await;
        browser.until("document.querySelectorAll('.move-list button').length === 3").await;
        browser.end().await;
    });
}

#[test]
fn a_lesson_leads_through_the_rules_and_back_to_the_game() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=ashton").await;
        browser.move_by_clicks("e3-f3").await;
        let game = browser.js("location.hash").await;
        browser.panel("lesson").await;
        browser.click("#begin-lesson").await;
        let of = "document.getElementById('task').textContent.match(/of (\\d+):/)?.[1]";
        browser.until(&format!("{of} !== undefined")).await;
        let steps: u32 = browser.js(of).await.as_str().unwrap().parse().unwrap();
        for step in 1..=steps {
            browser.until(&format!("document.getElementById('task').textContent.includes('{step} of {steps}:')")).await;
            play_solution(&browser).await;
            browser.until("document.querySelector('#task .verdict')?.textContent.includes('Right')").await;
            if step < steps {
                browser.click("#next-step").await;
            }
        }
        assert_eq!(browser.text("#leave-exercise").await, "Play a game");
        browser.click("#leave-exercise").await;
        browser.until(&format!("location.hash === {game}")).await;
        browser.until("document.getElementById('task').hidden").await;
        browser.end().await;
    });
}

#[test]
fn the_lens_shows_all_rule_sets() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("lens").await;
        browser.click("#look").await;
        browser.until("document.querySelectorAll('#panel-lens tbody tr').length === 14").await;
        assert!(browser.text("#panel-lens tbody").await.contains("tartu"));
        browser.end().await;
    });
}

#[test]
fn the_workshop_names_contradictions_and_measures_a_balance() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/").await;
        browser.panel("workshop").await;
        browser.until("document.getElementById('run-experiment')?.disabled === false").await;
        let change = |id: &str, value: &str| {
            format!(
                "(() => {{ const f = document.getElementById('{id}'); f.value = '{value}'; f.dispatchEvent(new Event('change')); return true; }})()"
            )
        };
        browser.js(&change("clause-camps-entry", "attackers")).await;
        browser
            .until("document.querySelector('#panel-workshop .faults')?.textContent.includes('edge-outside-camps')")
            .await;
        assert!(browser.js("document.getElementById('run-experiment').disabled").await == true);
        // What is wrong stands at its field too, and the list leads there.
        let field = "document.getElementById('clause-camps-entry')";
        assert!(browser.js(&format!("{field}.hasAttribute('aria-invalid')")).await == true);
        assert_ne!(browser.js(&format!("{field}.closest('.field').querySelector('.fault').textContent")).await, "");
        browser.click("#panel-workshop .faults button").await;
        assert!(browser.js("document.activeElement.id.startsWith('clause-')").await == true);
        browser.js(&change("clause-camps-entry", "anyone")).await;
        browser.js(&change("clause-escape", "corners")).await;
        browser.until("document.getElementById('run-experiment').disabled === false").await;
        browser.js("document.getElementById('run-experiment').click()").await;
        browser
            .until("document.querySelector('#panel-workshop [role=status]')?.textContent.includes('30 of 30')")
            .await;
        assert_eq!(browser.js("document.querySelectorAll('#balance tbody tr').length").await, 3);
        browser.js("document.getElementById('play-rules').click()").await;
        browser.until("document.getElementById('game-name').textContent.includes('My kvasir')").await;
        browser.end().await;
    });
}

#[test]
fn a_position_is_set_up_and_shared() {
    with_browser(|host, browser, _folder| async move {
        browser.open(&host, "/#rules=kvasir").await;
        browser.panel("editor").await;
        browser.click("#edit").await;
        browser.js("[...document.querySelectorAll('#panel-editor button')].find((b) => b.textContent === 'Clear the board').click()").await;
        browser.js("document.querySelector('.palette [aria-label=King]').click()").await;
        browser.square("c5").await;
        browser.js("document.querySelector('.palette [aria-label=Attacker]').click()").await;
        browser.square("i1").await;
        browser.js("document.getElementById('edit-side').value = 'defenders'").await;
        browser.js("document.getElementById('edit-done').click()").await;
        browser.until("document.querySelectorAll('.cell .piece').length === 2 && document.getElementById('edit-done').offsetParent === null").await;
        browser.move_by_clicks("c5-c6").await;
        browser.panel("share").await;
        browser.js("document.getElementById('make-link').click()").await;
        browser.until("document.getElementById('link-field').value.includes('moves=c5-c6')").await;
        let link = browser.js("document.getElementById('link-field').value").await.as_str().unwrap().to_owned();
        browser.page.goto("about:blank").await.unwrap();
        browser.page.goto(&link).await.unwrap();
        browser.ready().await;
        browser.until("document.querySelector('[data-square=c6]').classList.contains('last-to')").await;
        browser.end().await;
    });
}
