//! Training a net on rules from the page, if the program can train.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tablut_session::{TrainingState, TrainingView};

const POLL: Duration = Duration::from_secs(1);

pub trait Trainer: Send + Sync {
    /// Starts to train a new net for a few minutes. `rules` is the text of a rule file.
    fn begin(&self, rules: &str) -> Result<Box<dyn Training>, String>;
}

/// A running training. Dropping it stops it.
pub trait Training: Send {
    fn view(&mut self) -> TrainingView;
    /// Stops it. The net stays in the run's folder.
    fn stop(&mut self);
}

/// The server's training. There is at most one at a time.
pub struct TrainingSlot {
    trainer: Option<Arc<dyn Trainer>>,
    /// Set to stop the running training. `None` if there is none.
    stop: Arc<Mutex<Option<Arc<AtomicBool>>>>,
}

impl TrainingSlot {
    /// A slot for trainings by `trainer`, if the program has one.
    pub fn new(trainer: Option<Arc<dyn Trainer>>) -> Self {
        Self { trainer, stop: Arc::default() }
    }

    pub fn is_available(&self) -> bool {
        self.trainer.is_some()
    }

    /// Starts a training. `report` receives its state repeatedly until it ends.
    pub fn begin(&self, rules: &str, report: impl Fn(TrainingView) + Send + 'static) -> Result<(), String> {
        let trainer = self.trainer.as_ref().ok_or("this program cannot train nets; `tablut serve` can")?;
        let mut slot = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_some() {
            return Err("a training is already running; wait until it ends, or stop it".to_owned());
        }
        let mut training = trainer.begin(rules)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (thread_slot, stopped) = (self.stop.clone(), stop.clone());
        let watch = move || {
            loop {
                if stopped.load(Ordering::Relaxed) {
                    training.stop();
                }
                let view = training.view();
                let over = view.state != TrainingState::Running;
                if over {
                    *thread_slot.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
                report(view);
                if over {
                    return;
                }
                std::thread::park_timeout(POLL);
            }
        };
        std::thread::Builder::new().name("training".to_owned()).spawn(watch).map_err(|error| error.to_string())?;
        *slot = Some(stop);
        Ok(())
    }

    pub fn stop(&self) {
        if let Some(stop) = self.stop.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Ends when it is stopped, or when its state is read for the third time.
    struct Short {
        looks: u64,
        state: TrainingState,
    }

    impl Training for Short {
        fn view(&mut self) -> TrainingView {
            self.looks += 1;
            if self.looks == 3 {
                self.state = TrainingState::Ended;
            }
            let (state, generations) = (self.state.clone(), Vec::new());
            TrainingView {
                rules: String::new(),
                toml: String::new(),
                seconds: self.looks,
                of: 3,
                generations,
                state,
                folder: String::new(),
            }
        }

        fn stop(&mut self) {
            self.state = TrainingState::Ended;
        }
    }

    struct Maker;

    impl Trainer for Maker {
        fn begin(&self, _: &str) -> Result<Box<dyn Training>, String> {
            Ok(Box::new(Short { looks: 0, state: TrainingState::Running }))
        }
    }

    #[test]
    fn one_training_at_a_time_and_another_after_its_end() {
        assert!(TrainingSlot::new(None).begin("", |_| {}).unwrap_err().contains("cannot train"));
        let slot = TrainingSlot::new(Some(Arc::new(Maker)));
        for ended_early in [false, true] {
            let (tell, views) = mpsc::channel();
            slot.begin("", move |view| tell.send(view).unwrap()).unwrap();
            assert_eq!(views.recv().unwrap().state, TrainingState::Running);
            if ended_early {
                slot.stop();
            } else {
                assert!(slot.begin("", |_| {}).unwrap_err().contains("already running"));
            }
            let last = views.iter().last().unwrap();
            assert_eq!(last.state, TrainingState::Ended);
        }
    }
}
