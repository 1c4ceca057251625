#!/usr/bin/env python3
"""Compares the outputs of the Rust player with PyTorch's: `check.py NET.safetensors OUTPUTS.json`, where OUTPUTS.json is from
`line-nets outputs RULES NET.safetensors`."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

import nets

path = Path(sys.argv[1])
net = nets.net("-".join(path.stem.split("-")[1:-1]))
net.load_state_dict(load_file(path))
worst = 0.0
rows = json.loads(Path(sys.argv[2]).read_text())
for row in rows:
    planes = torch.tensor(row["planes"]).view(1, 16, 9, 9)
    batch = dict(planes=planes, features=torch.tensor([row["features"]]), entries=torch.tensor([row["entries"]]))
    batch["side"] = planes[:, 4, 0, 0].long()
    with torch.no_grad():
        logits, outcome, left = net(batch)
    ours = torch.tensor(row["logits"] + row["wdl"] + [row["left"] / 32])
    theirs = torch.cat([logits[0], outcome[0].softmax(0), left])
    worst = max(worst, float((ours - theirs).abs().max()))
print(f"{len(rows)} positions, greatest difference {worst:.2e}")
