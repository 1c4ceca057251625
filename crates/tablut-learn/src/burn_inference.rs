//! Inference with burn: the reference for the CPU engine, also for other devices.

use burn::tensor::Device;
use burn::tensor::activation::softmax;
use tablut_net::{Inference, InputBatch, MOVES_LEFT_UNIT, NetError, OutputBatch, POLICY_ENTRIES, Weights};

use crate::model::{BurnNet, host_values};

/// A net on a burn device.
pub struct BurnInference {
    net: BurnNet,
    device: Device,
}

impl BurnInference {
    /// The net on the CPU, with burn's flex backend.
    pub fn cpu(weights: &Weights) -> Self {
        Self::on(weights, Device::flex())
    }

    /// The net on `device`, which must not be an autodiff device.
    pub fn on(weights: &Weights, device: Device) -> Self {
        Self { net: BurnNet::new(weights, &device), device }
    }
}

impl Inference for BurnInference {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        input.validate()?;
        output.clear();
        if input.n == 0 {
            return Ok(());
        }
        let outputs = self.net.forward(input, &self.device);
        let table = host_values(outputs.policy).map_err(failed)?;
        for (row, table) in table.chunks_exact(POLICY_ENTRIES).enumerate() {
            output.logits.extend(input.moves[input.move_range(row)].iter().map(|index| index.logit(table)));
        }
        let wdl = host_values(softmax(outputs.wdl, 1)).map_err(failed)?;
        output.wdl.extend(wdl.chunks_exact(3).map(|row| [row[0], row[1], row[2]]));
        let moves_left = host_values(outputs.moves_left).map_err(failed)?;
        output.moves_left.extend(moves_left.iter().map(|units| units * MOVES_LEFT_UNIT));
        Ok(())
    }
}

fn failed(error: impl std::fmt::Display) -> NetError {
    NetError::Inference(error.to_string())
}
