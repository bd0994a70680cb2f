"""Planning: guesses, pilots, forecasts, and the budget that an error takes."""

import importlib.util
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import overbar as ob
from overbar.experiments.toml_file import read_log
from overbar.planning import source, spelled
from overbar.planning.curve import Curve, crossing, curve, problems_for, reach_of
from overbar.planning.forecast import PLAYS, Forecast, Forecaster, over_problems
from overbar.planning.guess import Drawn, Logged, Resampled
from overbar.planning.pilot import PassFail, Results, Scattered, fitted
from overbar.planning.plan import ZONES, plan, usual

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as executor:
        yield executor


def guess(
    means: str, arms: int, rewards: str = "pass-fail", scale: tuple[float, float] = (0, 1)
) -> Drawn:
    return Drawn(spelled.means(means), spelled.rewards(rewards), arms, scale)


def means_of(drawn: Any, seed: int = 0) -> list[float]:
    return [arm.mean for arm in drawn.arms(np.random.default_rng(seed))]


@pytest.mark.parametrize(
    ("means", "mean", "sd"),
    [
        ("beta:20,1", 20 / 21, 0.0454),
        ("uniform:0.2,0.8", 0.5, 0.1732),
        ("normal:0.5,0.1", 0.5, 0.1),
    ],
)
def test_the_means_of_a_guess_are_distributed_as_it_says(
    means: str, mean: float, sd: float
) -> None:
    """20 000 means: four standard errors, one false alarm in 16 000 for each of six figures."""
    drawn = means_of(guess(means, 20_000))
    assert abs(np.mean(drawn) - mean) < 4 * sd / 20_000**0.5
    assert (
        abs(np.std(drawn) - sd) < 4 * 2 * sd / 20_000**0.5
    )  # at most: of the beta, the tail is long


@pytest.mark.parametrize(
    ("rewards", "kind", "variance"),
    [
        ("pass-fail", ob.Bernoulli, lambda r: r * (1 - r)),
        ("gaussian:0.3", ob.Gaussian, lambda r: 0.09),
        ("beta:9", ob.Beta, lambda r: r * (1 - r) / 10),
    ],
)
def test_arms_pay_as_the_guess_says(rewards: str, kind: type, variance: Any) -> None:
    for arm in guess("uniform:0.1,0.9", 30, rewards).arms(np.random.default_rng(1)):
        assert isinstance(arm, kind)
        assert arm.variance == pytest.approx(variance(arm.mean))
        assert 0.1 <= arm.mean <= 0.9


def test_a_scale_maps_means_and_spreads_to_0_and_1() -> None:
    unit = guess("normal:0.7,0.05", 50, "gaussian:0.1").arms(np.random.default_rng(3))
    same = guess("normal:70,5", 50, "gaussian:10", (0, 100)).arms(np.random.default_rng(3))
    for one, other in zip(unit, same, strict=True):
        assert other.parameters == pytest.approx(one.parameters)


def test_a_problem_is_a_function_of_guess_seed_and_number(executor: Executor) -> None:
    few, many, others = (
        Forecaster(guess("beta:5,1", 6), 0.9, executor, seed) for seed in (1, 1, 2)
    )
    many.problems(9)
    assert few.problems(3)[2].arms == many.problems(3)[2].arms
    assert few.problems(1)[0].arms != others.problems(1)[0].arms
    assert few.problems(2)[0].arms != few.problems(2)[1].arms


def test_a_log_pays_what_it_paid_and_may_be_resampled() -> None:
    logged = Logged({"a": [10, 30], "b": [50]}, (0, 100))
    assert [arm.mean for arm in logged.arms(np.random.default_rng(0))] == [0.2, 0.5]
    drawn = means_of(Resampled(logged, 1000))
    assert set(drawn) == {0.2, 0.5}
    assert 400 < drawn.count(0.5) < 600  # by chance once in 4·10⁹
    with pytest.raises(ob.InvalidInput, match="reward of 'a' is 30.* at most 20"):
        Logged({"a": [10, 30]}, (0, 20))


