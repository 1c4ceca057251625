"""Runs the unchanged tests of PettingZoo, Gymnasium and OpenSpiel on the environments."""

import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import tablut
from conftest import RULES
from tablut.vector import VectorEnv

gymnasium = pytest.importorskip("gymnasium")


@pytest.mark.parametrize("rules", RULES)
class TestPettingZoo:
    """PettingZoo's own tests."""

    @pytest.fixture(autouse=True)
    def modules(self):
        pytest.importorskip("pettingzoo")

    def test_api(self, rules):
        from pettingzoo.test import api_test

        import tablut.pettingzoo

        with warnings.catch_warnings():
            # PettingZoo warns about dict observations of environments that are not its own.
            warnings.filterwarnings("ignore", message=".*(not a NumPy array|has no|Observation).*")
            api_test(tablut.pettingzoo.env(rules=rules), num_cycles=300)
            api_test(tablut.pettingzoo.env(rules=rules, illegal_actions="replace", max_cycles=20), num_cycles=300)

    def test_seed(self, rules):
        from pettingzoo.test import seed_test

        import tablut.pettingzoo

        seed_test(lambda: tablut.pettingzoo.env(rules=rules), num_cycles=100)

    def test_render(self, rules):
        from pettingzoo.test import render_test

        import tablut.pettingzoo

        render_test(lambda **arguments: tablut.pettingzoo.env(rules=rules, **arguments))

    def test_max_cycles(self, rules):
        from pettingzoo.test.max_cycles_test import max_cycles_test

        import tablut.pettingzoo as module

        def bound(make):
            return lambda **arguments: make(rules=rules, illegal_actions="replace", **arguments)

        # This test ignores the mask, so an illegal action must not end the game.
        max_cycles_test(SimpleNamespace(env=bound(module.env), parallel_env=bound(module.parallel_env)))

    def test_the_first_side_is_drawn_with_the_seed(self, rules):
        import tablut.pettingzoo

        env = tablut.pettingzoo.env(rules=rules)
        firsts = []
        for seed in range(20):
            env.reset(seed=seed)
            firsts.append(env.agent_selection)
        asked = tablut.Rules(rules).first
        assert set(firsts) == ({"attackers", "defenders"} if asked is None else {asked})

    def test_rewards_are_those_of_the_game(self, rules):
        import tablut.pettingzoo

        env = tablut.pettingzoo.raw_env(rules=rules)
        random = np.random.default_rng(4)
        env.reset(seed=4)
        while not env.terminations[env.agent_selection]:
            env.step(int(random.choice(env.game.legal_actions())))
        outcome = env.game.outcome
        expected = {side: 0.0 if outcome.winner is None else 1.0 if outcome.winner == side else -1.0 for side in env.agents}
        assert env.rewards == expected and env.infos["attackers"]["outcome"] == str(outcome)

    def test_an_illegal_action_ends_the_game(self, rules):
        import tablut.pettingzoo

        env = tablut.pettingzoo.env(rules=rules)
        env.reset(seed=1)
        agent = env.agent_selection
        illegal = int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
        env.step(illegal)
        assert env.terminations[agent] and env.rewards[agent] == -1


@pytest.mark.parametrize("rules", RULES)
class TestGymnasium:
    """Gymnasium's own check."""

    @pytest.mark.parametrize("opponent", ["random", "alphabeta:1"])
    @pytest.mark.parametrize("illegal_actions", ["terminate", "replace"])
    def test_check_env(self, rules, opponent, illegal_actions):
        from gymnasium.utils.env_checker import check_env

        import tablut.gymnasium  # noqa: F401 - it registers the environment

        env = gymnasium.make(
            "tablut/Tablut-v0", rules=rules, opponent=opponent, illegal_actions=illegal_actions, disable_env_checker=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env.unwrapped)

    def test_a_game_against_a_player_ends(self, rules):
        from tablut.gymnasium import TablutEnv

        env = TablutEnv(rules, "greedy", side="defenders", max_plies=60)
        for seed in range(3):
            observation, info = env.reset(seed=seed)
            assert info["side"] == "defenders" and env.game.side_to_move == "defenders"
            over = False
            while not over:
                action = env.action_space.sample(info["action_mask"])
                observation, reward, terminated, truncated, info = env.step(action)
                over = terminated or truncated
                assert observation in env.observation_space
            assert (reward != 0) <= terminated and (terminated == (env.game.outcome is not None))
            with pytest.raises(gymnasium.error.ResetNeeded) if terminated else pytest.raises(Exception):
                if not terminated:
                    raise RuntimeError("the game was truncated")
                env.step(0)

    def test_wrong_arguments_are_named(self, rules):
        from tablut.gymnasium import TablutEnv

        for arguments, message in [
            ({"opponent": "gredy"}, "unknown player"),
            ({"side": "white"}, "side 'white'"),
            ({"render_mode": "video"}, "render_mode"),
            ({"illegal_actions": "ignore"}, "illegal_actions"),
            ({"rules": "nonsense"}, "no rule set"),
        ]:
            with pytest.raises(ValueError, match=message):
                TablutEnv(**{"rules": rules, **arguments})
        env = TablutEnv(rules)
        env.reset(seed=1)
        for action, kind in [(1.5, TypeError), ("d1-d3", TypeError), (10**6, ValueError)]:
            with pytest.raises(kind, match="action"):
                env.step(action)


