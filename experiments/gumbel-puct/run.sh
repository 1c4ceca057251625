#!/bin/sh
# Gumbel search against PUCT with the same net and the same simulations, on the six source rule sets.
# Usage, from the repository's root after `cargo build --release`:
#   sh experiments/gumbel-puct/run.sh models/all-rules.tablut > runs/gumbel-puct.txt
set -eu
net=${1:?the model file}
tablut=${TABLUT:-target/release/tablut}
for simulations in 16 32; do
    for rules in piecepack imperial ludoteka linnaeus masters kvasir; do
        "$tablut" match "net:$net@$simulations,method=gumbel" "net:$net@$simulations,method=puct" --rules "$rules" --games 1000 --sprt=0,20 -q
    done
done
