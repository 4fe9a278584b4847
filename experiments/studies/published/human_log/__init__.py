"""Recount the human judgments behind the best items of 50 questions (Yan 2022, chapter 5).

The files of this study:

    log       the public log, and counts of what is in it
    copies    where prefBest places a copy of the best item
"""

from rankduel.experiments.studies.published.human_log.copies import copy_places
from rankduel.experiments.studies.published.human_log.log import counts_of_log
from rankduel.experiments.studies.shared.papers import NONE, YAN_2022
from rankduel.experiments.studies.study import (
    Between,
    Check,
    Computed,
    Exact,
    Finding,
    Measure,
    Report,
    Size,
    Study,
    Use,
)

KNOWN = {
    "questions": 50,
    "passages": 1570,
    "smallest pool": 5,
    "largest pool": 130,
    "median pool": 15,
    "judgments of final I": 984,
    "Set-I items": 75,
    "Set-II items": 75,
    "Combined-I+II items": 66,
    "Set-I and Set-II items": 25,
    "Set-I and Set-II questions": 22,
    "Combined-I+II and Set-I items": 44,
    "Combined-I+II and Set-I questions": 40,
    "Combined-I+II and Set-II items": 44,
    "Combined-I+II and Set-II questions": 39,
    # Both sets have questions with four best passages, different ones; the combined set has none.
    "Set-I ties of four": 1,
    "Set-II ties of four": 1,
    "Combined-I+II ties of four": 0,
    "question 508292: passages": 103,
    "question 508292: tied for first": 2,
    # From the released files; the thesis does not use final III.
    "Set-III items": 80,
    "Combined-I+II+III items": 55,
    "Set-I as published": 50,
    "Set-II as published": 50,
    "Set-III as published": 50,
    "Combined-I+II as published": 50,
    "Combined-I+II+III as published": 50,
}

STUDY = Study(
    id="human-log",
    title="Human judgments, recounted",
    source="Yan 2022 (thesis, University of Waterloo), chapter 5, and its public files",
    papers={"": YAN_2022, "Set-III": NONE, "Combined-I+II+III": NONE, "copies_in_the_final": NONE},
    question="Do the public judgments give the published best items?",
    data="judgments.txt and *.qrels of github.com/XinyiYan/duelingBandits, in the data folder; without them "
    "all claims about the log are skipped",
    parts=(
        Computed("replay", counts_of_log, cached=False),
        Computed("copies", copy_places, "case-a", sizes={"quick": Size(1, 300)}),
    ),
    checks=(
        *(
            Check(
                name.replace(": ", "_").replace(" ", "_"),
                f"{name}: {value}",
                Exact(Measure("replay", name, "value"), value),
                f"{value}",
            )
            for name, value in KNOWN.items()
        ),
        Check(
            "copies",
            "5.2: in pools of more than 9, 9 of 12 copies of a best passage are also among the best five",
            Between(Measure("copies", "copy in the top five", "value"), 0.5, 0.9),
            ".75 with human judgments (.47 to .91 with 95 % confidence); here with simulated judgments of "
            "100 items and a copy of the best",
        ),
        Check(
            "copies_in_the_final",
            "share of runs in which the copy of a finalist is a finalist, too",
            Report(Measure("copies", "copy in the final", "value")),
            "not in the thesis",
        ),
    ),
    minutes={"quick": 0.1},
    findings=(
        Finding(
            "**The human judgments can be recounted to the last item.** All {same.value:.0f} questions of "
            "the public log give the published best passages. Repeating the final round changes most of "
            "them: the two rounds share a best passage in only {shared.value:.0f} of {questions.value:.0f} "
            "questions.",
            {
                "same": Use("Combined-I+II_as_published"),
                "shared": Use("Set-I_and_Set-II_questions"),
                "questions": Use("questions"),
            },
        ),
    ),
)
