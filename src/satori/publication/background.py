"""The background of a Publication: how similar its chunks are to questions that are not about it.

Raw cosines do not transfer between repositories: a small library of date functions answers everything weakly, a
framework answers everything strongly. Asking the same fixed, unrelated questions of every repository gives each its own
scale (mean and spread of the best similarities), against which a real question is judged. The questions come from many
fields on purpose; that one of them fits a given repository moves the median little.
This module keeps, for each question, its best chunks; the verdict is drawn in `satori.search.relevance`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satori.embedding.port import Embedder
from satori.embedding.similarity import cosines, cosines_of, inverse_norms, operand

# Best chunks kept a question: enough that a sync which removes some leaves the best three known exactly.
KEPT = 32
# Up to so many chunks all questions are asked in one product (a delta's: 80 calls cost more than their arithmetic).
SMALL = 2_048

QUESTIONS = tuple(
    line.strip()
    for line in """
    how are satellite orbits propagated from two line elements
    where is the blood glucose level converted between units
    compute the amortization schedule of a mortgage
    parse a FASTA file with protein sequences
    where does the chess engine prune the search tree
    how is the inverse kinematics of the robot arm solved
    schedule irrigation valves by soil moisture
    render a skeletal animation with blended bone weights
    how are railway timetables checked for conflicts
    decode an MP3 frame header
    estimate the market risk of a portfolio
    where are shipping labels printed for a parcel
    how does the physics engine resolve collisions between rigid bodies
    recommend movies from ratings of similar users
    where is the elevator dispatching policy decided
    how are crossword puzzles generated from a word list
    transcribe guitar tablature to sheet music
    compute tide heights from harmonic constituents
    where are duplicate patient records merged
    simulate neurons with leaky integrate and fire dynamics
    how is the ray traced through a refracting lens
    calculate value added tax for invoices across borders
    where is the telescope mount aligned to the stars
    detect faces in a camera image
    how are bids matched with asks in the order book
    convert geographic coordinates between map projections
    where are loyalty points credited after a purchase
    how is the weather radar mosaic stitched together
    fold a protein chain with simulated annealing
    translate subtitles and shift their timing
    where does the thermostat decide to turn on heating
    plan a delivery route for several vehicles
    how are exam questions shuffled for each student
    where is the drone kept inside its geofence
    compile shaders and link them into a pipeline
    how is a fingerprint image matched against a template
    compute the moon phase for a given date
    where are seats assigned on a flight
    how is the barcode on a ticket verified
    balance chemical equations
    where are loot tables rolled when a monster dies
    how is terrain generated from noise
    estimate the pose of a camera from matched points
    where does the spreadsheet recalculate dependent cells
    how are votes counted with ranked choice
    synthesize speech from phonemes
    where is the tax withholding of an employee computed
    how are recipes scaled to another number of servings
    segment a tumor in a magnetic resonance scan
    where is the game saved when the player reaches a checkpoint
    how does the compiler allocate registers
    lower loops to vector instructions
    where are page table entries mapped by the kernel
    how does the garbage collector mark reachable objects
    schedule threads fairly between processor cores
    where is the interrupt handler registered for the network card
    how is a file system journal replayed after a crash
    where does the database choose a join order
    how are transactions ordered with multiversion concurrency
    replicate a log between servers by consensus
    where is the bloom filter consulted before reading a table from disk
    how is a columnar file compressed with dictionary encoding
    where are firewall rules evaluated for a packet
    how does the router exchange routes with its neighbours
    terminate a TLS connection and choose a certificate
    where is the DNS zone transferred to a secondary server
    how are containers isolated with namespaces
    where is the virtual machine migrated to another host
    how does the load balancer notice that a backend is unhealthy
    where are metrics scraped and stored as time series
    how are spans of a distributed trace correlated
    rotate log files when they grow too large
    where is an email parsed into its MIME parts
    how is spam recognised in an inbox
    where are push notifications sent to a phone
    how does the chat server broadcast to a room
    where is the video transcoded to several bitrates
    how are thumbnails made of uploaded pictures
    resize an image with a good filter
    where does the browser lay out a flexible box
    how is a style sheet cascaded
    where are gestures recognised on a touch screen
    how does the widget repaint when its data changes
    where is the undo history of the editor kept
    how are two versions of a text merged
    where is syntax highlighted while typing
    how does the terminal interpret escape sequences
    where are fonts rasterised into glyph bitmaps
    how is a PDF page drawn
    where are passwords hashed and verified
    how is a session token revoked on logout
    where does the program ask for a second authentication factor
    how is a credit card charged through the payment provider
    where are webhooks retried after a failure
    how are feature flags rolled out to a share of users
    where is the shopping cart turned into an order
    how is stock reserved while a customer checks out
    where are search results of a shop ranked
    how are database migrations generated from models
    where is the admin interface configured
    how does the template engine escape variables
    where are uploaded files stored in the cloud
    how is the cache invalidated when a record changes
    where are background jobs taken from the queue
    how are cron expressions evaluated
    where is the rate limit of a client enforced
    how does the service discover its peers
    where is the configuration reloaded without a restart
    how are command line options parsed into a structure
    where does the program print its help
    how are plugins found and loaded
    where is a date parsed from text in many formats
    how are time zones converted with daylight saving
    where are numbers formatted for a locale
    how are translations of messages looked up
    where is JSON written without copying
    how does the XML parser handle entities
    where are regular expressions compiled to automata
    how is a grammar turned into a parser
    where is a type inferred for an expression
    how are unused imports removed by the linter
    where is test coverage collected
    how are mocks verified after a test
    where is a random value generated for a property test
    how is a benchmark repeated until it is stable
    where is the package downloaded and its checksum compared
    how are version constraints solved
    where is the build graph scheduled
    how does the debugger set a breakpoint
    where are stack traces symbolised
    how is a gradient computed by back propagation
    where is the learning rate warmed up
    how are tokens sampled from a language model
    where is an attention mask built
    how are decision trees split
    cluster points by density
    where is a sparse matrix multiplied
    how is a linear system factorised
    where are eigenvalues computed
    how is an integral approximated numerically
    where is a polygon clipped
    how is the nearest neighbour found in a tree
    where is a graph partitioned into communities
    how are shortest paths computed in a road network
    where is a big integer multiplied
    how is a prime tested
    where is an elliptic curve point multiplied
    how is a blockchain block validated
    where are gas costs of a contract charged
    how is a wallet restored from its seed words
    where is the microphone signal filtered for echo
    how are MIDI events played in time
    where does the sensor driver read its registers
    how is firmware updated over the air
    where is the battery charge estimated
    how does the printer firmware plan its moves
    """.splitlines()
    if line.strip()
)

_ENCODED: dict[tuple[str, str, int], NDArray[np.int8]] = {}


class Background:
    """The fixed questions under one embedder; calling it with chunk vectors gives each question's best chunks.

    `known` are their vectors where somebody has them already (a base segment, the process that built it). With an
    embedder that is a service they are `kept` in the base segment, so that a reader never has to ask for them.
    """

    def __init__(self, embedder: Embedder | None, known: NDArray[np.int8] | None = None, *, kept: bool = False) -> None:
        self._embedder = embedder
        self._known = known
        self.kept = kept or (embedder is not None and embedder.connected)

    @cached_property
    def queries(self) -> NDArray[np.int8]:
        """One vector a question, encoded when first needed and not known."""
        if self._known is not None:
            return self._known
        embedder = self._embedder
        assert embedder is not None
        if embedder.connected:
            return embedder.encode_queries(QUESTIONS)
        # Every publication has a new one of these, and one embedder always gives the same vectors.
        name = (embedder.provider, embedder.model, embedder.dimension)
        if name not in _ENCODED:
            _ENCODED[name] = embedder.encode_queries(QUESTIONS)
        return _ENCODED[name]

    def __call__(self, chunk_vectors: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(chunks, cosines), each questions x min(KEPT, chunks), best first, ties by position."""
        count = min(KEPT, len(chunk_vectors))
        chunks = np.zeros((len(self.queries), count), np.int32)
        values = np.zeros((len(self.queries), count), np.int32)
        if not count:
            return chunks, values
        if len(chunk_vectors) <= SMALL:
            similar = cosines_of(operand(chunk_vectors), inverse_norms(chunk_vectors), self.queries)
            chunks = np.argsort(-similar, axis=1, kind="stable")[:, :count].astype(np.int32)
            return chunks, np.take_along_axis(similar, chunks, axis=1).astype(np.int32)
        matrix, norms = operand(chunk_vectors), inverse_norms(chunk_vectors)
        for row, query in enumerate(self.queries):
            similar = cosines(matrix, norms, query)
            best = np.argpartition(-similar, count - 1)[:count] if count < len(similar) else np.arange(count)
            best = best[np.lexsort((best, -similar[best]))]
            chunks[row], values[row] = best, similar[best]
        return chunks, values