def test_ranges_of_an_experiment_are_drawn_anew(tmp_path: Path, executor: Executor) -> None:
    (tmp_path / "mine.toml").write_text(
        'threshold = 0.5\nindifference = 0.1\nbudget = 50\n[[arms]]\ndistribution = "bernoulli"\n'
        "p = { from = 0.2, to = 0.8 }\ncount = 12\n[policies]\nAPT = {}\n"
    )
    found = source.typed(str(tmp_path / "mine.toml"), "pass-fail", None, (0, 1))
    assert (found.threshold, found.indifference, found.guess.count) == (0.5, 0.1, 12)
    assert not set(means_of(found.guess, 1)) & set(means_of(found.guess, 2))
    assert means_of(found.guess, 1) == means_of(found.guess, 1)


def test_a_forecast_counts_what_a_simulation_counts(executor: Executor) -> None:
    forecaster = Forecaster(guess("uniform:0,1", 8), 0.5, executor, seed=5)
    for policy in (ob.APT(), ob.CSAR(), ob.UniformAllocation()):
        [forecast] = forecaster.forecasts(policy, [60], 7)
        for number, problem in enumerate(forecaster.problems(7)):
            result = ob.simulate(problem, [policy], 60, PLAYS, seed=(5, number))
            assert (result.misjudged(policy.name) == forecast.wrong[number]).all()
        assert forecast.tries <= 60


def test_one_run_of_a_policy_that_knows_no_budget_tells_of_all_budgets(executor: Executor) -> None:
    forecaster = Forecaster(guess("beta:4,1", 10), 0.8, executor)
    together = forecaster.forecasts(ob.AnytimeAugUCB(), [10, 35, 120], 6)
    alone = [forecaster.forecasts(ob.AnytimeAugUCB(), [at], 6)[0] for at in (10, 35, 120)]
    for one, other in zip(together, alone, strict=True):
        assert (one.wrong == other.wrong).all()
        assert one.tries == other.tries
    for policy in (ob.AnytimeAugUCB(), ob.AugUCB()):  # judged on the way, or played for each
        found = curve(forecaster, policy, 100, [0.05], "share", problems=5)
        for each in found.forecasts:
            [alone_] = forecaster.forecasts(policy, [each.budget], 5)
            assert (each.wrong == alone_.wrong).all()


def test_bits_do_not_depend_on_threads() -> None:
    def planned(threads: int) -> list[list[Any]]:
        with ThreadPoolExecutor(threads) as executor:
            forecaster = Forecaster(guess("beta:4,1", 10), 0.8, executor, seed=3)
            found = plan(forecaster, usual(10), [0.1, 0.05], reach=500, problems=20)
        return [[each.wrong.tolist() for each in curve.forecasts] for curve in found.curves]

    assert planned(1) == planned(2)


def test_intervals_over_problems_cover(executor: Executor) -> None:
    """60 problems of 4 plays and 10 arms, alike within a problem: 2000 sets, 95 % nominal.

    The count of a 95 % interval falls below 93 % by chance once in 20 000 runs.
    """
    chance = np.random.default_rng(2)
    for a, b in ((0.5, 9.5), (2, 18), (30, 30)):
        rates = chance.beta(a, b, (2000, 60))
        wrong = chance.binomial(10, rates[:, :, None], (2000, 60, PLAYS)) / 10
        inside = [
            each.low <= a / (a + b) <= each.high
            for each in (over_problems(sample, 10 * PLAYS) for sample in wrong)
        ]
        assert 0.93 < np.mean(inside) < 0.985


def test_an_interval_of_no_error_at_all_is_that_of_so_many_problems() -> None:
    none = over_problems(np.zeros((50, PLAYS)), PLAYS)
    assert none.value == none.low == 0
    assert 0.06 < none.high < 0.08  # Wilson's, for 0 of 48 or so
    every = over_problems(np.ones((50, PLAYS)), PLAYS)
    assert every.high == 1
    assert every.low == pytest.approx(1 - none.high)


@pytest.mark.parametrize(
    ("points", "error", "budget"),
    [
        ([(10, 0.3), (20, 0.1)], 0.2, 15),  # half way in log budget
        ([(10, 0.3), (20, 0.1)], 0.05, None),
        ([(10, 0.04), (20, 0.02)], 0.05, 10),
        ([(10, 0.01), (20, 0.3), (80, 0.1)], 0.2, 40),  # low at first, but not from there on
        ([(10, 0.3), (20, 0.2), (80, 0.2)], 0.2, 20),
    ],
)
def test_the_budget_is_where_the_error_is_last_above(
    points: list[tuple[int, float]], error: float, budget: int | None
) -> None:
    assert crossing(points, error) == budget


