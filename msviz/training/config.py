"""What a run is: data, method, model, batches, optimiser, and when it ends. One table of its fields feeds them all."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from msviz.core.errors import MsvizError, out_of_range, shown
from msviz.core.losses.spec import ParamInfo, check, param, param_infos
from msviz.core.methods import METHODS, Method
from msviz.core.npair import Pairing, members
from msviz.core.scheme import Scheme
from msviz.training.models import MODELS
from msviz.training.sources import Glyphs, Source, source_from_json, source_to_json
from msviz.training.training_set import HOWS


@dataclass(frozen=True)
class Choice:
    """A field that is one of a few words.

    Args:
        name: the field.
        default: the word when nobody chooses one.
        options: all words.
        help: one sentence that says what is chosen.
    """

    name: str
    default: str
    options: tuple[str, ...]
    help: str


def _choice(default: str, options: tuple[str, ...], help: str) -> Any:
    return dataclasses.field(default=default, metadata={"options": options, "help": help})


def _whole(letter: str, default: int, low: int, high: int, help: str, step: int = 1) -> Any:
    return param(letter, default, low, high, help, step=step, whole=True)


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides a run: the same config gives the same numbers, on a CPU to the last bit.

    Args:
        data: what is learnt from, a record of `msviz.training.SOURCES`.
        method: the loss, its parameters and its mining margin.
        model: "points" (every item a free point), "linear", "mlp" or "cnn" (images).
        dimensions: of an embedding, 2..512; 2 or 3 can be drawn as they are.
        width: of the hidden layers, 1..1024.
        classes_per_batch: P, classes in a batch, 2..512.
        per_class: K, items of each, 2..512; the batch has P x K items.
        optimiser: "adam", or "sgd" with momentum 0.9.
        learning_rate: > 0 and <= 1000; from about 1 upward it is there to see a run explode.
        steps: updates, 1..1000000.
        seed: 0..2^31 - 1; decides the split, the initial weights and the batches.
        split: "classes", "items", "none", or "auto" (see `split`; free points are never split).
        pretrain_steps: updates as a classifier of the training classes before, 0..100000.
        pretrain_learning_rate: > 0 and <= 1000.
        device: "auto" (CUDA, else MPS, else CPU), "cpu", "cuda" or "mps".
        precision: "auto" (bfloat16 on CUDA, else float32), "float32", "float64", or "bfloat16" for autocast.
        evaluate_every: steps between evaluations on the validation side, 0..100000; 0 = only at the end.
        probe_size: items whose embeddings are followed, 0..512.
        patience: evaluations without a better Recall@1 before the run ends, 0..1000; 0 = never.
        target_recall: validation Recall@1 at which the run ends, 0..1; 0 = never.
        pairing: who meets whom in a batch: "all", or "triplets", "tuplets", "npair", which take 3, P + 1 and 2 items of
            a class and no others.
        mine_classes: C, 0 or P..512; every batch is of the P hardest of C random classes (see `mine_classes` of the
            core), as the network embeds two examples of each just then; 0 = P random classes.
        negatives: "batch", or "loop": a negative is as similar as the closest points of two arcs are.
        similarity: "cosine", or "dot" for dot products, for which norms count.
        norm_penalty: 0..1, the strength of the penalty on squared norms; dot products alone have one.

    Raises:
        MsvizError: error.parameter_range; error.pairing_members; error.scheme_loop for LoOp of dot products.

    Example:
        >>> config = TrainConfig(method=METHODS["ms"], model="mlp", steps=100)
        >>> config.as_json()["method"]["loss"], TrainConfig.from_json(config.as_json()) == config
        ('multi_similarity', True)
    """

    data: Source = dataclasses.field(default_factory=Glyphs)  # embedded; its unseen classes are hard, yet soon learnt
    method: Method = METHODS["authors"]
    model: str = _choice("cnn", tuple(MODELS), "What turns an item into an embedding.")
    dimensions: int = _whole("d", 64, 2, 512, "Dimensions of an embedding; 2 or 3 are drawn as they are.")
    width: int = _whole("width", 64, 1, 1024, "Width of the hidden layers: more can be learnt, steps take longer.")
    classes_per_batch: int = _whole("P", 16, 2, 512, "Classes in a batch: more of them give harder negatives.")
    per_class: int = _whole("K", 5, 2, 512, "Items of each class in a batch: more of them give harder positives.")
    optimiser: str = _choice("adam", ("adam", "sgd"), "How weights follow the gradient; sgd has momentum 0.9.")
    learning_rate: float = param(
        "learning rate", 1e-3, 0, 1000, "How far a step goes.", low_open=True, scale="log", step=1e-4
    )
    steps: int = _whole("steps", 800, 1, 1_000_000, "Updates after which the run ends.", step=100)
    seed: int = _whole("seed", 0, 0, 2**31 - 1, "Decides the split, the initial weights and the batches.")
    split: str = _choice("auto", HOWS, "Which items are kept away from training, to measure retrieval on.")
    pretrain_steps: int = _whole(
        "steps before", 0, 0, 100_000, "Steps as a classifier of the training classes, before the loss.", step=100
    )
    pretrain_learning_rate: float = param(
        "learning rate before", 1e-3, 0, 1000, "How far such a step goes.", low_open=True, scale="log", step=1e-4
    )
    device: str = _choice("auto", ("auto", "cpu", "cuda", "mps"), "Where it is computed.")
    precision: str = _choice(
        "auto", ("auto", "float32", "float64", "bfloat16"), "Numbers of the model; the loss has at least float32."
    )
    evaluate_every: int = _whole(
        "evaluate every", 50, 0, 100_000, "Steps between two measurements of retrieval; 0: only at the end.", step=10
    )
    probe_size: int = _whole("probe", 64, 0, 512, "Items that the board follows through the run.", step=8)
    patience: int = _whole("patience", 0, 0, 1000, "Measurements without a better Recall@1 that end a run; 0: none.")
    target_recall: float = param("target", 0.0, 0, 1, "Validation Recall@1 that ends a run; 0: none.")
    pairing: str = _choice(
        "all",
        tuple(kind.value for kind in Pairing),
        "Who meets whom; triplets take K = 3, tuplets K = P + 1, npair K = 2.",
    )
    mine_classes: int = _whole("C", 0, 0, 512, "Every batch is of the P hardest of so many random classes; 0: off.")
    negatives: str = _choice(
        "batch", ("batch", "loop"), "The batch's own negatives, or LoOp's: the closest points of two arcs."
    )
    similarity: str = _choice("cosine", ("cosine", "dot"), "Cosines, or dot products, for which norms count.")
    norm_penalty: float = param(
        "norm penalty", 0.0, 0, 1, "What a unit of squared norm costs, with dot products; 0: nothing.", step=0.001
    )

    def __post_init__(self) -> None:
        check(self)
        for field in FIELDS.values():
            if isinstance(field, Choice) and getattr(self, field.name) not in field.options:
                raise out_of_range(field.name, f"one of {', '.join(field.options)}", getattr(self, field.name))
        if self.model == "points" and self.split not in ("auto", "none"):
            raise out_of_range("split", "none, for free points know nothing of items that are kept away", self.split)
        if self.model == "points" and self.pretrain_steps:
            raise out_of_range("pretrain_steps", "0 for free points", self.pretrain_steps)
        self._check_scheme()

    def _check_scheme(self) -> None:
        scheme = self.scheme  # which refuses LoOp of dot products
        need = self.per_class if self.pairing == Pairing.ALL else members(self.pairing, self.classes_per_batch)
        if self.per_class != need:
            raise MsvizError(
                "error.pairing_members",
                "{pairing} of {classes} classes take {need} items of each, got {got}; set per_class (K) to {need}",
                pairing=self.pairing,
                classes=self.classes_per_batch,
                need=need,
                got=self.per_class,
            )
        if 0 < self.mine_classes < self.classes_per_batch:
            bounds = f"0, or at least the {self.classes_per_batch} classes of a batch"
            raise out_of_range("mine_classes", bounds, self.mine_classes, "C")
        if scheme.penalty and scheme.normalize:
            bounds = "0 with cosines, for which norms do not count"
            raise out_of_range("norm_penalty", bounds, self.norm_penalty, "norm penalty")

    @property
    def scheme(self) -> Scheme:
        """How a batch is compared."""
        return Scheme(
            pairing=Pairing(self.pairing),
            loop=self.negatives == "loop",
            normalize=self.similarity == "cosine",
            penalty=self.norm_penalty,
        )

    @property
    def batch_size(self) -> int:
        """P x K."""
        return self.classes_per_batch * self.per_class

    def as_json(self) -> dict[str, Any]:
        """This config as plain JSON values: numbers, words, and a dictionary for data and method each."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**plain, "data": source_to_json(self.data), "method": method_to_json(self.method)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> TrainConfig:
        """The config of what `as_json` gave; fields that are left out keep their defaults.

        Args:
            plain: field -> value. `method` may also be a name in `msviz.METHODS`.

        Raises:
            MsvizError: error.config_field for a name that is no field, error.parameter_range and those of the source.
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for name in plain:
            if name not in known:
                raise MsvizError(
                    "error.config_field",
                    "a run has no setting {name}; it has {known}",
                    name=shown(name),
                    known=", ".join(known),
                )
        values = dict(plain)
        if "data" in values:
            values["data"] = source_from_json(values["data"])
        if "method" in values:
            values["method"] = method_from_json(values["method"])
        return cls(**values)


