//! Whether so many lanes fit into memory, asked before any of it is taken.

use crate::error::Error;
use std::fs;

const MEGABYTE: u64 = 1 << 20;

/// Refuses more lanes than there is memory for, as far as the system tells how much is free.
pub fn check_memory(lanes: usize, lane_bytes: usize) -> Result<(), Error> {
    free_memory().map_or(Ok(()), |free| fits(lanes, lane_bytes as u64, free))
}

fn fits(lanes: usize, lane_bytes: u64, free: u64) -> Result<(), Error> {
    let needed = (lanes as u64).saturating_mul(lane_bytes);
    if needed <= free {
        return Ok(());
    }
    let most = free / lane_bytes;
    Err(Error::Memory { lanes, needed: needed / MEGABYTE, free: free / MEGABYTE, most })
}

/// Bytes that Linux says are free, for the machine and for this group of processes.
fn free_memory() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let machine = available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    Some(group.map_or(machine, |(most, used)| machine.min(most.saturating_sub(used))))
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::{available, fits};

    #[test]
    fn what_does_not_fit_is_refused_with_how_many_would() {
        assert!(fits(100, 1 << 20, 100 << 20).is_ok());
        let refused = fits(101, 1 << 20, 100 << 20).expect_err("too many");
        let said = "101 environments take about 101 MB and 100 MB are free; choose at most 100";
        assert_eq!(refused.to_string(), said);
        assert!(fits(usize::MAX, u64::MAX, 1 << 40).is_err(), "and no sum goes over");
        assert!(fits(usize::MAX, 0, 0).is_ok(), "a size that nobody told");
    }

    #[test]
    fn linux_tells_kilobytes() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(available("MemTotal: 9 kB"), None);
    }
}