def test_the_interval_of_a_budget_is_where_those_of_the_error_cross() -> None:
    chance = np.random.default_rng(0)
    forecasts = [
        Forecast(budget, 20, chance.binomial(20, rate, (100, PLAYS)), budget)
        for budget, rate in ((20, 0.4), (40, 0.2), (80, 0.1), (160, 0.05))
    ]
    need = Curve("some", tuple(forecasts)).needed(0.1, "share")
    assert need.low is not None
    assert need.budget is not None
    assert need.high is not None
    assert 40 < need.low < need.budget < need.high < 160
    assert Curve("some", tuple(forecasts)).needed(0.05, "share").high is None
    assert [each.nine_in_ten for each in forecasts] == [11, 6, 3, 2]


def test_a_curve_ends_when_it_is_low_enough_and_not_before(executor: Executor) -> None:
    forecaster = Forecaster(guess("uniform:0,1", 20), 0.5, executor)
    found = curve(forecaster, ob.APT(), 10**6, [0.1], "share", problems=40)
    assert [each.share.high <= 0.1 for each in found.forecasts[-3:]] == [True] * 3
    assert found.forecasts[-1].budget < 10_000
    high_bar = Forecaster(guess("uniform:0.975,0.985", 10), 0.97, executor)
    found = curve(high_bar, ob.APT(), 10**6, [0.2], "share", problems=40)
    shares = [each.share.value for each in found.forecasts]  # at first, one failure is a verdict
    assert shares[0] < 0.05
    assert max(shares) > 0.2
    assert (found.needed(0.2, "share").budget or 0) > 300


def test_effort_is_bounded() -> None:
    for K in (1, 10, 300, 100_000):
        for measure in ("share", "any"):
            reach = reach_of(K, measure)
            assert K <= reach <= 1000 * K
            problems = problems_for(K, measure, reach)
            assert 8 <= problems <= 400
            assert problems * PLAYS * reach <= 4 * 10**8


def test_the_zone_that_is_offered_suffices_and_a_narrower_one_does_not(executor: Executor) -> None:
    forecaster = Forecaster(guess("uniform:0.4,0.6", 10), 0.5, executor)
    found = plan(forecaster, {"APT": ob.APT()}, [0.1], budget=200, problems=20)
    assert found.curves[0].forecasts[-1].share.value > 0.1
    [zone] = found.zones
    assert zone.indifference is not None
    place = ZONES.index(zone.indifference)
    errors = [
        forecaster.indifferent(width).forecasts(ob.APT(), [200], 20)[0].share.value
        for width in ZONES[place - 1 : place + 1]
    ]
    assert errors[0] > 0.1 >= errors[1]


def test_an_arm_on_the_bar_takes_more_than_any_budget(executor: Executor) -> None:
    forecaster = Forecaster(Logged({"on it": [0.0, 1.0], "off": [1.0]}), 0.5, executor)
    found = plan(forecaster, {"APT": ob.APT()}, [0.1], reach=2000, problems=40)
    assert found.curves[0].needed(0.1, "share").budget is None
    assert found.zones[0].indifference == ZONES[0]


def test_policies_that_cannot_play_are_told_of(executor: Executor) -> None:
    forecaster = Forecaster(guess("uniform:0,1", 3), 0.5, executor)
    found = plan(forecaster, {"Aug": ob.AugUCB(), "APT": ob.APT()}, [0.1], budget=30, problems=5)
    assert [curve.policy for curve in found.curves] == ["APT"]
    assert "Aug cannot play: the number of arms is 3" in found.cannot[0]
    with pytest.raises(ob.InvalidInput, match="at least 4 for AugUCB"):
        plan(forecaster, {"Aug": ob.AugUCB()}, [0.1], budget=30, problems=5)


def piloted(policy: ob.Policy, arms: list[Any], tau: float, budget: int, seed: int) -> Results:
    """Return the results of a pilot that the policy played."""
    problem = ob.Problem(arms, tau)
    steps = ob.trace(problem, policy, budget, seed=seed)
    return Results.of({f"{i}": steps.rewards[steps.arms == i] for i in range(problem.K)}, (0, 1))