def _fields() -> dict[str, ParamInfo | Choice]:
    numbers = {info.name: info for info in param_infos(TrainConfig)}
    words = {
        field.name: Choice(field.name, str(field.default), **field.metadata)
        for field in dataclasses.fields(TrainConfig)
        if "options" in field.metadata
    }
    both: dict[str, ParamInfo | Choice] = {**numbers, **words}
    return {field.name: both[field.name] for field in dataclasses.fields(TrainConfig) if field.name in both}


FIELDS: Final = _fields()
"""What page controls and command line flags are made of: every field that is a number or one of a few words."""


def method_to_json(method: Method) -> dict[str, Any]:
    """A method as plain JSON values.

    Args:
        method: any.

    Example:
        >>> method_to_json(Method("triplet", lam=0.2))
        {'loss': 'triplet', 'lam': 0.2, 'epsilon': None}
    """
    return {"loss": method.name, **dataclasses.asdict(method.params), "epsilon": method.epsilon}


def method_from_json(plain: Any) -> Method:
    """The method of what `method_to_json` gave, or of a name in `msviz.METHODS`.

    Args:
        plain: a dictionary with "loss", parameters and "epsilon", or a name.

    Raises:
        MsvizError: error.parameter_range when it is neither, and those of `Method`.

    Example:
        >>> method_from_json({"loss": "triplet", "lam": 0.2})
        Method('triplet', lam=0.2, epsilon=None)
    """
    if isinstance(plain, str) and plain in METHODS:
        return METHODS[plain]
    if not isinstance(plain, Mapping) or not isinstance(plain.get("loss"), str):
        raise out_of_range("method", f'one of {", ".join(METHODS)}, or a dictionary with "loss"', plain)
    values = dict(plain)
    return Method(values.pop("loss"), **values)