@pytest.mark.parametrize("rules", RULES)
class TestOpenSpiel:
    """OpenSpiel's simulation test, and its tests of the interface that sample states."""

    @pytest.fixture
    def game(self, rules):
        pyspiel = pytest.importorskip("pyspiel")
        import tablut.openspiel  # noqa: F401 - it registers the game

        return pyspiel.load_game(f"python_tablut(rules={rules})")

    def test_random_simulations(self, game):
        import pyspiel

        pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
        pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)

    def test_the_simulations_of_its_python_tests(self, game):
        from open_spiel.python.tests import games_sim_test

        test = games_sim_test.GamesSimTest()
        # The test's own list of games is not used.
        test.sim_game(game)

    def test_the_interface(self, game, rules):
        api_test = pytest.importorskip("open_spiel.integration_tests.api_test")
        name = f"python_tablut(rules={rules})"
        case = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), {"game_name": name, "game": game})
        case.setUpClass()
        tests = [test for test in dir(case) if test.startswith("test_")]
        assert len(tests) >= 5
        for test in tests:
            getattr(case(test), test)()

    def test_its_search_plays(self, game):
        from open_spiel.python.algorithms import mcts

        random = np.random.RandomState(1)
        evaluator = mcts.RandomRolloutEvaluator(1, random)
        bot = mcts.MCTSBot(game, 2.0, 3, evaluator, random_state=random)
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        assert bot.step(state) in state.legal_actions()

    def test_states_are_those_of_the_rules(self, game, rules):
        state = game.new_initial_state()
        assert state.is_chance_node() == (tablut.Rules(rules).first is None)
        if state.is_chance_node():
            state.apply_action(1)
        assert state.current_player() == ["attackers", "defenders"].index(state.tablut.side_to_move)
        for _ in range(5):
            assert state.legal_actions() == sorted(state.tablut.legal_actions().tolist())
            state.apply_action(state.legal_actions()[0])
        again = pickle.loads(pickle.dumps(state))
        assert str(again) == str(state) and again.history() == state.history()


@pytest.mark.parametrize("rules", RULES)
def test_the_vector_environment_plays_as_single_games(rules):
    env = VectorEnv(5, rules, seed=7, max_plies=80)
    observation = env.observe()
    ended = 0
    games = [env.game(place) for place in range(5)]
    for _ in range(250):
        for place, game in enumerate(games):
            assert np.array_equal(observation["planes"][place], game.planes())
            assert np.array_equal(observation["features"][place], game.features())
            assert np.array_equal(observation["action_mask"][place], game.action_mask())
            assert observation["side"][place] == ["attackers", "defenders"].index(game.side_to_move)
        actions = env.random_actions()
        observation, rewards, terminated, truncated = env.step(actions)
        for place, game in enumerate(games):
            game.play(int(actions[place]))
            winner = None if game.outcome is None else game.outcome.winner
            expected = {None: [0, 0], "attackers": [1, -1], "defenders": [-1, 1]}[winner]
            assert terminated[place] == (game.outcome is not None) and rewards[place].tolist() == expected
            assert truncated[place] == (game.outcome is None and game.ply >= 80)
            if terminated[place] or truncated[place]:
                ended += 1
                games[place] = env.game(place)
                assert games[place].ply == 0
    assert ended > 5


def test_the_vector_environment_repeats_on_any_number_of_threads():
    def played(threads):
        env = VectorEnv(37, "imperial", observations="board", seed=3, threads=threads)
        sums = []
        for _ in range(60):
            observation, rewards, terminated, _ = env.step(env.random_actions())
            sums.append((observation["board"].copy(), rewards.sum(), terminated.sum()))
        return sums

    for one, three in zip(played(1), played(3)):
        assert np.array_equal(one[0], three[0]) and one[1:] == three[1:]


def test_what_is_not_asked_for_is_not_made():
    env = VectorEnv(3, observations="none", masks=False)
    assert list(env.reset()) == ["side"] and len(env) == 3 and env.n_actions == 2592
    actions, ends = env.legal_actions()
    assert len(actions) == ends[-1] == 240
