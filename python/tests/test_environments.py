"""Runs the unchanged tests of PettingZoo, Gymnasium and OpenSpiel on the environments."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import tablut
from conftest import RULES
from tablut.vector import VectorEnv

gymnasium = pytest.importorskip("gymnasium")


def again(thing):
    """A deep copy, and a copy by pickle."""
    return [copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))]


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
        import tablut.pettingzoo

        env = tablut.pettingzoo.env(rules=rules, max_cycles=4)
        env.reset(seed=1)
        n_moves = 0
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            over = termination or truncation
            n_moves += not over
            env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
        assert n_moves == 8 or env.unwrapped.game.outcome is not None

    def test_it_is_not_parallel(self, rules):
        import tablut.pettingzoo

        assert not tablut.pettingzoo.env(rules=rules).metadata["is_parallelizable"]
        assert not hasattr(tablut.pettingzoo, "parallel_env")

    def test_a_copy_has_the_game(self, rules):
        import tablut.pettingzoo

        env = tablut.pettingzoo.env(rules=rules)
        env.reset(seed=3)
        for _ in range(5):
            env.step(int(env.unwrapped.game.legal_actions()[-1]))
        for other in again(env):
            assert other.unwrapped.game.history == env.unwrapped.game.history != []
            assert other.agent_selection == env.agent_selection
            other.step(int(other.unwrapped.game.legal_actions()[0]))
            assert other.unwrapped.game.ply == 6 and env.unwrapped.game.ply == 5

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
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.step(0)

    def test_an_illegal_action_ends_the_game(self, rules):
        from tablut.gymnasium import TablutEnv

        env = TablutEnv(rules)
        _, info = env.reset(seed=1)
        illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
        _, reward, terminated, _, info = env.step(illegal)
        assert (reward, terminated, info["illegal_action"]) == (-1, True, illegal)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(int(np.flatnonzero(info["action_mask"])[0]))

    def test_the_features_are_observed(self, rules):
        from tablut.gymnasium import TablutEnv

        env = TablutEnv(rules)
        observation, info = env.reset(seed=1)
        assert np.array_equal(observation["planes"], env.game.planes())
        assert np.array_equal(observation["features"], env.game.features())
        assert env.action_masks().dtype == bool and np.array_equal(env.action_masks(), info["action_mask"] == 1)

    @pytest.mark.parametrize("opponent", ["random", "greedy", "net:shipped@4"])
    def test_a_copy_has_the_game(self, rules, opponent):
        from tablut.gymnasium import TablutEnv

        env = TablutEnv(rules, opponent)
        _, info = env.reset(seed=2)
        for _ in range(3):
            *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        for other in again(env):
            assert other.game.history == env.game.history != [] and other.side == env.side
            assert other.np_random.integers(10**6) == copy.deepcopy(env.np_random).integers(10**6)
            other.step(int(other.game.legal_actions()[0]))
            assert other.game.ply > env.game.ply

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

    def test_only_a_drawn_first_side_is_chance(self, game, rules):
        import pyspiel

        modes = pyspiel.GameType.ChanceMode
        is_drawn = tablut.Rules(rules).first is None
        assert game.get_type().chance_mode == (modes.EXPLICIT_STOCHASTIC if is_drawn else modes.DETERMINISTIC)

    def test_minimax_plays(self, game, rules):
        from open_spiel.python.algorithms import minimax

        if tablut.Rules(rules).first is None:
            pytest.skip("minimax has no chance nodes")
        value, action = minimax.alpha_beta_search(game, value_function=lambda state: 0, maximum_depth=1, maximizing_player_id=0)
        assert value == 0 and action in game.new_initial_state().legal_actions()

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
@pytest.mark.parametrize("observations", ["planes", "board", "none"])
def test_the_vector_environment_plays_as_single_games(rules, observations):
    env = VectorEnv(5, rules, observations=observations, max_plies=80)
    observation, info = env.reset(seed=7)
    assert isinstance(env, gymnasium.vector.VectorEnv) and info == {}
    ended = 0
    games = [env.game(place) for place in range(5)]

    def expected(game):
        parts = {"side": ["attackers", "defenders"].index(game.side_to_move), "action_mask": game.action_mask()}
        if observations == "planes":
            parts |= {"planes": game.planes(), "features": game.features()}
        elif observations == "board":
            parts["board"] = game.board()
        return parts

    for _ in range(170):
        assert observation in env.observation_space
        for place, game in enumerate(games):
            parts = expected(game)
            assert set(parts) == set(observation)
            assert all(np.array_equal(observation[name][place], part) for name, part in parts.items())
        assert np.array_equal(env.action_masks(), observation["action_mask"] == 1)
        actions = env.random_actions()
        assert actions in env.action_space
        observation, rewards, terminated, truncated, info = env.step(actions)
        for place, game in enumerate(games):
            mover = game.side_to_move
            game.play(int(actions[place]))
            winner = None if game.outcome is None else game.outcome.winner
            assert terminated[place] == (game.outcome is not None)
            assert rewards[place] == (0 if winner is None else 1 if winner == mover else -1)
            assert truncated[place] == (game.outcome is None and game.ply >= 80)
            if terminated[place] or truncated[place]:
                ended += 1
                final = info["final_obs"][place]
                assert info["_final_obs"][place] and final in env.single_observation_space
                assert all(np.array_equal(final[name], part) for name, part in expected(game).items())
                games[place] = env.game(place)
                assert games[place].ply == 0
            else:
                assert "_final_obs" not in info or not info["_final_obs"][place]
    assert ended > 5


def test_the_vector_environment_repeats_with_its_seed_alone():
    env = VectorEnv(20, "kvasir", observations="none")

    def played(**seed):
        env.reset(**seed)
        actions = []
        for _ in range(5):
            actions.append(env.random_actions())
            env.step(actions[-1])
        return np.array(actions)

    first, second = played(seed=1), played()
    assert not np.array_equal(first, second) and not np.array_equal(first, played(seed=2))
    assert np.array_equal(first, played(seed=1)) and np.array_equal(second, played())


def test_a_copy_of_the_vector_environment_goes_on_alike():
    env = VectorEnv(20, "imperial", max_plies=30)
    env.reset(seed=1)
    for _ in range(40):
        env.step(env.random_actions())
    copies = again(env)
    for _ in range(40):
        expected = env.step(env.random_actions())
        for other in copies:
            found = other.step(other.random_actions())
            assert all(np.array_equal(found[0][name], part) for name, part in expected[0].items())
            assert np.array_equal(found[1], expected[1])
    for other in copies:
        assert all(np.array_equal(part, env.reset(seed=5)[0][name]) for name, part in other.reset(seed=5)[0].items())


def test_gymnasiums_wrappers_take_the_vector_environment():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(VectorEnv(8, "brandubh", max_plies=20))
    env.reset(seed=1)
    n_episodes = 0
    for _ in range(50):
        _, _, terminated, truncated, info = env.step(env.unwrapped.random_actions())
        n_episodes += (terminated | truncated).sum()
    assert n_episodes > 8 and env.episode_count == n_episodes


def test_gymnasium_makes_a_vector_of_games_against_a_player():
    import tablut.gymnasium  # noqa: F401 - it registers the environment

    env = gymnasium.make_vec("tablut/Tablut-v0", num_envs=3, vectorization_mode="sync", rules="brandubh")
    observation, info = env.reset(seed=1)
    assert observation["planes"].shape == (3, 16, 7, 7) and info["action_mask"].shape == (3, 1176)
    assert env.step(info["action_mask"].argmax(axis=1))[0] in env.observation_space


def test_a_game_that_the_opponents_first_move_ends_is_an_error():
    from tablut.gymnasium import TablutEnv

    rules = tablut.Rules.from_toml('base = "kvasir"\nname = "short"\nmax-plies = 1\n')
    env = TablutEnv(rules, "random", side="defenders")
    with pytest.raises(RuntimeError, match="first move"):
        env.reset(seed=1)


def test_maskable_ppo_learns_for_1000_steps():
    sb3 = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    env = gymnasium.make("tablut/Tablut-v0", rules="brandubh", opponent="random", max_plies=60)
    agent = sb3.MaskablePPO("MultiInputPolicy", env, n_steps=250, batch_size=125, n_epochs=1, seed=1, device="cpu")
    agent.learn(1000)
    observation, info = env.reset(seed=1)
    action, _ = agent.predict(observation, action_masks=info["action_mask"].astype(bool))
    assert info["action_mask"][int(action)] == 1


def test_the_vector_environment_repeats_on_any_number_of_threads():
    def played(threads):
        env = VectorEnv(37, "imperial", observations="board", threads=threads)
        env.reset(seed=3)
        sums = []
        for _ in range(60):
            observation, rewards, terminated, _, _ = env.step(env.random_actions())
            sums.append((observation["board"].copy(), rewards.sum(), terminated.sum()))
        return sums

    for one, three in zip(played(1), played(3)):
        assert np.array_equal(one[0], three[0]) and one[1:] == three[1:]


def test_what_is_not_asked_for_is_not_made():
    env = VectorEnv(3, observations="none", masks=False)
    assert list(env.reset(seed=1)[0]) == ["side"] and len(env) == 3 and env.n_actions == 2592
    actions, ends = env.legal_actions()
    assert len(actions) == ends[-1] == 240
