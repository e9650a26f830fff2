"""Images with a class each, from a folder on the disk or from what somebody sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from jaxtyping import UInt8
from PIL import Image, ImageOps, UnidentifiedImageError

from msviz.core.errors import MsvizError
from msviz.training.file_checks import check_classes, check_size
from msviz.training.images import scaled
from msviz.training.training_set import TrainingSet

MAX_PIXELS: Final = 50_000_000  # of one image file


class ImageFile(NamedTuple):
    """An image that is still to be read.

    Args:
        path: what it is called.
        open: opens it.
    """

    path: str
    open: Callable[[], BinaryIO]


def is_image(path: str) -> bool:
    """Whether a file is an image by its ending.

    Example:
        >>> is_image("cats/1.JPG"), is_image("cats/notes.txt")
        (True, False)
    """
    return f".{path.rpartition('.')[2].lower()}" in Image.registered_extensions()


def read_images(classes: Mapping[str, Sequence[ImageFile]], size: int, path: str, most: int) -> TrainingSet:
    """The images, in blocks by class.

    Args:
        classes: of each its images.
        size: pixels across and down.
        path: what all of it is called.
        most: bytes of all images as numbers.

    Raises:
        MsvizError: error.image, error.data_too_large, error.one_class, error.single_item.
    """
    counts = [len(files) for files in classes.values()]
    check_classes(tuple(classes), counts)
    check_size(path, 4 * 3 * size**2 * sum(counts), most)
    images = [_image(file, size) for files in classes.values() for file in files]
    thumbnails = np.stack([np.asarray(image.convert("L")) for image in images])
    inputs = scaled(_pixels(images, thumbnails))
    return TrainingSet(inputs, np.repeat(np.arange(len(classes)), counts), tuple(classes), thumbnails)


def _image(file: ImageFile, size: int) -> Image.Image:
    """Its middle square in 8 bits, "L" or "RGB"."""
    try:
        with file.open() as opened, Image.open(opened) as image:
            if image.width * image.height > MAX_PIXELS:
                raise ValueError(f"more than {MAX_PIXELS // 10**6} million pixels")
            image.draft("RGB", (2 * size, 2 * size))  # a JPEG is read in a smaller size at once
            return ImageOps.fit(_eight_bits(ImageOps.exif_transpose(image)), (size, size))
    except Exception as error:  # Pillow's readers fail in many ways on a damaged file
        plain = "the image {path} cannot be read ({problem}); repair or remove it"
        unknown = isinstance(error, UnidentifiedImageError)  # whose own words name a Python object
        problem = "it is damaged, or no image" if unknown else str(error)[:100] or type(error).__name__
        raise MsvizError("error.image", plain, path=file.path, problem=problem) from error


def _eight_bits(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        raise ValueError(f"its pixels have 32 bits (mode {image.mode})")
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen)
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


def _pixels(images: Sequence[Image.Image], grey: UInt8[np.ndarray, "n h w"]) -> UInt8[np.ndarray, "n c h w"]:
    """One channel where every image is grey (a grey one may well be stored as RGB), else three."""
    colour = np.stack([np.asarray(image.convert("RGB")) for image in images]).transpose(0, 3, 1, 2)
    return grey[:, None] if (colour == colour[:, :1]).all() else colour
