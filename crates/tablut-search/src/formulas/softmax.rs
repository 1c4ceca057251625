//! The exponential function with the same bits on every machine, and the softmax.

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 in two parts, so that `x − n·ln 2` is exact (Cody and Waite).
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// 1.5 · 2²³. Adding it rounds to the nearest integer, which is then in the low bits.
const ROUND: f32 = 12_582_912.0;
/// Taylor-like minimax coefficients of (eʳ − 1 − r) / r² on |r| ≤ ln 2 / 2 (Cephes `expf`).
const COEFFICIENTS: [f32; 6] = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];

/// eˣ within two units in the last place for x from −87 to 88. Outside this range the result is the value at the nearer
/// bound.
///
/// It consists of additions and multiplications because the C library's `expf` differs between machines, and the
/// results of a search must not. The compiler can also vectorise loops over it.
#[inline]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut p = COEFFICIENTS[0];
    for c in &COEFFICIENTS[1..] {
        p = p * r + c;
    }
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    (p * r * r + r + 1.0) * f32::from_bits(power)
}

/// How many numbers are summed in parallel, so that the loop is vector code. The order is fixed, so the result is
/// reproducible to the bit.
const LANES: usize = 8;

/// Replaces logits by log-probabilities: ℓ(a) − ln Σ exp ℓ(b).
///
/// A logit that is not finite (from a net that diverged) counts as the lowest finite one. If none is finite, all are
/// equal.
pub fn log_softmax(logits: &mut [f32]) {
    let mut highest = [f32::NEG_INFINITY; LANES];
    // Zero times a number is zero only if the number is finite.
    let mut faults = [0.0_f32; LANES];
    for chunk in logits.chunks(LANES) {
        for ((high, fault), logit) in highest.iter_mut().zip(&mut faults).zip(chunk) {
            *high = if *logit > *high { *logit } else { *high };
            *fault += logit * 0.0;
        }
    }
    if faults.iter().any(|fault| fault.is_nan()) {
        mend(logits);
        return log_softmax(logits);
    }
    let highest = highest.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let mut sums = [0.0_f32; LANES];
    for chunk in logits.chunks(LANES) {
        for (sum, logit) in sums.iter_mut().zip(chunk) {
            *sum += exp(logit - highest);
        }
    }
    // Two subtractions, because the sum of a large logit and a small logarithm would be rounded.
    let log_sum = libm::logf(sums.iter().sum::<f32>());
    for logit in logits {
        *logit = (*logit - highest) - log_sum;
    }
}

/// Replaces every logit that is not finite by the lowest finite one.
#[cold]
fn mend(logits: &mut [f32]) {
    let lowest = logits.iter().copied().filter(|l| l.is_finite()).fold(f32::INFINITY, f32::min);
    for logit in logits.iter_mut().filter(|logit| !logit.is_finite()) {
        *logit = if lowest.is_finite() { lowest } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_double_precision() {
        for step in -8700..=8800 {
            let x = step as f32 / 100.0;
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((ours / exact - 1.0).abs() < 2.5e-7, "exp({x}) = {ours}, not {exact}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn log_softmax_is_a_distribution() {
        let table: [(&[f32], &[f32]); 4] = [
            (&[0.0, 0.0, 0.0, 0.0], &[0.25, 0.25, 0.25, 0.25]),
            (&[0.0, 3.0_f32.ln()], &[0.25, 0.75]),
            (&[1000.0, 1000.0], &[0.5, 0.5]),
            (&[f32::NAN, f32::NAN], &[0.5, 0.5]),
        ];
        for (logits, expected) in table {
            let mut found = logits.to_vec();
            log_softmax(&mut found);
            for (log, p) in found.iter().zip(expected) {
                assert!((exp(*log) - p).abs() < 1e-6, "{logits:?} gave {found:?}");
            }
        }
        let mut one_bad = [2.0, f32::NAN, 1.0];
        log_softmax(&mut one_bad);
        assert_eq!(one_bad[1], one_bad[2]);
    }
}
