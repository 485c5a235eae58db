//! `GameBoys`: many Game Boys with the same cartridge, a frame or more at a time.

use ::gameboy::{Area, HEIGHT, Machine, Rom, WIDTH};
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Arc, Mutex, MutexGuard};
use vecenv::{MAX_LANES, MAX_THREADS, Pool, check_memory};
use vecenv_python::batch::{each, locked, pool, within};
use vecenv_python::buffers::{Argument, Buffers};

/// Many emulators of one cartridge.
#[pyclass(frozen, module = "envwright._native")]
pub struct GameBoys {
    count: usize,
    threads: usize,
    cgb: bool,
    title: String,
    batch: Mutex<Batch>,
}

struct Batch {
    machines: Vec<Machine>,
    pool: Pool,
}

impl Batch {
    /// Does `work` on every machine with its share of `rows`.
    fn each<T: Send>(
        &mut self,
        rows: impl Iterator<Item = T>,
        work: impl Fn(&mut Machine, &mut T) + Send + Sync,
    ) -> PyResult<()> {
        let tasks = self.machines.iter_mut().zip(rows).collect();
        let bug = "an emulator stopped on a bug; restore its snapshot to go on";
        each(&mut self.pool, tasks, bug, |(machine, row)| work(machine, row))
    }
}

#[derive(Clone, Copy)]
enum ScreenKind {
    Rgb,
    Gray,
    Index,
    Small,
}

impl ScreenKind {
    fn named(name: &str) -> PyResult<Self> {
        match name {
            "rgb" => Ok(Self::Rgb),
            "gray" => Ok(Self::Gray),
            "index" => Ok(Self::Index),
            "small" => Ok(Self::Small),
            _ => Err(PyValueError::new_err(format!(
                "there is no screen of kind '{name}'; choose 'rgb', 'gray', 'index' or 'small'"
            ))),
        }
    }

    fn shape(self, count: usize) -> Vec<usize> {
        match self {
            Self::Rgb => vec![count, HEIGHT, WIDTH, 3],
            Self::Gray | Self::Index => vec![count, HEIGHT, WIDTH],
            Self::Small => vec![count, HEIGHT / 2, WIDTH / 2],
        }
    }

    fn write(self, machine: &Machine, out: &mut [u8]) {
        match self {
            Self::Rgb => machine.screen_rgb(out),
            Self::Gray => machine.screen_gray(out),
            Self::Index => machine.screen_index(out),
            Self::Small => machine.screen_small(out),
        }
    }
}

fn refuse(error: ::gameboy::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl GameBoys {
    fn batch(&self) -> PyResult<MutexGuard<'_, Batch>> {
        locked(&self.batch, "these emulators are")
    }

    /// Does `work` on one machine.
    fn with<T>(&self, index: i64, work: impl FnOnce(&mut Machine) -> T) -> PyResult<T> {
        let mut batch = self.batch()?;
        let machine = usize::try_from(index).ok().and_then(|i| batch.machines.get_mut(i));
        machine.map(work).ok_or_else(|| {
            let last = self.count - 1;
            PyValueError::new_err(format!(
                "there is no emulator {index}; indices go from 0 to {last}"
            ))
        })
    }
}

/// `length` addresses from `address` on, none beyond 0xFFFF.
fn addresses(address: i64, length: usize) -> PyResult<std::ops::RangeInclusive<u16>> {
    let last = i64::try_from(length).ok().and_then(|length| address.checked_add(length - 1));
    match (u16::try_from(address), last.map(u16::try_from)) {
        (Ok(first), Some(Ok(last))) if length > 0 => Ok(first..=last),
        _ => Err(PyValueError::new_err(format!(
            "{length} bytes from address {address:#x} are not within 0x0000 to 0xFFFF; choose one or more that are"
        ))),
    }
}

#[pymethods]
impl GameBoys {
    #[new]
    #[pyo3(signature = (rom, count = 1, threads = 1, cgb = None, boot = None))]
    fn new(
        py: Python<'_>,
        rom: &[u8],
        count: i64,
        threads: i64,
        cgb: Option<bool>,
        boot: Option<&[u8]>,
    ) -> PyResult<Self> {
        let count = within("count", count, MAX_LANES)?;
        let threads = within("threads", threads, MAX_THREADS)?;
        let rom = Arc::new(Rom::new(rom).map_err(refuse)?);
        let title = rom.title();
        let first = py.detach(|| Machine::new(rom, cgb, boot)).map_err(refuse)?;
        check_memory(count, first.bytes())
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let cgb = first.cgb();
        let machines = vec![first; count];
        let batch = Mutex::new(Batch { machines, pool: pool(threads)? });
        Ok(Self { count, threads, cgb, title, batch })
    }

    #[getter]
    fn count(&self) -> usize {
        self.count
    }

    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    #[getter]
    fn cgb(&self) -> bool {
        self.cgb
    }

    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    fn hold(&self, buttons: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batch = self.batch()?;
        let argument = Argument { name: "buttons", value: buttons, shape: vec![self.count] };
        let buttons = Buffers::default().readable::<u8>(argument)?;
        for (machine, &held) in batch.machines.iter_mut().zip(buttons.as_slice()?) {
            machine.hold(held);
        }
        Ok(())
    }