@pytest.mark.parametrize("policy", [ob.APT(), ob.UniformAllocation()], ids=["APT", "UA"])
def test_a_pilot_finds_the_distribution_of_pass_fail_arms(policy: ob.Policy) -> None:
    """50 pilots of 60 arms from beta(8, 1): the 95 % interval of their mean holds it 43 times.

    Fewer by chance once in 310 runs. Of the mean of the means as they came, the error is larger.
    """
    chance = np.random.default_rng(4)
    held = []
    off, raw = [], []
    for number in range(50):
        arms = [ob.Bernoulli(p) for p in chance.beta(8, 1, 60).tolist()]
        results = piloted(policy, arms, 0.9, 300, number)
        pilot = PassFail(results)
        drawn = [pilot._drawn(chance) for _ in range(200)]
        means = [a / (a + b) for a, b in drawn]
        held.append(np.quantile(means, 0.025) <= 8 / 9 <= np.quantile(means, 0.975))
        off.append(abs(np.std(means_of(pilot, number)) - 0.0994))
        raw.append(abs(np.std(results.mean[results.n > 0]) - 0.0994))
    assert sum(held) >= 43
    assert np.mean(off) < 0.6 * np.mean(raw)


def test_a_pilot_finds_the_distribution_of_arms_whose_rewards_scatter() -> None:
    """100 arms of normal(0.6, 0.08), five rewards of sd 0.2 each: four standard errors, or so."""
    chance = np.random.default_rng(5)
    arms = [ob.Gaussian(mean, 0.2) for mean in chance.normal(0.6, 0.08, 100).tolist()]
    results = piloted(ob.UniformAllocation(), arms, 0.6, 500, 1)
    pilot = fitted("p", results)
    assert isinstance(pilot, Scattered)
    assert pilot.sd == pytest.approx(0.2, abs=0.03)
    drawn = np.array([means_of(pilot, seed) for seed in range(200)])
    assert drawn.std(axis=1).mean() == pytest.approx(0.08, abs=0.04)
    assert np.std(results.mean[results.n > 0]) > 0.11  # as they came
    truth = np.array([arm.mean for arm in arms])
    off_by = (drawn.mean(axis=0) - truth) / drawn.std(axis=0)
    assert 0.8 < np.mean(np.abs(off_by) < 1.96) <= 1.0  # 95 of 100, ± 4 · 2.2
    others = means_of(fitted("p", results, 1000))
    assert len(others) == 1000
    assert np.std(others) == pytest.approx(0.08, abs=0.04)


def test_a_pilot_with_many_results_tells_a_small_spread() -> None:
    """The density is then far narrower than any grid that serves for few results."""
    chance = np.random.default_rng(1)
    mean, size = 0.531, 3000  # log a/b = 0.125: between the points of the coarse grid
    rates = chance.binomial(1000, chance.beta(mean * size, (1 - mean) * size, 1000)) / 1000
    results = Results(np.full(1000, 1000.0), rates, rates * (1 - rates), True)
    assert np.std(means_of(PassFail(results, 10_000))) == pytest.approx(0.0091, rel=0.2)

    means = chance.normal(0.5, 0.001, 300) + chance.normal(0, 0.3 / 1e5**0.5, 300)
    scattered = Scattered(Results(np.full(300, 1e5), means, np.full(300, 0.09), False))
    drawn = [np.std(means_of(scattered, seed)) for seed in range(20)]
    assert np.mean(drawn) == pytest.approx(0.001, rel=0.2)


def test_an_arm_of_a_pilot_is_drawn_given_its_own_results() -> None:
    results = Results.of({"good": [1] * 40, "bad": [0] * 40, "new": [], "a": [1, 0]}, (0, 1))
    drawn = np.array([means_of(fitted("p", results), seed) for seed in range(300)])
    good, bad, new, _ = drawn.T
    assert good.min() > 0.7
    assert bad.max() < 0.3
    assert new.std() > 0.2


