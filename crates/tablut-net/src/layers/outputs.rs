//! From the value head's last layer to the outputs of a net.

/// Unit of the moves-left output, in plies.
pub const MOVES_LEFT_UNIT: f32 = 32.0;

pub(crate) struct ValueOutput {
    /// Probabilities that the attackers win, that the game is drawn, and that the defenders win.
    pub wdl: [f32; 3],
    /// Expected plies until the end.
    pub moves_left: f32,
}

impl ValueOutput {
    /// From the logits of attackers win, draw, defenders win, and the moves left before the softplus.
    pub fn of([attackers, draw, defenders, moves_left]: [f32; 4]) -> Self {
        Self { wdl: softmax([attackers, draw, defenders]), moves_left: softplus(moves_left) * MOVES_LEFT_UNIT }
    }
}

fn softmax(logits: [f32; 3]) -> [f32; 3] {
    let max = logits[0].max(logits[1]).max(logits[2]);
    let exps = logits.map(|logit| libm::expf(logit - max));
    let sum = exps[0] + exps[1] + exps[2];
    exps.map(|exp| exp / sum)
}

/// `ln(1 + exp(x))`, without overflow for large `x`.
pub(crate) fn softplus(x: f32) -> f32 {
    x.max(0.0) + libm::log1pf(libm::expf(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softmax_survives_large_logits() {
        assert_eq!(softmax([1000.0, 0.0, -1000.0]), [1.0, 0.0, 0.0]);
        assert_eq!(softmax([5.0, 5.0, 5.0]), [1.0 / 3.0; 3]);
    }

    #[test]
    fn the_softplus_is_ln_2_at_zero_and_the_identity_far_up() {
        assert_eq!(softplus(0.0), std::f32::consts::LN_2);
        assert_eq!(softplus(100.0), 100.0);
        assert!(softplus(-100.0) >= 0.0);
    }
}
