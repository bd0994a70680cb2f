"""Whether forecasts hold: a plan beside fresh simulation, on random questions; see planning.md.

    python docs/forecasts_hold.py [QUESTIONS] [FIRST]

A question is drawn from its number: how many arms, what is guessed of them, what they pay, the
bar, a policy, a budget and an error. The planner answers with the error that the budget gives and
with the budget that the error takes. Then other problems of the guess, ten times as many and of
another seed, are played: with that budget, and with both ends of the interval of the other. The
error should be inside its interval, and the interval of the budget should reach from where the
error is too high to where it is not.
"""

import sys
import warnings
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from math import comb

import numpy as np

import overbar as ob
from overbar.planning import spelled
from overbar.planning.curve import curve, problems_for
from overbar.planning.forecast import Estimate, Forecaster, Measure
from overbar.planning.guess import Drawn

POLICIES = (ob.AnytimeAugUCB(), ob.APT(), ob.AugUCB(), ob.UniformAllocation())
PLANNED, FRESH = 1, 2  # seeds
REACH = 300  # tries an arm that are looked at
TIMES = 10  # as many problems, afresh
HOLD = 0.938  # of 95 % intervals, beside fresh figures with a tenth of their variance


@dataclass(frozen=True)
class Question:
    """What is asked of the planner."""

    means: str
    rewards: str
    arms: int
    threshold: float
    policy: ob.Policy
    budget: int
    error: float
    measure: Measure

    @classmethod
    def number(cls, number: int) -> "Question":
        """Draw a question."""
        chance = np.random.default_rng((7, number))
        kind, rewards = chance.choice(["beta", "uniform", "normal"]), "pass-fail"
        if kind == "beta":
            a, b = np.round(np.exp(chance.uniform(np.log(0.5), np.log(20), 2)), 1)
            means = f"beta:{a:g},{b:g}"
        elif kind == "uniform":
            low, high = np.sort(chance.choice(np.arange(21), 2, replace=False)) / 20
            means = f"uniform:{low:g},{high:g}"
        else:
            means = f"normal:{chance.uniform(0.4, 0.6):.2f},{chance.uniform(0.05, 0.3):.2f}"
            rewards = f"gaussian:{chance.uniform(0.1, 0.6):.1f}"
        measure: Measure = "any" if number % 5 == 4 else "share"
        most = 300 if measure == "share" else 40  # of many arms, one is always misjudged
        arms = int(np.exp(chance.uniform(np.log(5), np.log(most))))
        guess = Drawn(spelled.means(means), spelled.rewards(rewards), 1000)
        drawn = [arm.mean for arm in guess.arms(chance)]
        threshold = float(np.clip(np.quantile(drawn, chance.uniform(0.1, 0.9)), 0.02, 0.98))
        return cls(
            *(means, rewards, arms, round(threshold, 2)),
            POLICIES[number % len(POLICIES)],
            int(arms * np.exp(chance.uniform(np.log(3), np.log(100)))),
            *(float(chance.choice((0.05, 0.1) if measure == "share" else (0.3, 0.5))), measure),
        )

    def forecaster(self, executor: Executor, seed: int) -> Forecaster:
        """Return what forecasts, with that seed."""
        guess = Drawn(spelled.means(self.means), spelled.rewards(self.rewards), self.arms)
        return Forecaster(guess, self.threshold, executor, seed)


@dataclass(frozen=True)
class Answer:
    """What was forecast, and what came out afresh."""

    question: Question
    forecast: Estimate
    afresh: float
    budget: tuple[int | None, int | None, int | None]  # what the error takes, and its interval
    error_at_the_ends: tuple[float | None, float | None]

    @property
    def error_holds(self) -> bool:
        """Whether the error is inside the interval of its forecast."""
        return self.forecast.low <= self.afresh <= self.forecast.high

    @property
    def budget_holds(self) -> bool:
        """Whether the interval of the budget holds the budget that the error takes."""
        low, high = self.error_at_the_ends
        error, K = self.question.error, self.question.arms
        not_below = low is None or low >= error or self.budget[1] == K  # no budget is less than K
        return not_below and (high is None or high <= error)


def answer(question: Question, executor: Executor) -> Answer:
    """Ask the planner, and play afresh."""
    policy, measure, K = question.policy, question.measure, question.arms
    planned, fresh = (question.forecaster(executor, seed) for seed in (PLANNED, FRESH))

    def error(of: Forecaster, budget: int, times: int = 1) -> Estimate:
        count = times * problems_for(K, measure, budget)
        return of.forecasts(policy, [budget], count)[0].of(measure)

    forecast = error(planned, question.budget)
    afresh = error(fresh, question.budget, TIMES).value
    reach = REACH * K
    need = curve(planned, policy, reach, [question.error], measure).needed(question.error, measure)
    low = error(fresh, need.low or reach, TIMES).value
    high = None if need.high is None else error(fresh, need.high, TIMES).value
    return Answer(question, forecast, afresh, (need.budget, need.low, need.high), (low, high))


def main(questions: str = "20", first: str = "0") -> None:
    """Answer the questions, and print a line for each."""
    warnings.simplefilter("ignore")  # AugUCB with few arms
    count = int(questions)
    print("| arms | policy | budget: error | afresh | error: budget | error there, afresh | |")
    print("| --- | --- | --- | ---: | --- | --- | --- |")
    answers = []
    with ThreadPoolExecutor(2) as executor:
        for number in range(int(first), int(first) + count):
            each = answer(Question.number(number), executor)
            answers.append(each)
            print(row(each), flush=True)
    for what, held in (
        ("the error", sum(each.error_holds for each in answers)),
        ("the budget", sum(each.budget_holds for each in answers)),
    ):
        chance = sum(comb(count, k) * HOLD**k * (1 - HOLD) ** (count - k) for k in range(held + 1))
        print(f"\n{what}: {held} of {count} hold; as few or fewer by chance: p = {chance:.2g}")


def row(each: Answer) -> str:
    """Return an answer as a row of a table."""
    q = each.question
    value, low, high = (f"{100 * x:.1f}" for x in each.forecast)
    at = [f"{100 * x:.1f}" if x is not None else "" for x in each.error_at_the_ends]
    need, start, end = ("over" if x is None else str(x) for x in each.budget)
    missed = " and ".join(
        what
        for what, held in (("error", each.error_holds), ("budget", each.budget_holds))
        if not held
    )
    said = (
        f"{q.arms} {q.means} {q.rewards}, bar {q.threshold:g}",
        f"{q.policy.name}, {q.measure}",
        f"{q.budget}: {value} ({low} – {high})",
        f"{100 * each.afresh:.1f}",
        f"{100 * q.error:g}: {need}" + (f" ({start} – {end})" if each.budget[1] else ""),
        f"{at[0]} – {at[1]}" if at[1] else f"{at[0]} –",
        f"{missed} missed" if missed else "",
    )
    return f"| {' | '.join(said)} |"


if __name__ == "__main__":
    main(*sys.argv[1:])
