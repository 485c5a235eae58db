//! A generator continues from its state, and published numbers come out.

use numpy_random::{Bits, Generator, Mt19937, NumpyRandomState, Pcg64, PythonRandom};

#[test]
fn the_ten_thousandth_word_of_the_twister_is_the_published_one() {
    let mut twister = Mt19937::new(5489);
    let last = (0..10_000).map(|_| twister.next_u32()).last();
    assert_eq!(last, Some(4_123_659_995));
}

#[test]
fn the_twister_of_an_array_begins_as_published() {
    let mut twister = Mt19937::of_array(&[0x123, 0x234, 0x345, 0x456]);
    let drawn: Vec<u32> = (0..4).map(|_| twister.next_u32()).collect();
    assert_eq!(drawn, [1_067_595_299, 955_945_823, 477_289_528, 4_107_218_783]);
}

#[test]
fn a_pcg_continues_from_its_words_also_in_the_middle_of_a_number() {
    let mut one = Pcg64::new(3);
    one.next_u64();
    one.next_u32();
    let mut two = Pcg64::of_words(one.words());
    assert_eq!(two, one);
    let of = |pcg: &mut Pcg64| (pcg.next_u32(), pcg.next_u64(), pcg.next_u32(), pcg.words());
    assert_eq!(of(&mut two), of(&mut one));
}

#[test]
fn generators_of_the_twister_continue_from_their_state_with_the_number_they_keep() {
    let mut old = NumpyRandomState::new(3);
    let mut python = PythonRandom::new(3);
    old.randn();
    python.gauss(0.0, 1.0);
    let (words, kept) = old.state();
    let mut other = NumpyRandomState::of_state(&words, kept).expect("a state");
    assert!(kept.is_some() && words.len() == 625);
    assert_eq!([old.randn(), old.randn()], [other.randn(), other.randn()]);
    let (words, kept) = python.state();
    let mut other = PythonRandom::of_state(&words, kept).expect("a state");
    assert_eq!(python.gauss(0.0, 1.0), other.gauss(0.0, 1.0));
    assert_eq!(python.random(), other.random());
}

#[test]
fn words_that_are_no_twister_are_none() {
    let mut words = Mt19937::new(1).words();
    assert!(Mt19937::of_words(&words).is_some());
    assert!(Mt19937::of_words(&words[1..]).is_none() && Mt19937::of_words(&[]).is_none());
    words[624] = 625;
    assert!(Mt19937::of_words(&words).is_none());
}

#[test]
#[should_panic(expected = "at least 0.1")]
fn dirichlet_parameters_that_numpy_treats_in_another_way_are_refused() {
    Generator::new(0).dirichlet(&[0.05, 0.09]);
}
