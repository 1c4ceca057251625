"""The program's nets in PyTorch."""

import numpy as np
import pytest

import tablut
from conftest import random_positions

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
import tablut.torch as twin  # noqa: E402


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def records(rules, games=6, seed=1, max_plies=60):
    """Games of an untrained net."""
    net = tablut.Model.untrained("lines32x1", seed=seed)
    return list(tablut.self_play(net, rules=rules, games=games, simulations=4, max_plies=max_plies, seed=seed))


def relative(found, expected):
    """The norm of the difference, relative to the expected norm."""
    return np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-12)


def gradients(net, batch):
    """The loss and its gradients, by name."""
    value = twin.loss(net, batch)
    value.backward()
    return value.item(), {name: parameter.grad.numpy() for name, parameter in net.named_parameters()}


def is_smooth(model, batch):
    """Whether rounding changes the gradients little. They jump where a rectified number crosses zero."""
    _, single = gradients(twin.LineNet.of(model), batch)
    exact = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in batch.items()}
    _, double = gradients(twin.LineNet.of(model).double(), exact)
    return all(relative(single[name], double[name]) < 2e-5 for name in single)


@pytest.mark.parametrize(
    "rules, shape",
    [("kvasir", "lines64x3"), ("kvasir", "shipped"), ("imperial", "lines32x2"), ("brandubh", "lines32x2"), ("copenhagen", "lines32x1")],
)
def test_outputs_and_gradients_are_the_programs(rules, shape):
    model = tablut.Model.shipped() if shape == "shipped" else tablut.Model.untrained(shape, seed=5)
    n_smooth = 0
    for game in records(rules, games=6, max_plies=24):
        ours = model.gradients([game], value_share=0.5)
        arrays = tablut.to_arrays([game], value_share=0.5)
        net = twin.LineNet.of(model)
        batch = twin.batch(arrays, range(len(arrays["values"])))
        table, wdl, moves_left = net(batch["planes"], batch["features"])
        row, choice = batch["move_row"], batch["choice"]
        logits = table[row, batch["entry"]] + torch.where(choice >= 0, table[row, choice.clamp(min=0)], 0)
        assert relative(logits.detach().numpy(), ours["logits"]) < 1e-5
        assert relative(wdl.detach().numpy(), ours["wdl"]) < 1e-5
        assert relative(moves_left.detach().numpy(), ours["moves_left"]) < 1e-5
        value, found = gradients(net, batch)
        losses = ours["losses"]
        assert value == pytest.approx(losses["policy"] + losses["value"] + 0.1 * losses["moves_left"], rel=1e-5)
        if is_smooth(model, batch):
            n_smooth += 1
            for name, expected in ours["gradients"].items():
                assert relative(found[name.replace(".", "_")], expected) < 1e-4, name
    assert n_smooth > 0


def test_symmetries_transform_positions_moves_and_choices():
    games = records(["imperial"], games=2)
    arrays, positions = tablut.to_arrays(games), []
    for game in games:
        positions += [game.game(ply) for ply in np.flatnonzero(game.searched)]
    for symmetry in range(8):
        batch = twin.batch(arrays, [3, 0, 7], symmetry=symmetry)
        for row, place in enumerate([3, 0, 7]):
            assert np.array_equal(batch["planes"][row].numpy(), positions[place].planes(symmetry=symmetry))
            mine = (batch["move_row"] == row).numpy()
            index = positions[place].policy_index(symmetry=symmetry).astype(np.int64)
            assert np.array_equal(batch["entry"].numpy()[mine], index[:, 0])
            assert np.array_equal(batch["choice"].numpy()[mine], np.where(index[:, 1] == 65535, -1, index[:, 1]))


def test_a_net_goes_to_pytorch_and_back(model, tmp_path):
    net = twin.LineNet.of(model)
    back = net.model(rules=["kvasir", "brandubh"], card={"about": "a copy"})
    assert back.hash == model.hash and [rules.name for rules in back.rules] == ["kvasir", "brandubh"]
    back.save(tmp_path / "copy.tablut")
    assert tablut.Model.load(tmp_path / "copy.tablut").card["about"] == "a copy"
    games = random_positions(20)
    assert np.array_equal(back.evaluate(games).logits, model.evaluate(games).logits)
    # The program plays with integers, which are close to the floats.
    found = tablut.search(games[0], evaluator=net.evaluate, simulations=0)
    assert np.abs(found.priors - tablut.search(games[0], model, simulations=0).priors).max() < 0.05
    # Weights that an optimiser has changed.
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(0.5)
    assert net.model().hash != model.hash
    assert torch.equal(twin.LineNet("lines32x1", seed=3).value_out_bias, torch.tensor([0.0, -2.25, 0.0]))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_data_loader_makes_batches_in_other_processes(method):
    arrays = tablut.to_arrays(records(["kvasir"]))
    rows = torch.utils.data.BatchSampler(range(64), batch_size=16, drop_last=False)
    loader = torch.utils.data.DataLoader(
        Batches(arrays), sampler=rows, batch_size=None, num_workers=2, multiprocessing_context=method
    )
    found = list(loader)
    assert [len(batch["planes"]) for batch in found] == [16] * 4
    assert torch.equal(found[1]["entry"], twin.batch(arrays, range(16, 32))["entry"])


class Batches(torch.utils.data.Dataset):
    """Batches by the numbers of their rows."""

    def __init__(self, arrays):
        self.arrays = arrays

    def __getitem__(self, rows):
        # A worker can use the package.
        assert tablut.Game("kvasir").legal_moves()
        return twin.batch(self.arrays, rows)
