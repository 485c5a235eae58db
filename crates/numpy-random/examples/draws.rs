//! Draws for whoever compares them with NumPy: a question per line, the bits of the answers.
//!
//! `SEED COUNT METHOD ARGUMENT…` is answered by COUNT times the numbers that the method draws, as
//! 64 bits each in hexadecimal digits.

use numpy_random::{Generator, NumpyRandomState, PythonRandom};
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let [seed, count, kind, method, given @ ..] = &words[..] else { panic!("{line}") };
        let (seed, count) = (seed.parse().expect("a seed"), count.parse().expect("a count"));
        let mut next: Box<dyn FnMut() -> Vec<u64>> = match *kind {
            "Generator" => {
                let mut generator = Generator::new(seed);
                Box::new(move || draw(&mut generator, method, given))
            }
            "RandomState" => {
                let mut generator = NumpyRandomState::new(seed as u32);
                Box::new(move || draw_of_state(&mut generator, method, given))
            }
            _ => {
                let mut generator = PythonRandom::new(seed);
                Box::new(move || draw_of_python(&mut generator, method, given))
            }
        };
        for number in (0..count).flat_map(|_: usize| next()) {
            write!(out, "{number:x} ")?;
        }
        writeln!(out)?;
    }
    out.flush()
}

fn numbers(words: &[&str]) -> Vec<f64> {
    words.iter().map(|word| word.parse().expect("a number")).collect()
}

fn wholes(words: &[&str]) -> Vec<i64> {
    words.iter().filter_map(|word| word.parse().ok()).collect()
}

fn float(x: f64) -> Vec<u64> {
    vec![x.to_bits()]
}

fn whole(x: i64) -> Vec<u64> {
    vec![x as u64]
}

fn places(all: Vec<usize>) -> Vec<u64> {
    all.into_iter().map(|place| place as u64).collect()
}

fn draw_of_state(generator: &mut NumpyRandomState, method: &str, words: &[&str]) -> Vec<u64> {
    match (method, &numbers(words)[..]) {
        ("rand", []) => float(generator.rand()),
        ("uniform", &[low, high]) => float(generator.uniform(low, high)),
        ("randint", _) => whole(generator.randint(wholes(words)[0], wholes(words)[1])),
        ("randn", []) => float(generator.randn()),
        ("normal", &[mean, deviation]) => float(generator.normal(mean, deviation)),
        ("exponential", &[scale]) => float(generator.exponential(scale)),
        ("poisson", &[mean]) => whole(generator.poisson(mean)),
        ("weighted", weights) => vec![generator.weighted(weights) as u64],
        ("weighted_sample", [count, weights @ ..]) => {
            places(generator.weighted_sample(weights, *count as usize))
        }
        ("permutation", &[count]) => places(generator.permutation(count as usize)),
        _ => panic!("nobody draws {method} of {words:?}"),
    }
}

fn draw_of_python(generator: &mut PythonRandom, method: &str, words: &[&str]) -> Vec<u64> {
    match (method, &numbers(words)[..]) {
        ("random", []) => float(generator.random()),
        ("uniform", &[low, high]) => float(generator.uniform(low, high)),
        ("getrandbits", &[count]) => vec![generator.getrandbits(count as u32)],
        ("randrange", _) => whole(generator.randrange(wholes(words)[0], wholes(words)[1])),
        ("randint", _) => whole(generator.randint(wholes(words)[0], wholes(words)[1])),
        ("below", &[count]) => vec![generator.below(count as u64)],
        ("weighted", weights) => vec![generator.weighted(weights) as u64],
        ("sample", &[all, count]) => places(generator.sample(all as usize, count as usize)),
        ("gauss", &[mean, deviation]) => float(generator.gauss(mean, deviation)),
        ("normalvariate", &[mean, deviation]) => float(generator.normalvariate(mean, deviation)),
        ("expovariate", &[rate]) => float(generator.expovariate(rate)),
        ("shuffle", &[count]) => {
            let mut list: Vec<u64> = (0..count as u64).collect();
            generator.shuffle(&mut list);
            list
        }
        _ => panic!("nobody draws {method} of {words:?}"),
    }
}

fn draw(generator: &mut Generator, method: &str, words: &[&str]) -> Vec<u64> {
    match (method, &numbers(words)[..]) {
        ("random_raw", []) => vec![generator.bits()],
        ("random", []) => float(generator.random()),
        ("uniform", &[low, high]) => float(generator.uniform(low, high)),
        ("integers", _) => whole(generator.integers(wholes(words)[0], wholes(words)[1])),
        ("standard_normal", []) => float(generator.standard_normal()),
        ("normal", &[mean, deviation]) => float(generator.normal(mean, deviation)),
        ("lognormal", &[mean, deviation]) => float(generator.lognormal(mean, deviation)),
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
        _ => panic!("nobody draws {method} of {words:?}"),
    }
}
