"""Functions that Kotlin's standard library (2.4) offers every file without an import, extensions too, and its types.

A function of the repository with one of these names is only meant where the types of the arguments say so.
"""

from __future__ import annotations

FUNCTIONS = frozenset(
    """
0 10 2 2D5oskM 2csIQuQ 2fe2U9s 3bBvP4M 3iWJZGE 3uqUaXg 4 4D70W2E 4UcCI2c 5NtCtWE 5PvTz6A 6 68kG9v0 6D3K8 6EtJGI 7apg3OU
7znnbtw 8 8LME4QE 8M7LxHw 9A A8wKCXQ Aa5vz7o AtomicArray AtomicIntArray AtomicLongArray CFIt9YE CVVdw08 Char D40WMg8
ELGow60 EOyYB1Y EVgfTAA EtDCXyQ F7u83W8 FGO6Aew FUQE5sA GYNo2lE Gab390E H21X9dk HexFormat HqK1JgA HwE9HBo I IEEErem
Iterable J1ME1BU JAKpvQM JM6gNCM JPwROB0 JQknh5Q JSWoG40 JzugnMA K6DWlUc KJPZfPQ Kr8caGY L2c L4rlFek L83TJbI LRDsOJo
List LuipOMY LxnNnR4 M MShoTSo Md2H83M MutableList NuflL3o Path PjuGub4 PpDY95g Q Q6IL4kU QqktQ3k QwZRm1k QxgOkWg
QxvSvLU R03FKyM Random Sequence String TODO TUPTUsU U UByteArray UIntArray ULongArray UShortArray V1Xi4fY V7xB4Y4
VKSA0NQ VKZWuLQ VybQ WZ4Q5Ns WZ9TVnA WpHrYlw Wr6uiD8 Wvrt4B4 WyvcNBI X6OPwNk XMRcp5o XUkPCBk Xw8i6dc XzdR7RA ZQbaR00
ZRhS8yI ZjwqOic ZsK3CEQ a8DCA5k aLgx1Fo abs absolute absolutePathString acos acosh addAll addMillisWithoutOverflow
addSuppressed aggregate aggregateTo ak10g all allDistinct allDistinctBy allEqual allEqualBy also and annotations any
append appendBytes appendElement appendLine appendLines appendRange appendText appendTwoDigits appendln apply
arrayListOf arrayOfNulls arrayOfUninitializedElements asArrayList asCollection asIterable asJavaAtomic
asJavaAtomicArray asJavaRandom asKotlinAtomic asKotlinAtomicArray asKotlinRandom asList asReversed asReversedMutable
asSequence asUByteArray asUIntArray asULongArray asUShortArray asin asinh assert associate associateBy associateByTo
associateTo associateWith associateWithTo atan atan2 atanh atomicArrayOfNulls average averageOfByte averageOfDouble
averageOfFloat averageOfInt averageOfLong averageOfShort b33U2AM bBsjw1Y binarySearch binarySearchBy biwQdVI
boundsErrorMessage buffered bufferedReader bufferedWriter build buildList buildListInternal buildMap buildMapInternal
buildSet buildSetInternal buildString byteBufferForEncoding byteInputStream byteRangeContains bzxtMww c c0bezYM
capitalize cbrt ceil charsPerSet charset check checkContainsAt checkCountOverflow checkFileName checkFormatLength
checkIndexOverflow checkNewLineAt checkNotNull checkNumberOfDigits checkPrefixSuffixNumberOfDigits checkRadix
checkRangeBounds checkStepIsPositive checkWindowSizeStep checkZeroDigits chunked chunkedSequence clear closeFinally
codePointAt codePointBefore codePointCount coerceAtLeast coerceAtMost coerceIn collectionSizeOrDefault
collectionSizeOrNull collectionToArray collectionToArrayCommonImpl commonPrefixWith commonSuffixWith compareBy
compareByDescending compareTo compareValues compareValuesBy component1 component2 component3 component4 component5
concatToString constrainOnce constructMessage contains containsAll containsKey containsValue contentDeepEquals
contentDeepEqualsInline contentDeepEqualsNullable contentDeepHashCode contentDeepHashCodeInline
contentDeepHashCodeNullable contentDeepToString contentDeepToStringInline contentDeepToStringNullable contentEquals
contentEqualsIgnoreCaseImpl contentEqualsImpl contentHashCode contentToString context contextOf convertDurationUnit
convertDurationUnitOverflow convertDurationUnitToMilliseconds convertToListIfNotCollection copy copyInto copyOf
copyOfRange copyOfRangeInline copyOfRangeToIndexCheck copyOfUninitializedElements copyRecursively copyTo
copyToArrayOfAny copyToRecursively cos cosh count countLeadingZeroBits countOneBits countTrailingZeroBits
createDirectories createDirectory createFailure createFile createFormatForDecimals createLinkPointingTo
createListBuilder createMapBuilder createParentDirectories createSetBuilder createSymbolicLinkPointingTo createTempDir
createTempDirectory createTempFile createsCycle ctEhBpI dec decapitalize decimalFromHexDigitAt decodeToString
decodingWith decrementAndFetch decrementAndFetchAt default defaultDurationUnitByShortNameOrNull defaultPlatformRandom
deleteAt deleteExisting deleteIfExists deleteRange deleteRecursively digitOf digitToChar digitToInt digitToIntOrNull
distinct distinctBy div doubleFromParts doubleRangeContains doubleToUInt doubleToULong downTo drop dropLast
dropLastWhile dropWhile durationOf durationOfMillis durationOfMillisNormalized durationOfNanos
durationOfNanosNormalized eNpIKz8 eOHTfZs ePBmRWY eachCount eachCountTo eb3DHEI elementAt elementAtOrElse
elementAtOrNull emptyArray emptyList emptyMap emptySequence emptySet encodeToByteArray encodingWith endsWith equals
error exists exitProcess exp expect expm1 f7H3mmw fastLog2 fetchAndDecrement fetchAndDecrementAt fetchAndIncrement
fetchAndIncrementAt fetchAndUpdate fetchAndUpdateAt fileAttributeViewNotAvailable fileAttributesView
fileAttributesViewOrNull fileSize fileStore fileVisitor fill filter filterIndexed filterIndexedTo filterIsInstance
filterIsInstanceTo filterKeys filterNot filterNotNull filterNotNullTo filterNotTo filterTo filterValues find findAnyOf
findLast findLastAnyOf findNext first firstNotNullOf firstNotNullOfOrNull firstOrNull fixedRateTimer flatMap
flatMapIndexed flatMapIndexedIterable flatMapIndexedIterableTo flatMapIndexedSequence flatMapIndexedSequenceTo
flatMapIterable flatMapIterableTo flatMapSequence flatMapSequenceTo flatMapTo flatten flattenSequenceOfIterable
floatRangeContains floatToUInt floatToULong floor floorDiv fold foldIndexed foldRight foldRightIndexed foldTo forEach
forEachBlock forEachDirectoryEntry forEachIndexed forEachLine format formatByteAt formatIso formatToExactDecimals
formattedStringLength fractionDigitsToNanos fromBits fromInt fromTimeSource fz5IDCE gMuBH34 gVVukQo generateSequence
get groupBy groupByTo groupingBy handleError hasSurrogatePairAt hashCode hashMapOf hashSetOf hexToByte hexToByteArray
hexToByteArrayNoLineAndGroupSeparator hexToByteArrayNoLineAndGroupSeparatorSlowPath
hexToByteArrayShortByteSeparatorNoPrefixAndSuffix hexToByteArraySlowPath hexToInt hexToIntImpl hexToLong hexToLongImpl
hexToShort hexToUByte hexToUByteArray hexToUInt hexToULong hexToUShort hypot ifBlank ifEmpty inc incrementAndFetch
incrementAndFetchAt indexOf indexOfAny indexOfFirst indexOfLast infinityOfSign inputStream insert insertRange
intRangeContains intern intersect inv invoke isBlank isCaseSensitive isDefined isDigit isDirectory isDistantFuture
isDistantPast isEmpty isExecutable isFinite isFiniteMillis isHidden isHighSurrogate isISOControl isIdentifierIgnorable
isInMimeAlphabet isInfinite isInfiniteMillis isInitialized isJavaIdentifierPart isJavaIdentifierStart isLeapYear
isLetter isLetterOrDigit isLowSurrogate isLowerCase isNaN isNotBlank isNotEmpty isNullOrBlank isNullOrEmpty isReadable
isRegularFile isRooted isSameFileAs isSaturated isSorted isSortedBy isSortedByDescending isSortedDescending
isSortedWith isSurrogate isSymbolicLink isTitleCase isUpperCase isWhitespace isWritable
isoDurationUnitByShortNameOrNull iterator jgv0xPQ joinTo joinToString kIfJnKk kV0jMPg kdPth3s keyOf kzHmqpY l8EHGbQ
lZCiFrA last lastIndexOf lastIndexOfAny lastOrNull lazy lazyOf lec5QzE let lineSequence lines linkedMapOf linkedSetOf
listDirectoryEntries listOf listOfNotNull ln ln1p log log10 log2 longDecimalFromHexDigitAt longRangeContains lowercase
lowercaseChar map mapCapacity mapCatching mapEntryOf mapIndexed mapIndexedNotNull mapIndexedNotNullTo mapIndexedTo
mapKeys mapKeysTo mapNotNull mapNotNullTo mapOf mapTo mapValues mapValuesInPlace mapValuesTo matchEntire matches max
maxBy maxByOrNull maxByOrThrow maxOf maxOfOrNull maxOfWith maxOfWithOrNull maxOrNull maxOrThrow maxWith maxWithOrNull
maxWithOrThrow mazbYpA measureNanoTime measureTime measureTimeMillis measureTimedValue millisToNanos min minBy
minByOrNull minByOrThrow minOf minOfOrNull minOfWith minOfWithOrNull minOrNull minOrThrow minWith minWithOrNull
minWithOrThrow minus minusAssign minusElement mod monthLength moveTo multiplyBy10 mutableIterator mutableListOf
mutableMapOf mutableSetOf mvk6XK0 mwnnOCs myNOsp4 nanosToMillis nativeIndexOf nativeLastIndexOf naturalOrder
newReplaceEncoder nextDown nextInt nextLong nextTowards nextUBytes nextUInt nextULong nextUp nggk6HY nl983wc none
normalize notExists nroSd4 nullsFirst nullsLast numberFormatError oBK06Vg oEOeDjA oSF2wD8 offsetByCodePoints ojwP5H8
olVBNx4 onEach onEachIndexed onFailure onSuccess optimizeReadOnlyList optimizeReadOnlyMap optimizeReadOnlySet or
orEmpty outputStream p padEnd padStart parseByteAt parseDefaultStringFormat parseDuration parseFailure
parseFractionFallback parseHexToInt parseHexToLong parseInt parseIso parseIsoStringFormat parseLong
parsedByteArrayMaxSize partition pe2Q0Dw platformCharsToBytes platformEncodeIntoByteArray platformEncodeToByteArray
platformEncodeToString plus plusAssign plusElement pow prependIndent print printStackTrace printWriter println putAll
q8RuPII qCasIEU qFRl0hI qOZmbk8 r7IrZao rL5Bavg random randomOrNull range rangeTo rangeUntil read readAttributes
readBytes readLine readLines readSymbolicLink readText reader readln readlnOrNull recover recoverCatching reduce
reduceIndexed reduceIndexedOrNull reduceOrNull reduceRight reduceRightIndexed reduceRightIndexedOrNull
reduceRightOrNull reduceTo regionMatches regionMatchesImpl relativeTo relativeToOrNull relativeToOrSelf rem remove
removeAll removeFirst removeFirstOrNull removeLast removeLastOrNull removePrefix removeRange removeSuffix
removeSurrounding repeat replace replaceAfter replaceAfterLast replaceBefore replaceBeforeLast replaceFirst
replaceFirstCharWithChar replaceFirstCharWithCharSequence replaceIndent replaceIndentByMargin replaceRange require
requireNoNulls requireNonNegativeLimit requireNotNull resetAt resetRange resolve resolveSibling retainAll reverse
reverseElementIndex reverseIteratorIndex reverseOrder reversePositionIndex reversed reversedArray rotateLeft
rotateRight round roundToInt roundToLong run runCatching runningFold runningFoldIndexed runningReduce
runningReduceIndexed s s8dVfGU sIZ3KeM safeAddOrElse safeMultiplyOrElse sambcqE sameSign saturatingDiff
saturatingFiniteDiff saturatingOriginsDiff scan scanIndexed schedule scheduleAtFixedRate sequence sequenceOf
serializedInstant set setAttribute setLastModifiedTime setOf setOfNotNull setOwner setPosixFilePermissions setRange
setValue shl shortName shortRangeContains shr shuffle shuffled sign sin single singleOrNull sinh skipWhile slice
sliceArray sort sortBy sortByDescending sortDescending sortWith sorted sortedArray sortedArrayDescending
sortedArrayWith sortedBy sortedByDescending sortedDescending sortedMapOf sortedSetOf sortedWith split splitToSequence
sqrt stackTraceToString startsWith step subPath subSequence subarrayContentEquals subarrayContentHashCode
subarrayContentToString substring substringAfter substringAfterLast substringBefore substringBeforeLast subtract sum
sumBy sumByDouble sumOfBigDecimal sumOfBigInteger sumOfByte sumOfDouble sumOfFloat sumOfInt sumOfLong sumOfShort
sumOfUByte sumOfUInt sumOfULong sumOfUShort suspend synchronized systemClockNow t1qELG4 tAntMlw take takeHighestOneBit
takeIf takeLast takeLastWhile takeLowestOneBit takeUnless takeUpperBits takeWhile tan tanh terminateCollectionToArray
then thenBy thenByDescending thenComparator thenDescending thread throwCountOverflow throwIndexOverflow
throwInvalidDigitAt throwInvalidNumberOfDigits throwInvalidPrefixSuffix throwNotContainedAt throwOnFailure timer
timerTask times titlecase titlecaseChar titlecaseImpl to toBigDecimal toBigDecimalOrNull toBigInteger
toBigIntegerOrNull toBits toBoolean toBooleanArray toBooleanStrict toBooleanStrictOrNull toByte toByteArray
toByteExactOrNull toByteOrNull toCharArray toCharArrayIfNotEmpty toCollection toComponents toDouble toDoubleArray
toDoubleOrNull toDuration toDurationUnit toFloat toFloatArray toFloatOrNull toHashSet toHexString toHexStringImpl
toHexStringNoLineAndGroupSeparator toHexStringNoLineAndGroupSeparatorSlowPath
toHexStringShortByteSeparatorNoPrefixAndSuffix toHexStringSlowPath toInt toIntArray toIntExactOrNull toIntOrNull
toJavaInstant toKotlinDuration toKotlinInstant toList toLong toLongArray toLongExactOrNull toLongOrNull toLowerCase
toMap toMutableList toMutableMap toMutableSet toPair toPath toPattern toProperties toRawBits toRegex toRelativeString
toSet toShort toShortArray toShortExactOrNull toShortOrNull toSingletonMap toSingletonMapOrSelf toSortedMap toSortedSet
toString toTimeUnit toTitleCase toTypedArray toUByte toUByteArray toUByteOrNull toUInt toUIntArray toUIntOrNull toULong
toULongArray toULongOrNull toUShort toUShortArray toUShortOrNull toUpperCase trim trimEnd trimIndent trimMargin
trimStart truncate truncateForErrorMessage twoDigitNumber uLth9ew uWY9BYg uaTIQ5s uhHAxoY uintCompare uintToDouble
uintToFloat uintToLong uintToString uintToULong ulongCompare ulongToDouble ulongToFloat ulongToString unaryMinus union
until unzip update updateAndFetch updateAndFetchAt updateAt uppercase uppercaseChar us8wMrg use useDirectoryEntries
useLines visitFileTree wU5IKMo walk walkBottomUp walkTopDown wholeElementsPerSet windowed windowedIterator
windowedSequence with withDefault withDefaultMutable withIndex withLock withSign write writeBytes writeLines writeText
writeTextImpl writer wuiCnnA wzUQCXU xj2QHRw xor xzaTVY8 yJY yVwIW0Q yXmHNn8 z1zDJgo zHuV2wU zi1B2BA zip zipWithNext
zrEWJaI zww5nb8
""".split()
)