    #[pyo3(signature = (frames, render = true))]
    fn tick(&self, py: Python<'_>, frames: i64, render: bool) -> PyResult<()> {
        let frames = u64::try_from(frames).map_err(|_| {
            PyValueError::new_err(format!("frames is {frames}; choose zero or more"))
        })?;
        let batch = &mut *self.batch()?;
        let rows = 0..self.count;
        py.detach(|| batch.each(rows, |machine, _| machine.tick(frames, render)))
    }

    fn screens(&self, out: &Bound<'_, PyAny>, kind: &str) -> PyResult<()> {
        let kind = ScreenKind::named(kind)?;
        let batch = &mut *self.batch()?;
        let argument = Argument { name: "out", value: out, shape: kind.shape(self.count) };
        let mut array = Buffers::default().writable::<u8>(argument)?;
        let pixels = array.as_slice_mut()?;
        let rows = pixels.chunks_exact_mut(pixels.len() / self.count);
        out.py().detach(|| batch.each(rows, |machine, row| kind.write(machine, row)))
    }

    #[pyo3(signature = (index, address, length = 1))]
    fn peek<'py>(
        &self,
        py: Python<'py>,
        index: i64,
        address: i64,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let range = addresses(address, length)?;
        let bytes: Vec<u8> = self.with(index, |m| range.map(|at| m.peek(at)).collect())?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn poke(&self, index: i64, address: i64, data: &[u8]) -> PyResult<()> {
        let range = addresses(address, data.len())?;
        self.with(index, |machine| range.zip(data).for_each(|(at, &byte)| machine.poke(at, byte)))
    }

    fn peek_all(&self, addresses: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batch = self.batch()?;
        let length = match addresses.cast::<PyUntypedArray>() {
            Ok(array) if array.ndim() == 1 && array.len() > 0 => array.len(),
            _ => {
                return Err(PyValueError::new_err(
                    "addresses is no list of addresses; pass a NumPy array of uint16 with one axis",
                ));
            }
        };
        let mut buffers = Buffers::default();
        let argument = Argument { name: "addresses", value: addresses, shape: vec![length] };
        let addresses = buffers.readable::<u16>(argument)?;
        let argument = Argument { name: "out", value: out, shape: vec![self.count, length] };
        let mut out = buffers.writable::<u8>(argument)?;
        let addresses = addresses.as_slice()?;
        let rows = out.as_slice_mut()?.chunks_exact_mut(length);
        for (machine, row) in batch.machines.iter_mut().zip(rows) {
            row.iter_mut().zip(addresses).for_each(|(byte, &at)| *byte = machine.peek(at));
        }
        Ok(())
    }

    fn cycles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let batch = self.batch()?;
        Ok(PyArray1::from_iter(py, batch.machines.iter().map(Machine::cycles)))
    }

    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let batch = self.batch()?;
        Ok(PyArray1::from_iter(py, batch.machines.iter().map(Machine::frames)))
    }

    fn registers<'py>(&self, py: Python<'py>, index: i64) -> PyResult<Bound<'py, PyDict>> {
        let r = self.with(index, |machine| machine.registers())?;
        let named = PyDict::new(py);
        for (name, value) in
            [("A", r.a), ("F", r.f), ("B", r.b), ("C", r.c), ("D", r.d), ("E", r.e)]
        {
            named.set_item(name, value)?;
        }
        for (name, value) in [("HL", r.hl), ("SP", r.sp), ("PC", r.pc)] {
            named.set_item(name, value)?;
        }
        Ok(named)
    }

    fn memory<'py>(&self, py: Python<'py>, index: i64) -> PyResult<Bound<'py, PyDict>> {
        let areas = [
            ("wram", Area::Wram),
            ("hram", Area::Hram),
            ("vram", Area::Vram),
            ("oam", Area::Oam),
            ("cartridge", Area::Cartridge),
        ];
        let named = PyDict::new(py);
        for (name, area) in areas {
            let bytes = self.with(index, |machine| machine.memory(area))?;
            named.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok(named)
    }

    fn save_state<'py>(&self, py: Python<'py>, index: i64) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(index, |machine| machine.save_state())?))
    }

    fn load_state(&self, index: i64, state: &[u8]) -> PyResult<()> {
        self.with(index, |machine| machine.load_state(state))?.map_err(refuse)
    }

    fn snapshot<'py>(&self, py: Python<'py>, index: i64) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(index, |machine| machine.snapshot())?))
    }

    fn restore(&self, index: i64, snapshot: &[u8]) -> PyResult<()> {
        self.with(index, |machine| machine.restore(snapshot))?.map_err(refuse)
    }

    fn fault(&self, index: i64) -> PyResult<Option<String>> {
        self.with(index, |machine| machine.fault().map(|fault| fault.to_string()))
    }

    fn __repr__(&self) -> String {
        let Self { count, threads, title, .. } = self;
        format!("<GameBoys '{title}': {count} emulators, {threads} threads>")
    }
}
