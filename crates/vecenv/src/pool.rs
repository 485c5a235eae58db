//! The threads of one environment.

use crate::error::Error;
use std::sync::Mutex;

/// The calling thread, and a thread pool of the others where more than one is asked for.
pub(crate) struct Pool {
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    process: u32,
}

impl Pool {
    pub fn new(threads: usize) -> Result<Self, Error> {
        let build = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .thread_name(|i| format!("envwright-{i}"))
                .build()
                .map_err(|error| Error::Pool(error.to_string()))
        };
        let pool = if threads > 1 { Some(build()?) } else { None };
        Ok(Self { threads, pool, process: std::process::id() })
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A fork copies no threads: work given to the pool in the child would never be done.
    pub fn check_process(&self) -> Result<(), Error> {
        match self.pool {
            Some(_) if std::process::id() != self.process => Err(Error::Forked),
            _ => Ok(()),
        }
    }

    /// Runs every task once. All threads take tasks from one queue, the calling thread among
    /// them: it need not wait for the others to wake up.
    pub fn run<T: Send>(&self, mut tasks: Vec<T>, work: impl Fn(&mut T) + Send + Sync) {
        let helpers = self.threads.min(tasks.len()) - 1;
        let queue = Mutex::new(tasks.iter_mut());
        let next = || queue.lock().expect("no task runs under the lock").next();
        let take_part = || {
            while let Some(task) = next() {
                work(task);
            }
        };
        match &self.pool {
            Some(pool) if helpers > 0 => pool.in_place_scope(|scope| {
                (0..helpers).for_each(|_| scope.spawn(|_| take_part()));
                take_part();
            }),
            _ => take_part(),
        }
    }
}

impl Drop for Pool {
    /// A forked child has no threads to stop, and their locks may be held for ever.
    fn drop(&mut self) {
        if self.check_process().is_err() {
            std::mem::forget(self.pool.take());
        }
    }
}
