"""The zoo: one room per environment. This module only says which rooms there are."""

from envwright.core.registry import EnvSpec, register

register(
    EnvSpec(
        id="cartpole",
        version=1,
        title="CartPole",
        summary="balance a pole on a cart; the classic of 1983",
        backends={"jax": "envwright.zoo.cartpole.env:CartPole"},
        room="envwright.zoo.cartpole",
        reference="gymnasium:CartPole-v1",
    )
)

register(
    EnvSpec(
        id="pong",
        version=1,
        title="Pong",
        summary="one paddle against a scripted one, to 21 points; PufferLib's",
        backends={
            "jax": "envwright.zoo.pong.env:Pong",
            "rust": "envwright.zoo.pong.native:NativePong",
        },
        room="envwright.zoo.pong",
        reference="python:envwright.zoo.pong.reference:PongReference",
    )
)

register(
    EnvSpec(
        id="halfcheetah",
        version=1,
        title="HalfCheetah",
        summary="two legs in a plane that learn to run; MuJoCo's physics",
        backends={
            "jax": "envwright.zoo.halfcheetah.env:HalfCheetah",
            "rust": "envwright.zoo.halfcheetah.native:NativeHalfCheetah",
        },
        room="envwright.zoo.halfcheetah",
        reference="python:envwright.zoo.halfcheetah.reference:CheetahReference",
    )
)

register(
    EnvSpec(
        id="gameboy",
        version=1,
        title="GameBoy",
        summary="games of the Game Boy, Emberkeep unless another is named; PyBoy's",
        backends={"rust": "envwright.zoo.gameboy.native:NativeGameBoy"},
        room="envwright.zoo.gameboy",
        reference="python:envwright.zoo.gameboy.reference:GameBoyReference",
    )
)

register(
    EnvSpec(
        id="pokemon",
        version=1,
        title="Pokemon",
        summary="battles of generation 9, two players at once; Showdown's, seed for seed",
        backends={
            "jax": "envwright.zoo.pokemon.env:PokemonBattles",
            "rust": "envwright.zoo.pokemon.vector:NativePokemon",
        },
        room="envwright.zoo.pokemon",
        reference="Showdown (@pkmn/sim 0.10.11)",
    )
)

register(
    EnvSpec(
        id="tcgpocket",
        version=1,
        title="TcgPocket",
        summary="the card game, two players in turn; a reference engine of our own",
        backends={"jax": "envwright.zoo.tcgpocket.against:tcgpocket"},
        room="envwright.zoo.tcgpocket",
        reference="python:envwright.zoo.tcgpocket.reference.lanes:ReferenceGames",
    )
)
