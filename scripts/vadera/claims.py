"""The paper's main claims, each as lines with numbers and whether it holds here and in print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from oblique.compare.paired import compare_pair
from oblique.compare.published import find_published

from .designs import Measured

UNPRUNED = {"LDT": "ldt", "OC1": "oc1", "AP": "ap", "RLP": "rlp"}
PRUNED = {
    "LDT": "ldt_safe_pruned", "OC1": "oc1_pruned", "AP": "ap_pruned", "RLP": "rlp_pruned",
}  # fmt: skip
RIVALS = ("OC1", "AP", "RLP")
#: Sets on which the paper itself takes its claim of safer trees back, once trees are pruned.
EXCEPTED = {"pruned": ("breast_cancer_complete",), "unpruned": ()}


class Lead(NamedTuple):
    """By how much LDT is above its rivals on one set and share of rows, in points."""

    dataset: str
    protocol: str
    means: dict[str, float]
    rival: str
    lead: float
    ci: float
    corrected_ci: float
    printed_lead: float
    printed_ci: float

    @property
    def holds(self) -> bool:
        """Whether LDT's mean is at least that of every rival."""
        return self.lead >= 0.0

    @property
    def is_no_loss(self) -> bool:
        """Whether the interval of the least lead reaches zero."""
        return self.lead + self.ci >= 0.0


def find_leads(measured: Measured, pruning: str, measure: str) -> list[Lead]:
    """LDT's least paired lead over OC1, AP and RLP, on every data set and share."""
    names = PRUNED if pruning == "pruned" else UNPRUNED
    pairs = {
        rival: compare_pair(measured.cells, names["LDT"], names[rival], measure) for rival in RIVALS
    }
    table = measured.means.set_index(["dataset", "protocol", "strategy"])[measure]
    leads = []
    for dataset, protocol in pairs["AP"]:
        found = {rival: pairs[rival][dataset, protocol] for rival in RIVALS}
        worst = min(RIVALS, key=lambda rival: found[rival].mean)
        means = {key: 100 * table[dataset, protocol, name] for key, name in names.items()}
        printed = {key: find_published(dataset, protocol, name) for key, name in names.items()}
        theirs = {key: 100 * getattr(row, measure) for key, row in printed.items()}
        best = max(RIVALS, key=lambda rival: theirs[rival])
        widths = [100 * getattr(printed[key], f"{measure}_ci") for key in ("LDT", best)]
        least = found[worst]
        leads.append(
            Lead(
                dataset=dataset,
                protocol=protocol,
                means=means,
                rival=worst,
                lead=100 * least.mean,
                ci=100 * least.ci,
                corrected_ci=100 * least.corrected_ci,
                printed_lead=theirs["LDT"] - theirs[best],
                printed_ci=sum(widths),
            )
        )
    return leads


def write_safer(measured: Measured) -> Iterator[str]:
    """Yield claim 1: LDT's unsafe accuracy is at least that of OC1, AP and RLP."""
    for pruning in ("unpruned", "pruned"):
        leads = find_leads(measured, pruning, "unsafe_accuracy")
        excepted = EXCEPTED[pruning]
        but = f", on all sets but {', '.join(excepted)}" if excepted else ", on every set"
        yield f"\n### LDT's unsafe accuracy is at least that of OC1, AP and RLP, {pruning}{but}\n"
        yield _heading("least lead over")
        for each in leads:
            # Printed figures are tenths; their differences carry rounding.
            there = "holds" if each.printed_lead > -0.05 else "does not hold"
            verdict = "holds" if each.holds else "**does not hold**"
            if each.holds and each.lead - each.ci > 0:
                verdict += ", interval above 0"
            if each.dataset in excepted:
                there, verdict = f"{there} (excepted)", f"{verdict} (excepted)"
            yield _line(each, verdict, there)
        claimed = [each for each in leads if each.dataset not in excepted]
        yield "\n" + (
            f"Holds in {sum(each.holds for each in claimed)} of {len(claimed)} rows here, with "
            f"an interval above 0 in {sum(each.lead > each.ci for each in claimed)}; in print in "
            f"{sum(each.printed_lead > -0.05 for each in claimed)}."
        )


def write_no_loss(measured: Measured) -> Iterator[str]:
    """Yield claim 2: LDT loses no overall accuracy that is significant."""
    for pruning in ("unpruned", "pruned"):
        leads = find_leads(measured, pruning, "accuracy")
        yield f"\n### LDT loses no significant overall accuracy, {pruning}\n"
        yield _heading("least lead over")
        for each in leads:
            # The sum of half widths: intervals that touch.
            there = each.printed_lead + each.printed_ci > -0.05
            yield _line(
                each,
                "holds" if each.is_no_loss else "**does not hold**",
                "holds" if there else "does not hold",
            )
        corrected = sum(each.lead + each.corrected_ci >= 0.0 for each in leads)
        yield "\n" + (
            f"Holds in {sum(each.is_no_loss for each in leads)} of {len(leads)} rows here "
            f"({corrected} with intervals corrected for splits that share rows); in print, where "
            "two intervals that touch count as no loss, in "
            f"{sum(each.printed_lead + each.printed_ci > -0.05 for each in leads)}."
        )


def write_deep(measured: Measured) -> Iterator[str]:
    """Yield claim 3: unpruned trees of RLP are much deeper than the others."""
    yield "\n### RLP's unpruned trees are the deepest\n"
    yield "| set | split | LDT | OC1 | AP | RLP | here | RLP in print | there |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | --- |"
    table = measured.means.set_index(["dataset", "protocol", "strategy"])["depth"]
    names = dict.fromkeys((d, p) for d, p, s in table.index if s == "rlp")
    for dataset, protocol in names:
        depths = {key: table[dataset, protocol, name] for key, name in UNPRUNED.items()}
        rows = {key: find_published(dataset, protocol, name) for key, name in UNPRUNED.items()}
        printed = {key: row.depth for key, row in rows.items()}
        cells = " | ".join(f"{depths[key]:.1f}" for key in UNPRUNED)
        here, there = (
            "holds" if found["RLP"] >= max(found.values()) else "does not hold"
            for found in (depths, printed)
        )
        here = here if here == "holds" else f"**{here}**"
        yield f"| {dataset} | {protocol} | {cells} | {here} | {printed['RLP']:.1f} | {there} |"


def _heading(lead: str) -> str:
    columns = ["set", "split", *UNPRUNED, lead, "± paired", "± corrected", "here", "lead in print"]
    rule = ["---", "---", *["---:"] * 4, "---:", "---:", "---:", "---", "---:", "---"]
    return f"| {' | '.join([*columns, 'there'])} |\n| {' | '.join(rule)} |"


def _line(each: Lead, here: str, there: str) -> str:
    means = " | ".join(f"{value:.1f}" for value in each.means.values())
    return (
        f"| {each.dataset} | {each.protocol} | {means} | {each.rival} {each.lead:+.1f} "
        f"| {each.ci:.1f} | {each.corrected_ci:.1f} | {here} | {each.printed_lead:+.1f} | {there} |"
    )
