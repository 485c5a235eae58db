//! The threads of one environment.
//!
//! A step of a small game takes microseconds, which is what it takes to wake a sleeping thread:
//! a general thread pool makes such a step slower, not faster. Here a thread that has finished
//! looks out for the next step for a while before it sleeps, nobody waits for a thread that
//! comes late, and every thread begins with the tasks it had last time, which are in its cache.

#![allow(unsafe_code)]

use crate::error::Error;
use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How long a thread looks out before it sleeps.
const LOOK_OUT: Duration = Duration::from_micros(50);
/// How often it looks before it offers its core to others.
const LOOKS_BETWEEN_YIELDS: u32 = 4;

/// The calling thread, and helpers where more than one is asked for.
pub struct Pool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    process: u32,
}

impl Pool {
    /// Starts `threads - 1` helpers.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let mut pool = Self { shared, helpers: Vec::new(), process: std::process::id() };
        for place in 1..threads {
            let shared = Arc::clone(&pool.shared);
            let helper = std::thread::Builder::new()
                .name(format!("envwright-{place}"))
                .spawn(move || shared.help(place))
                .map_err(|error| Error::Pool(error.to_string()))?; // those before end with `pool`
            pool.helpers.push(helper);
        }
        Ok(pool)
    }

    /// The calling thread and its helpers.
    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// A fork copies no threads: nobody would help in the child.
    pub fn check_process(&self) -> Result<(), Error> {
        if self.helpers.is_empty() || std::process::id() == self.process {
            return Ok(());
        }
        Err(Error::Forked)
    }

    /// Runs every task once, on this thread and those that come to help. Alone (`&mut`): two
    /// rounds at once would share a gate, and the helpers of one could outlive its tasks.
    pub fn run<T: Send>(&mut self, mut tasks: Vec<T>, work: impl Fn(&mut T) + Send + Sync) {
        if self.helpers.is_empty() || tasks.len() < 2 {
            return tasks.iter_mut().for_each(work);
        }
        let shares = Shares::new(&mut tasks, self.threads());
        let part = |place: usize| shares.take_part(place, &work);
        self.shared.open(&part, &self.helpers);
        let own = catch_unwind(AssertUnwindSafe(|| part(0)));
        // Also if this thread's part has panicked: the others are still at the tasks.
        let theirs = self.shared.close();
        if let Err(panic) = own {
            resume_unwind(panic);
        }
        if let Some(panic) = theirs {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    /// A forked child has no threads to stop.
    fn drop(&mut self) {
        if self.check_process().is_err() {
            self.helpers.drain(..).for_each(std::mem::forget);
            return;
        }
        self.shared.over.store(true, Ordering::Release);
        for helper in self.helpers.drain(..) {
            helper.thread().unpark();
            // It cannot panic: what it runs is caught.
            let _ = helper.join();
        }
    }
}

// --- who does what --------------------------------------------------------------------------------

/// Tasks divided among threads; each begins with its own and goes on with the others'.
struct Shares<'a, T> {
    tasks: Vec<Mutex<Option<&'a mut T>>>,
    /// Per thread the next task of its share, and where the share ends.
    shares: Vec<(AtomicUsize, usize)>,
}

impl<'a, T: Send> Shares<'a, T> {
    fn new(tasks: &'a mut [T], threads: usize) -> Self {
        let count = tasks.len();
        let first = |place: usize| count * place / threads;
        Self {
            tasks: tasks.iter_mut().map(|task| Mutex::new(Some(task))).collect(),
            shares: (0..threads).map(|i| (AtomicUsize::new(first(i)), first(i + 1))).collect(),
        }
    }

    fn take_part(&self, place: usize, work: &impl Fn(&mut T)) {
        let others = (place + 1..self.shares.len()).chain(0..place);
        for share in std::iter::once(place).chain(others) {
            let (next, end) = &self.shares[share];
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= *end {
                    break;
                }
                // Nobody else has this index: the lock is free, and held for a moment.
                let task = self.tasks[index].lock().expect("no panic under the lock").take();
                work(task.expect("taken once"));
            }
        }
    }
}

// --- how they meet --------------------------------------------------------------------------------