# Types that nothing descends from.
FINAL = frozenset(
    "Int Long Short Byte Char Boolean Double Float String Unit ByteArray IntArray LongArray CharArray DoubleArray "
    "FloatArray BooleanArray ShortArray UInt ULong UShort UByte".split()
)
INTEGERS = frozenset({"Int", "Long", "Short", "Byte", "UInt", "ULong", "UShort", "UByte"})
# What the final types descend from, and what takes them through a type variable.
ABOVE_FINAL = frozenset({"Any", "Comparable", "CharSequence", "Number", "Serializable", "Object", "Nothing"})
# Types of the language whose members are the Java library's, or are no functions.
BUILTIN = frozenset(
    "Any Annotation Array CharSequence Cloneable Closeable Collection Comparable Enum Exception Error Iterable "
    "Iterator List ListIterator Map MutableCollection MutableIterable MutableIterator MutableList MutableListIterator "
    "MutableMap MutableSet Number Runnable RuntimeException Sequence Set Throwable AbstractList AbstractMap "
    "AbstractSet AbstractMutableList AbstractMutableMap AbstractMutableSet AutoCloseable".split()
)
# Members of the language's own types, which come before extensions.
OPERATORS = frozenset(
    "and compareTo dec div downTo equals get hashCode inc inv minus mod not or plus rangeTo rangeUntil rem set shl shr "
    "step times to toString unaryMinus unaryPlus until ushr xor".split()
)
# Functions of the standard library whose lambdas have no receiver.
PLAIN = frozenset(
    "let also takeIf takeUnless repeat lazy use forEach forEachIndexed onEach map mapNotNull mapIndexed mapTo "
    "mapValues mapKeys flatMap filter filterNot filterNotNull filterIsInstance first firstOrNull last lastOrNull "
    "single singleOrNull find findLast any all none count sumOf sumBy minByOrNull maxByOrNull minBy maxBy sortedBy "
    "sortedByDescending sortBy groupBy associate associateBy associateWith partition fold foldRight reduce "
    "joinToString getOrPut getOrElse getOrDefault zip indexOfFirst indexOfLast takeWhile dropWhile removeAll "
    "retainAll synchronized withLock require requireNotNull check checkNotNull error runCatching onFailure onSuccess "
    "recover generateSequence compareBy thenBy distinctBy windowed chunked replace ifEmpty ifBlank assertFailsWith "
    "assertFails assertThrows thread computeIfAbsent useLines forEachLine".split()
)
