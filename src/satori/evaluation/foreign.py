"""Questions from outside any code base at hand: everyday ones, and ones about other fields of programming.

Each comes with its telling words; a question is only put to a tree in which none of them occurs, so that "nothing here
answers this" is true. It is a list, not a judgement.
"""

from __future__ import annotations

from collections.abc import Iterable

FOREIGN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("How often should an espresso machine be descaled?", ("espresso", "descal")),
    ("What is the best way to prune an apple tree in winter?", ("prune an apple", "apple tree")),
    ("How long should green tea steep?", ("green tea", "steep the")),
    ("Which planets of the solar system have rings?", ("saturn", "uranus")),
    ("How do I train a puppy to walk on a leash?", ("puppy",)),
    ("What should I pack for a week of hiking in Norway?", ("hiking", "norway")),
    ("Can sourdough bread be baked without a Dutch oven?", ("sourdough",)),
    ("What are the symptoms of vitamin D deficiency?", ("vitamin",)),
    ("How are violins tuned before a concert?", ("violin",)),
    ("Which chess opening begins with the queen's pawn?", ("chess",)),
    ("How do bees find their way back to the hive?", ("honeybee", "beehive", "the hive")),
    ("What time does the museum close on Sundays?", ("museum",)),
    ("How is Parmesan cheese aged?", ("parmesan", "cheese")),
    ("Why do leaves turn red in autumn?", ("autumn", "chlorophyll")),
    ("How many players are on a volleyball team?", ("volleyball",)),
    ("What is the tallest mountain of South America?", ("aconcagua", "tallest mountain")),
    ("How do I remove a red wine stain from a carpet?", ("red wine", "carpet")),
    ("Have you ever been to a five-star resort?", ("five-star", "resort")),
    ("Which muscles does rowing exercise?", ("muscle", "rowing")),
    ("How should tomatoes be watered in a greenhouse?", ("tomato", "greenhouse")),
    ("Who painted the ceiling of the Sistine Chapel?", ("sistine", "chapel")),
    ("How is a broken zipper repaired?", ("zipper",)),
    ("What is the boiling point of ethanol?", ("ethanol",)),
    ("How are sails trimmed when sailing upwind?", ("upwind", "sails")),
    ("Which shader draws the shadows of the terrain?", ("shader", "terrain")),
    ("How are sprites batched before they are drawn?", ("sprite",)),
    ("How are audio samples resampled to 48 kHz?", ("resampl", "khz")),
    ("Where is the gradient of the loss back-propagated through the convolution layers?", ("convolution", "backprop")),
    ("How does the robot arm solve inverse kinematics?", ("kinematics",)),
    ("Which query finds overdue invoices of a customer?", ("invoice", "overdue")),
    ("How is the price of a call option computed with Black-Scholes?", ("black-scholes", "blackscholes")),
    ("Where is the DICOM header of an X-ray image read?", ("dicom", "x-ray")),
    ("How are genome reads aligned to the reference?", ("genome",)),
    ("How does the thermostat decide when to start heating?", ("thermostat",)),
    ("Which Kubernetes operator rotates the ingress certificates?", ("kubernetes", "ingress")),
    ("How is the Bluetooth device paired?", ("bluetooth",)),
    ("Where are the tiles of the map reprojected to Mercator?", ("mercator", "reproject")),
    ("How does the autopilot hold the altitude of the drone?", ("autopilot", "altitude")),
    ("Where is the blockchain's next block mined?", ("blockchain",)),
    ("How are subtitles burnt into the video?", ("subtitle",)),
    ("Which interrupt handler debounces the keypad?", ("debounce", "keypad")),
    ("How is the fingerprint of a song matched?", ("song", "acoustic")),
    ("Where are the ragdoll joints of the physics engine limited?", ("ragdoll", "physics engine")),
    ("How are bank transfers reconciled with invoices?", ("reconcil", "bank transfer")),
    ("Where is the optical character recognition trained?", ("optical character", "tesseract")),
    ("How does the elevator choose the next floor?", ("elevator",)),
    ("Which filter removes 50 Hz hum from an ECG?", ("ecg", "notch filter")),
    ("How are the pages of a PDF rotated?", ("pdf",)),
    ("Where is the loyalty discount of a shopping cart applied?", ("loyalty", "shopping cart")),
    ("How are seats assigned to passengers of a flight?", ("passenger", "seat assignment")),
)


def foreign_to(texts: Iterable[str]) -> list[str]:
    """Return the questions none of whose telling words occurs in `texts`, in their fixed order."""
    remaining = list(FOREIGN)
    for text in texts:
        lowered = text.lower()
        remaining = [(query, words) for query, words in remaining if not any(word in lowered for word in words)]
    return [query for query, _ in remaining]
