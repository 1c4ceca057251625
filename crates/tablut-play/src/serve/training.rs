//! Training a net on somebody's rules: the program that serves the page may be able to, the page only watches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tablut_session::{TrainingState, TrainingView};

/// How often a training is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Something that can train nets.
pub trait Trainer: Send + Sync {
    /// Begins to train a net from nothing on the rules of a rule file's text, for a few minutes.
    fn begin(&self, rules: &str) -> Result<Box<dyn Training>, String>;
}

/// A training under way. Dropping it ends it.
pub trait Training: Send {
    /// How it stands.
    fn look(&mut self) -> TrainingView;
    /// Ends it; what it has learnt stays in its folder.
    fn stop(&mut self);
}

/// The one place for a training that a server has.
pub struct TrainingPlace {
    trainer: Option<Arc<dyn Trainer>>,
    /// Set to end the one under way; none where there is none.
    stop: Arc<Mutex<Option<Arc<AtomicBool>>>>,
}

impl TrainingPlace {
    /// A place for trainings by `trainer`, if the program has one.
    pub fn new(trainer: Option<Arc<dyn Trainer>>) -> Self {
        Self { trainer, stop: Arc::default() }
    }

    /// Whether nets can be trained here.
    pub fn is_open(&self) -> bool {
        self.trainer.is_some()
    }

    /// Begins a training; `tell` hears how it stands, again and again until it has ended.
    pub fn begin(&self, rules: &str, tell: impl Fn(TrainingView) + Send + 'static) -> Result<(), String> {
        let trainer = self.trainer.as_ref().ok_or(
            "this program cannot train nets: it is the small one; `tablut serve`, built with the trainer, can",
        )?;
        let mut place = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() {
            return Err("a training is under way already; wait for its end, or end it".to_owned());
        }
        let mut training = trainer.begin(rules)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (places, stopped) = (self.stop.clone(), stop.clone());
        let watch = move || {
            loop {
                if stopped.load(Ordering::Relaxed) {
                    training.stop();
                }
                let view = training.look();
                let over = view.state != TrainingState::Running;
                if over {
                    *places.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
                tell(view);
                if over {
                    return;
                }
                std::thread::park_timeout(LOOK_EVERY);
            }
        };
        std::thread::Builder::new().name("training".to_owned()).spawn(watch).map_err(|error| error.to_string())?;
        *place = Some(stop);
        Ok(())
    }

    /// Ends the training under way, if there is one.
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

    /// Ends when it is told to, or is looked at for the third time.
    struct Short {
        looks: u64,
        state: TrainingState,
    }

    impl Training for Short {
        fn look(&mut self) -> TrainingView {
            self.looks += 1;
            if self.looks == 3 {
                self.state = TrainingState::Ended;
            }
            let (state, generations) = (self.state.clone(), Vec::new());
            TrainingView { rules: String::new(), seconds: self.looks, of: 3, generations, state, folder: String::new() }
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
        assert!(TrainingPlace::new(None).begin("", |_| {}).unwrap_err().contains("cannot train"));
        let place = TrainingPlace::new(Some(Arc::new(Maker)));
        for ended_early in [false, true] {
            let (tell, told) = mpsc::channel();
            place.begin("", move |view| tell.send(view).unwrap()).unwrap();
            assert_eq!(told.recv().unwrap().state, TrainingState::Running);
            if ended_early {
                place.stop();
            } else {
                assert!(place.begin("", |_| {}).unwrap_err().contains("under way"));
            }
            let last = told.iter().last().unwrap();
            assert_eq!(last.state, TrainingState::Ended);
        }
    }
}
