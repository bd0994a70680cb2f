"""The figure: a panel an experiment, error percentage over time step, as in the paper."""

from collections.abc import Sequence
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import numpy as np

from overbar.experiments.experiment import Experiment
from overbar.simulate.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 200  # of a curve

#: A policy's colour (Okabe and Ito's, which colour-blind readers can tell apart), dashes and marker
#: are the same in every panel; dashes and marker do in black and white.
STYLES = {
    "APT": ("#0072B2", (0, (5, 1.5)), "s"),
    "AugUCB": ("#D55E00", "solid", "o"),
    "UCBE": ("#009E73", (0, (1, 1)), "^"),
    "UCBEV": ("#000000", (0, (6, 1.5, 1, 1.5)), "D"),
    "CSAR": ("#CC79A7", (0, (3, 1, 1, 1, 1, 1)), "v"),
    "UA": ("#777777", (0, (1, 2.5)), "x"),
    "UCBEV(0.25)": ("#56B4E9", (0, (3, 1.5)), "<"),
    "UCBEV(1)": ("#000000", (0, (6, 1.5, 1, 1.5)), "D"),
    "UCBEV(256)": ("#E69F00", (0, (1, 1)), ">"),
}
OTHERS = [
    ("#882255", (0, (4, 2)), "P"),
    ("#117733", (0, (2, 1)), "*"),
    ("#332288", (0, (8, 2)), "h"),
    ("#999933", (0, (4, 1, 1, 1)), "X"),
    ("#661100", (0, (1, 1.5)), "p"),
]


def figure(ran: Sequence[tuple[Experiment, Result]], log: bool = False) -> "Figure":
    """Draw a panel for each experiment, two in a row."""
    from matplotlib.figure import Figure

    columns = min(2, len(ran))
    lines = -(-len(ran) // columns)
    drawn = Figure(figsize=(5.6 * columns, 3.9 * lines), layout="constrained")
    panels = drawn.subplots(lines, columns, squeeze=False).flat
    for panel, (experiment, result) in zip(panels, ran, strict=False):
        _panel(panel, experiment, result, log)
    for panel in list(panels)[len(ran) :]:
        panel.remove()
    drawn.draw_without_rendering()
    drawn.set_layout_engine("none")  # it is laid out, once for all formats
    return drawn


def _panel(panel: "Axes", experiment: Experiment, result: Result, log: bool) -> None:
    steps = np.unique(np.linspace(1, result.budget, POINTS).round().astype(int))
    policies = [*result.policies]
    others = iter(OTHERS * (1 + len(policies) // len(OTHERS)))
    for place, policy in enumerate(policies):
        colour, dashes, marker = STYLES.get(policy) or next(others)
        low, high = (100 * end[steps - 1] for end in result.interval(policy))
        rate = 100 * result.error_rate(policy)[steps - 1]
        if log:
            rate = np.where(rate > 0, rate, np.nan)
        panel.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        panel.plot(
            steps,
            rate,
            color=colour,
            linestyle=dashes,
            linewidth=1.4,
            marker=marker,
            markersize=4.5,
            markevery=(3 * place + 10, max(1, len(steps) // 6)),
            label=policy,
            gid=f"curve {experiment.name} {policy}",
        )
    title = f"Experiment {experiment.name}: " if isinstance(experiment.name, int) else ""
    panel.set_title(f"{title}{experiment.title}", fontsize=10, parse_math=False)
    panel.set_xlabel("time step")
    panel.set_ylabel("error percentage")
    panel.set_xlim(0, result.budget)
    panel.set_gid(f"panel {experiment.name}")
    if log:
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:g}")
        counts = np.concatenate([result.errors(policy)[steps - 1] for policy in policies])
        least = 100 * counts[counts > 0].min(initial=result.repetitions) / result.repetitions
        panel.set_ylim(10.0 ** np.floor(np.log10(0.999 * least)), 120)
    else:
        panel.set_ylim(-2, 104)
    panel.grid(alpha=0.3)
    legend = panel.legend(fontsize=8, ncols=2 if len(policies) > 4 else 1)
    for label in legend.get_texts():
        label.set_parse_math(False)  # a user's $ is a dollar


def png(drawn: "Figure") -> bytes:
    """Return the figure as a PNG picture."""
    content = BytesIO()
    drawn.savefig(content, format="png", dpi=150, metadata={"Software": "overbar"})
    return content.getvalue()


def svg(drawn: "Figure") -> str:
    """Return the figure as SVG, the same bytes for the same figure."""
    from matplotlib import rc_context

    content = StringIO()
    with rc_context({"svg.hashsalt": "overbar", "svg.fonttype": "none"}):
        drawn.savefig(content, format="svg", metadata={"Date": None, "Creator": "overbar"})
    return content.getvalue()
