"""overbar paper: the paper's evaluation."""

import click


@click.command()
@click.option("--experiments", default="1,2,3,4,5,6", show_default=True, help="Which, by number.")
@click.option("--repetitions", type=click.IntRange(min=1), default=500, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), help="By default one a core.")
def paper(experiments: str, repetitions: int, seed: int, threads: int | None) -> None:
    """Run the experiments of "Thresholding Bandits with Augmented UCB"."""
    from rich.console import Console
    from rich.table import Table

    from overbar.errors import InvalidInput
    from overbar.experiments.paper import NUMBERS, written
    from overbar.simulate import simulate

    console = Console()
    for each in experiments.split(","):
        if each.strip() not in map(str, NUMBERS):
            raise InvalidInput("the experiment", each, "one of 1, 2, 3, 4, 5, 6")
        experiment = written(int(each), seed)
        result = simulate(
            experiment.problem(),
            experiment.policies,
            experiment.budget,
            repetitions,
            experiment.seed,
            threads,
        )
        table = Table(
            title=f"Experiment {each.strip()}: {experiment.title}\n"
            f"wrong answers, in % of {repetitions} repetitions"
        )
        table.add_column("policy")
        steps = range(2000, experiment.budget + 1, 2000)
        for step in steps:
            table.add_column(f"t = {step}", justify="right")
        for policy in result.policies:
            rates = 100 * result.error_rate(policy)
            table.add_row(policy, *(f"{rates[step - 1]:.1f}" for step in steps))
        console.print(table)
