"""The figure of a plan: the error over the budget, with its band."""

from itertools import cycle

from overbar.planning.plan import Plan
from overbar.report.figure import OTHERS, STYLES, png, svg
from overbar.report.planned import ERRORS


def drawn(plan: Plan, suffix: str) -> bytes:
    """Return the figure as a PNG or an SVG picture."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    panel = figure.subplots()
    others = cycle(OTHERS)
    for curve in plan.curves:
        style = STYLES.get(curve.policy)
        colour, dashes, marker = style if style is not None else next(others)
        budgets = [each.budget for each in curve.forecasts]
        estimates = [each.of(plan.measure) for each in curve.forecasts]
        rate, low, high = ([100 * each[i] for each in estimates] for i in range(3))
        panel.fill_between(budgets, low, high, color=colour, alpha=0.15, linewidth=0)
        panel.plot(
            *(budgets, rate),
            color=colour, linestyle=dashes, marker=marker, markersize=4, linewidth=1.4,
            label=curve.policy,
        )  # fmt: skip
    for error in plan.errors:
        panel.axhline(100 * error, color="0.7", linewidth=0.8, zorder=0)
    panel.set_xscale("log")
    panel.set_ylim(bottom=0)
    panel.set_xlabel("budget, tries")
    panel.set_ylabel(ERRORS[plan.measure])
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
    return png(figure) if suffix == ".png" else svg(figure).encode()