type Part = dyn Fn(usize) + Sync;

/// What the calling thread and its helpers share.
#[derive(Default)]
struct Shared {
    /// How many times `open` was called: what a helper looks out for.
    round: AtomicUsize,
    /// Bit 0: helpers may come in. Above: how many are in.
    gate: AtomicUsize,
    /// What to do; valid while the gate is open or somebody is in.
    part: UnsafeCell<Option<*const Part>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    over: AtomicBool,
}

const OPEN: usize = 1;
const ONE: usize = 2;

// SAFETY: `part` is written only by the calling thread while the gate is closed and nobody is in
// (`open` comes after `close`, which waits for that), and read only by helpers that are in. The
// pointer is to a `Sync` closure, so that they may all call it.
unsafe impl Sync for Shared {}
// SAFETY: as above; the pointer is not used but through `Sync` references.
unsafe impl Send for Shared {}

impl Shared {
    /// Lets the helpers in. `close` must follow before `part` ends.
    fn open<'a>(&self, part: &'a (dyn Fn(usize) + Sync + 'a), helpers: &[JoinHandle<()>]) {
        // SAFETY: the lifetime is forgotten, not extended: `close` comes back only when nobody is
        // in and nobody can come in, and `Pool::run` calls it before `part` is dropped.
        let part =
            unsafe { std::mem::transmute::<&'a (dyn Fn(usize) + Sync + 'a), &'static Part>(part) };
        // SAFETY: the gate is closed and nobody is in.
        unsafe { *self.part.get() = Some(std::ptr::from_ref(part)) };
        self.gate.store(OPEN, Ordering::Release);
        self.round.fetch_add(1, Ordering::Release);
        helpers.iter().map(JoinHandle::thread).for_each(Thread::unpark);
    }

    /// Waits for the helpers that are in; one that comes later finds the gate closed. What one
    /// of them panicked with is given back.
    fn close(&self) -> Option<Box<dyn Any + Send>> {
        self.gate.fetch_and(!OPEN, Ordering::AcqRel);
        let mut waited = 0_u32;
        while self.gate.load(Ordering::Acquire) != 0 {
            waited += 1;
            // A helper may have lost its core to somebody else, perhaps to us.
            if waited.is_multiple_of(4096) {
                std::thread::yield_now()
            } else {
                std::hint::spin_loop()
            }
        }
        self.panic.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
    }

    /// A helper's life.
    fn help(&self, place: usize) {
        let mut seen = 0;
        while let Some(round) = self.next_round(seen) {
            seen = round;
            if self.come_in() {
                // SAFETY: `part` was set before the gate opened, and stays until we have left.
                let part = unsafe { (*self.part.get()).expect("set before") };
                // SAFETY: as above, the closure lives until we have left.
                let work = AssertUnwindSafe(|| unsafe { (*part)(place) });
                if let Err(panic) = catch_unwind(work) {
                    *self.panic.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) =
                        Some(panic);
                }
                self.gate.fetch_sub(ONE, Ordering::Release);
            }
        }
    }

    /// Waits for a round after `seen`; None when there will be no more.
    fn next_round(&self, seen: usize) -> Option<usize> {
        let (since, mut looks) = (Instant::now(), 0_u32);
        loop {
            looks = looks.wrapping_add(1);
            for _ in 0..64 {
                let round = self.round.load(Ordering::Acquire);
                if round != seen {
                    return Some(round);
                }
                std::hint::spin_loop();
            }
            if self.over.load(Ordering::Acquire) {
                return None;
            }
            // On a shared core, whoever we wait for gets it; a free one is ours again at once.
            if looks.is_multiple_of(LOOKS_BETWEEN_YIELDS) {
                std::thread::yield_now();
            }
            if since.elapsed() > LOOK_OUT {
                // A call of `unpark` since the last one ends it at once, also one of a round that
                // was seen long ago: then the second call sleeps, without another look-out.
                std::thread::park();
            }
        }
    }

    fn come_in(&self) -> bool {
        let enter = |gate: usize| (gate & OPEN != 0).then_some(gate + ONE);
        self.gate.fetch_update(Ordering::AcqRel, Ordering::Acquire, enter).is_ok()
    }
}