def test_arms_of_a_pilot_that_always_pay_the_same_are_as_they_paid() -> None:
    pilot = fitted("p", Results.of({"a": [0.3] * 2, "b": [0.5] * 2, "c": [0.9] * 2}, (0, 1)))
    assert means_of(pilot) == pytest.approx([0.3, 0.5, 0.9], abs=1e-6)


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        ({"a": [1], "b": [0], "c": [1]}, "0 of 3 arms with two results.*0.667 here.*a --guess"),
        ({"a": [1, 0], "b": [1, 0], "c": [1]}, "2 of 3 arms with two results"),
        ({"a": [], "b": []}, "0 of 2 arms with two results"),
        ({"a": [1, 1], "b": [1, 1], "c": [1, 1]}, "1 in every result.*whose results differ"),
    ],
)
def test_pilots_that_do_not_tell_how_arms_differ(
    rewards: dict[str, list[float]], message: str
) -> None:
    with pytest.raises(ob.InvalidInput, match=message):
        fitted("p", Results.of(rewards, (0, 1)))


def test_a_pilot_is_all_that_the_log_of_a_campaign_holds(tmp_path: Path) -> None:
    file = str(tmp_path / "overbar.db")
    with ob.Campaign.create("p", ["a", "b"], 60, 9, scale=(0, 100), database=file) as campaign:
        first, second, third = campaign.ask(3)
        campaign.tell(first, 70)
        campaign.fail(second)
        campaign.tell(second, 30)  # late
        campaign.tell(third, 20)
        campaign.tell("b", 40)  # nobody asked for it
    rewards, threshold, scale = source._of_campaign("p", file)
    told = {first.arm: [70.0], second.arm: [30.0]}
    told[third.arm] = sorted([*told[third.arm], 20.0])
    told["b"] = sorted([*told["b"], 40.0])
    assert {arm: sorted(each) for arm, each in rewards.items()} == told
    assert (threshold, scale) == (60, (0, 100))


def test_a_log_says_how_much_of_its_spread_is_luck(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    rows = [f"{i},{int(chance.random() < 0.7)}" for i in range(40) for _ in range(5)]
    (tmp_path / "alike.csv").write_text("\n".join(["arm,reward", *rows]))
    note = source.logged(tmp_path / "alike.csv", None, (0, 1)).note
    assert "% of the variance of the logged means is luck" in note
    assert int(note.split()[0]) > 60
    rows = [f"{i},{int(chance.random() < i / 10)}" for i in range(11) for _ in range(200)]
    (tmp_path / "unlike.csv").write_text("\n".join(["arm,reward", *rows]))
    assert source.logged(tmp_path / "unlike.csv", None, (0, 1)).note == ""
    assert len(read_log(tmp_path / "unlike.csv")) == 11
    (tmp_path / "even.csv").write_text("arm,reward\na,1\na,0\nb,0\nb,1\n")
    assert source.logged(tmp_path / "even.csv", None, (0, 1)).note == ""
    (tmp_path / "once.csv").write_text("arm,reward\na,1\nb,0\n")
    assert source.logged(tmp_path / "once.csv", None, (0, 1)).note.endswith("than they look.")


@pytest.fixture(scope="module")
def holds() -> Any:
    spec = importlib.util.spec_from_file_location("forecasts_hold", DOCS / "forecasts_hold.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_what_the_script_prints(holds: Any, executor: Executor) -> None:
    page = (DOCS / "planning.md").read_text("utf-8")
    assert holds.row(holds.answer(holds.Question.number(9), executor)) in page.splitlines()
    rows = [line for line in page.splitlines() if " – " in line and line.startswith("| ")]
    assert len(rows) == 20
    for what in ("error", "budget"):
        missed = sum(f"{what} missed" in row or f"{what} and" in row for row in rows)
        assert f"the {what}: {20 - missed} of 20 hold" in page


def test_forecasts_hold_on_other_problems(holds: Any, executor: Executor) -> None:
    """Twenty questions, small ones: 95 % intervals, and fresh means with a tenth of the variance.

    So 94 % should hold; 15 or fewer of twenty do by chance once in 158 runs.
    """
    held = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(20):
            asked = holds.Question.number(number)
            asked = replace(asked, arms=min(asked.arms, 15), budget=150)
            planned, fresh = (
                asked.forecaster(executor, seed).forecasts(asked.policy, [150], problems)
                for seed, problems in ((1, 60), (2, 600))
            )
            forecast, afresh = (each[0].of(asked.measure) for each in (planned, fresh))
            held += forecast.low <= afresh.value <= forecast.high
    assert held > 15
