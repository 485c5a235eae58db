//! Draws for whoever compares them with NumPy: a question per line, the bits of the answers.
//!
//! `SEED COUNT METHOD ARGUMENT…` is answered by COUNT times the numbers that the method draws, as
//! 64 bits each in hexadecimal digits.

use numpy_random::{Continuous, Generator};
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let (seed, count) = (words[0].parse().expect("a seed"), words[1].parse().expect("a count"));
        let mut generator = Generator::new(seed);
        let drawn = (0..count).flat_map(|_: usize| draw(&mut generator, words[2], &words[3..]));
        for number in drawn {
            write!(out, "{number:x} ")?;
        }
        writeln!(out)?;
    }
    out.flush()
}

fn draw(generator: &mut Generator, method: &str, words: &[&str]) -> Vec<u64> {
    let float = |x: f64| vec![x.to_bits()];
    let whole = |x: i64| vec![x as u64];
    let places = |all: Vec<usize>| all.into_iter().map(|place| place as u64).collect();
    let given: Vec<f64> = words.iter().map(|word| word.parse().expect("a number")).collect();
    match (method, &given[..]) {
        ("random_raw", []) => vec![generator.bits()],
        ("random", []) => float(generator.random()),
        ("uniform", &[low, high]) => float(generator.uniform(low, high)),
        ("integers", _) => {
            whole(generator.integers(words[0].parse().unwrap(), words[1].parse().unwrap()))
        }
        ("standard_normal", []) => float(generator.standard_normal()),
        ("normal", &[mean, deviation]) => float(generator.normal(mean, deviation)),
        ("lognormal", &[mean, deviation]) => float(generator.lognormal(mean, deviation)),
        ("standard_exponential", []) => float(generator.standard_exponential()),
        ("exponential", &[scale]) => float(generator.exponential(scale)),
        ("gamma", &[shape, scale]) => float(generator.gamma(shape, scale)),
        ("beta", &[a, b]) => float(generator.beta(a, b)),
        ("triangular", &[left, mode, right]) => float(generator.triangular(left, mode, right)),
        ("dirichlet", alpha) => generator.dirichlet(alpha).into_iter().map(f64::to_bits).collect(),
        ("poisson", &[mean]) => whole(generator.poisson(mean)),
        ("binomial", &[n, p]) => whole(generator.binomial(n as i64, p)),
        ("geometric", &[p]) => whole(generator.geometric(p)),
        ("multinomial", [n, p @ ..]) => {
            generator.multinomial(*n as i64, p).into_iter().map(|count| count as u64).collect()
        }
        ("weighted", weights) => vec![generator.weighted(weights) as u64],
        ("sample", &[all, count]) => places(generator.sample(all as usize, count as usize)),
        ("weighted_sample", [count, weights @ ..]) => {
            places(generator.weighted_sample(weights, *count as usize))
        }
        ("permutation", &[all]) => {
            let mut list: Vec<u64> = (0..all as u64).collect();
            generator.shuffle(&mut list);
            list
        }
        _ => panic!("nobody draws {method} of {given:?}"),
    }
}
