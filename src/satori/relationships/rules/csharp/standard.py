"""What everyday types of the standard library have: an extension of such a name proves nothing.

The public instance methods of the types, of their bases and of the interfaces they implement, as Mono 6.8 has them, the
methods that later versions of .NET gave to some, and the extensions of System.Linq.
"""

from __future__ import annotations

_OBJECT = frozenset({"Equals", "GetHashCode", "GetType", "ToString"})
_LATER = frozenset(
    """
    AggregateBy Append AppendJoin AsMemory AsSpan CancelAsync Chunk ConfigureAwait CopyToAsync CountBy Deconstruct
    DisposeAsync DistinctBy EnsureCapacity EnumerateRunes ExceptBy GetAlternateLookup GetAsyncEnumerator GetChunks
    GetPinnableReference HasSameMetadataDefinitionAs Index IntersectBy IsAssignableTo MaxBy MinBy Order
    OrderDescending Prepend ReadAtLeast ReadExactly ReadLineAsync ReadToEndAsync RemoveWhere ReplaceLineEndings
    SkipLast TakeLast ToHashSet TrimExcess TryAdd TryCopyTo TryFormat TryGetNonEnumeratedCount UnionBy
    UnsafeRegister WaitAsync
    """.split()
)
_LINQ = frozenset(
    """
    Aggregate All Any Append AsEnumerable Average Cast Concat Contains Count DefaultIfEmpty Distinct ElementAt
    ElementAtOrDefault Empty Except First FirstOrDefault GroupBy GroupJoin Intersect Join Last LastOrDefault
    LongCount Max Min OfType OrderBy OrderByDescending Prepend Range Repeat Reverse Select SelectMany
    SequenceEqual Single SingleOrDefault Skip SkipLast SkipWhile Sum Take TakeLast TakeWhile ThenBy
    ThenByDescending ToArray ToDictionary ToHashSet ToList ToLookup Union Where Zip
    """.split()
)
_METHODS = """
    Array: Add Clear Clone CompareTo Contains CopyTo GetEnumerator GetLength GetLongLength GetLowerBound
        GetUpperBound GetValue IndexOf Initialize Insert Remove RemoveAt SetValue
    Assembly: CreateInstance GetCustomAttributes GetCustomAttributesData GetExportedTypes GetFile GetFiles
        GetForwardedTypes GetLoadedModules GetManifestResourceInfo GetManifestResourceNames
        GetManifestResourceStream GetModule GetModules GetName GetObjectData GetReferencedAssemblies
        GetSatelliteAssembly GetTypes IsDefined LoadModule
    Attribute: GetIDsOfNames GetTypeInfo GetTypeInfoCount Invoke IsDefaultAttribute Match
    BinaryReader: Close Dispose PeekChar Read ReadBoolean ReadByte ReadBytes ReadChar ReadChars ReadDecimal
        ReadDouble ReadInt16 ReadInt32 ReadInt64 ReadSByte ReadSingle ReadString ReadUInt16 ReadUInt32 ReadUInt64
    BinaryWriter: Close Dispose DisposeAsync Flush Seek Write
    Boolean: CompareTo GetTypeCode ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 TryFormat
    CancellationToken: Register ThrowIfCancellationRequested
    Char: CompareTo GetTypeCode ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64
    ConstructorInfo: GetCustomAttributes GetCustomAttributesData GetGenericArguments GetMethodBody
        GetMethodImplementationFlags GetParameters HasSameMetadataDefinitionAs Invoke IsDefined
    CultureInfo: ClearCachedData Clone GetConsoleFallbackUICulture GetFormat
    DataTable: AcceptChanges BeginInit BeginLoadData Clear Clone Compute Copy CreateDataReader Dispose EndInit
        EndLoadData GetChanges GetErrors GetList GetObjectData GetSchema GetService ImportRow Load LoadDataRow
        Merge NewRow ReadXml ReadXmlSchema RejectChanges Reset Select WriteXml WriteXmlSchema
    DateTime: Add AddDays AddHours AddMilliseconds AddMinutes AddMonths AddSeconds AddTicks AddYears CompareTo
        GetDateTimeFormats GetObjectData GetTypeCode IsDaylightSavingTime Subtract ToBinary ToBoolean ToByte
        ToChar ToDateTime ToDecimal ToDouble ToFileTime ToFileTimeUtc ToInt16 ToInt32 ToInt64 ToLocalTime
        ToLongDateString ToLongTimeString ToOADate ToSByte ToShortDateString ToShortTimeString ToSingle ToType
        ToUInt16 ToUInt32 ToUInt64 ToUniversalTime TryFormat
    DateTimeOffset: Add AddDays AddHours AddMilliseconds AddMinutes AddMonths AddSeconds AddTicks AddYears
        CompareTo EqualsExact GetObjectData OnDeserialization Subtract ToFileTime ToLocalTime ToOffset
        ToUniversalTime ToUnixTimeMilliseconds ToUnixTimeSeconds TryFormat
    Decimal: CompareTo GetTypeCode OnDeserialization ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16
        ToInt32 ToInt64 ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 TryFormat
    Delegate: Clone DynamicInvoke GetInvocationList GetObjectData
    Dictionary: Add Clear Contains ContainsKey ContainsValue CopyTo EnsureCapacity GetEnumerator GetObjectData
        OnDeserialization Remove TrimExcess TryAdd TryGetValue
    DirectoryInfo: Create CreateObjRef CreateSubdirectory Delete EnumerateDirectories EnumerateFileSystemInfos
        EnumerateFiles GetAccessControl GetDirectories GetFileSystemInfos GetFiles GetLifetimeService
        GetObjectData InitializeLifetimeService MoveTo Refresh SetAccessControl
    Double: CompareTo GetTypeCode ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 TryFormat
    Encoding: Clone GetByteCount GetBytes GetCharCount GetChars GetDecoder GetEncoder GetMaxByteCount
        GetMaxCharCount GetPreamble GetString IsAlwaysNormalized
    Enum: CompareTo GetTypeCode HasFlag ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32
        ToInt64 ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64
    EventInfo: AddEventHandler GetAddMethod GetCustomAttributes GetCustomAttributesData GetOtherMethods
        GetRaiseMethod GetRemoveMethod HasSameMetadataDefinitionAs IsDefined RemoveEventHandler
    Exception: GetBaseException GetObjectData
    Expression: Reduce ReduceAndCheck ReduceExtensions
    FieldInfo: GetCustomAttributes GetCustomAttributesData GetOptionalCustomModifiers GetRawConstantValue
        GetRequiredCustomModifiers GetValue GetValueDirect HasSameMetadataDefinitionAs IsDefined SetValue
        SetValueDirect
    FileInfo: AppendText CopyTo Create CreateObjRef CreateText Decrypt Delete Encrypt GetAccessControl
        GetLifetimeService GetObjectData InitializeLifetimeService MoveTo Open OpenRead OpenText OpenWrite Refresh
        Replace SetAccessControl
    FileStream: BeginRead BeginWrite Close CopyTo CopyToAsync CreateObjRef Dispose DisposeAsync EndRead EndWrite
        Flush FlushAsync GetAccessControl GetLifetimeService InitializeLifetimeService Lock Read ReadAsync
        ReadByte Seek SetAccessControl SetLength Unlock Write WriteAsync WriteByte
    Guid: CompareTo ToByteArray TryFormat TryWriteBytes
    HashSet: Add Clear Contains CopyTo EnsureCapacity ExceptWith GetEnumerator GetObjectData IntersectWith
        IsProperSubsetOf IsProperSupersetOf IsSubsetOf IsSupersetOf OnDeserialization Overlaps Remove RemoveWhere
        SetEquals SymmetricExceptWith TrimExcess TryGetValue UnionWith
    ICollection: Add Clear Contains CopyTo GetEnumerator Remove
    IDataReader: Close Dispose GetBoolean GetByte GetBytes GetChar GetChars GetData GetDataTypeName GetDateTime
        GetDecimal GetDouble GetFieldType GetFloat GetGuid GetInt16 GetInt32 GetInt64 GetName GetOrdinal
        GetSchemaTable GetString GetValue GetValues IsDBNull NextResult Read
    IDataRecord: GetBoolean GetByte GetBytes GetChar GetChars GetData GetDataTypeName GetDateTime GetDecimal
        GetDouble GetFieldType GetFloat GetGuid GetInt16 GetInt32 GetInt64 GetName GetOrdinal GetString GetValue
        GetValues IsDBNull
    IDbCommand: Cancel CreateParameter Dispose ExecuteNonQuery ExecuteReader ExecuteScalar Prepare
    IDbConnection: BeginTransaction ChangeDatabase Close CreateCommand Dispose Open
    IDictionary: Add Clear Contains ContainsKey CopyTo GetEnumerator Remove TryGetValue
    IEnumerable: GetEnumerator
    IList: Add Clear Contains CopyTo GetEnumerator IndexOf Insert Remove RemoveAt
    IServiceProvider: GetService
    Int32: CompareTo GetTypeCode ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 TryFormat
    Int64: CompareTo GetTypeCode ToBoolean ToByte ToChar ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 TryFormat
    List: Add AddRange AsReadOnly BinarySearch Clear Contains ConvertAll CopyTo Exists Find FindAll FindIndex
        FindLast FindLastIndex ForEach GetEnumerator GetRange IndexOf Insert InsertRange LastIndexOf Remove
        RemoveAll RemoveAt RemoveRange Reverse Sort ToArray TrimExcess TrueForAll
    Match: NextMatch Result
    MemberInfo: GetCustomAttributes GetCustomAttributesData HasSameMetadataDefinitionAs IsDefined
    MemoryStream: BeginRead BeginWrite Close CopyTo CopyToAsync CreateObjRef Dispose DisposeAsync EndRead EndWrite
        Flush FlushAsync GetBuffer GetLifetimeService InitializeLifetimeService Read ReadAsync ReadByte Seek
        SetLength ToArray TryGetBuffer Write WriteAsync WriteByte WriteTo
    MethodBase: GetCustomAttributes GetCustomAttributesData GetGenericArguments GetMethodBody
        GetMethodImplementationFlags GetParameters HasSameMetadataDefinitionAs Invoke IsDefined
    MethodInfo: CreateDelegate GetBaseDefinition GetCustomAttributes GetCustomAttributesData GetGenericArguments
        GetGenericMethodDefinition GetIDsOfNames GetMethodBody GetMethodImplementationFlags GetParameters
        GetTypeInfo GetTypeInfoCount HasSameMetadataDefinitionAs Invoke IsDefined MakeGenericMethod
    Object:
    ParameterInfo: GetCustomAttributes GetCustomAttributesData GetOptionalCustomModifiers GetRealObject
        GetRequiredCustomModifiers IsDefined
    Process: BeginErrorReadLine BeginOutputReadLine CancelErrorRead CancelOutputRead Close CloseMainWindow
        CreateObjRef Dispose GetLifetimeService InitializeLifetimeService Kill Refresh Start WaitForExit
        WaitForInputIdle
    PropertyInfo: GetAccessors GetConstantValue GetCustomAttributes GetCustomAttributesData GetGetMethod
        GetIndexParameters GetOptionalCustomModifiers GetRawConstantValue GetRequiredCustomModifiers GetSetMethod
        GetValue HasSameMetadataDefinitionAs IsDefined SetValue
    Random: Next NextBytes NextDouble
    Regex: GetGroupNames GetGroupNumbers GetObjectData GroupNameFromNumber GroupNumberFromName IsMatch Match
        Matches Replace Split
    Socket: Accept AcceptAsync BeginAccept BeginConnect BeginDisconnect BeginReceive BeginReceiveFrom
        BeginReceiveMessageFrom BeginSend BeginSendFile BeginSendTo Bind Close Connect ConnectAsync Disconnect
        DisconnectAsync Dispose DuplicateAndClose EndAccept EndConnect EndDisconnect EndReceive EndReceiveFrom
        EndReceiveMessageFrom EndSend EndSendFile EndSendTo GetSocketOption IOControl Listen Poll Receive
        ReceiveAsync ReceiveFrom ReceiveFromAsync ReceiveMessageFrom ReceiveMessageFromAsync Send SendAsync
        SendFile SendPacketsAsync SendTo SendToAsync SetIPProtectionLevel SetSocketOption Shutdown
    Stream: BeginRead BeginWrite Close CopyTo CopyToAsync CreateObjRef Dispose DisposeAsync EndRead EndWrite Flush
        FlushAsync GetLifetimeService InitializeLifetimeService Read ReadAsync ReadByte Seek SetLength Write
        WriteAsync WriteByte
    StreamReader: Close CreateObjRef DiscardBufferedData Dispose GetLifetimeService InitializeLifetimeService Peek
        Read ReadAsync ReadBlock ReadBlockAsync ReadLine ReadLineAsync ReadToEnd ReadToEndAsync
    StreamWriter: Close CreateObjRef Dispose DisposeAsync Flush FlushAsync GetLifetimeService
        InitializeLifetimeService Write WriteAsync WriteLine WriteLineAsync
    String: Clone CompareTo Contains CopyTo EndsWith GetEnumerator GetTypeCode IndexOf IndexOfAny Insert
        IsNormalized LastIndexOf LastIndexOfAny Normalize PadLeft PadRight Remove Replace Split StartsWith
        Substring ToBoolean ToByte ToChar ToCharArray ToDateTime ToDecimal ToDouble ToInt16 ToInt32 ToInt64
        ToLower ToLowerInvariant ToSByte ToSingle ToType ToUInt16 ToUInt32 ToUInt64 ToUpper ToUpperInvariant Trim
        TrimEnd TrimStart
    StringBuilder: Append AppendFormat AppendJoin AppendLine Clear CopyTo EnsureCapacity GetObjectData Insert
        Remove Replace
    StringReader: Close CreateObjRef Dispose GetLifetimeService InitializeLifetimeService Peek Read ReadAsync
        ReadBlock ReadBlockAsync ReadLine ReadLineAsync ReadToEnd ReadToEndAsync
    StringWriter: Close CreateObjRef Dispose DisposeAsync Flush FlushAsync GetLifetimeService GetStringBuilder
        InitializeLifetimeService Write WriteAsync WriteLine WriteLineAsync
    Task: ConfigureAwait ContinueWith Dispose ExecuteWorkItem GetAwaiter MarkAborted RunSynchronously Start Wait
    TextReader: Close CreateObjRef Dispose GetLifetimeService InitializeLifetimeService Peek Read ReadAsync
        ReadBlock ReadBlockAsync ReadLine ReadLineAsync ReadToEnd ReadToEndAsync
    TextWriter: Close CreateObjRef Dispose DisposeAsync Flush FlushAsync GetLifetimeService
        InitializeLifetimeService Write WriteAsync WriteLine WriteLineAsync
    Thread: Abort DisableComObjectEagerCleanup GetApartmentState GetCompressedStack GetIDsOfNames GetTypeInfo
        GetTypeInfoCount Interrupt Invoke Join Resume SetApartmentState SetCompressedStack Start Suspend
        TrySetApartmentState
    TimeSpan: Add CompareTo Divide Duration Multiply Negate Subtract TryFormat
    Timer: Change CreateObjRef Dispose DisposeAsync GetLifetimeService InitializeLifetimeService
    Type: FindInterfaces FindMembers GetArrayRank GetConstructor GetConstructors GetCustomAttributes
        GetCustomAttributesData GetDefaultMembers GetElementType GetEnumName GetEnumNames GetEnumUnderlyingType
        GetEnumValues GetEvent GetEvents GetField GetFields GetGenericArguments GetGenericParameterConstraints
        GetGenericTypeDefinition GetIDsOfNames GetInterface GetInterfaceMap GetInterfaces GetMember GetMembers
        GetMethod GetMethods GetNestedType GetNestedTypes GetProperties GetProperty GetTypeInfo GetTypeInfoCount
        HasSameMetadataDefinitionAs Invoke InvokeMember IsAssignableFrom IsDefined IsEnumDefined IsEquivalentTo
        IsInstanceOfType IsSubclassOf MakeArrayType MakeByRefType MakeGenericType MakePointerType
    Uri: GetComponents GetLeftPart GetObjectData IsBaseOf IsWellFormedOriginalString MakeRelative MakeRelativeUri
    Version: Clone CompareTo TryFormat
    XDocument: Add AddAfterSelf AddAnnotation AddBeforeSelf AddFirst Ancestors Annotation Annotations CreateReader
        CreateWriter DescendantNodes Descendants Element Elements ElementsAfterSelf ElementsBeforeSelf HasLineInfo
        IsAfter IsBefore Nodes NodesAfterSelf NodesBeforeSelf Remove RemoveAnnotations RemoveNodes ReplaceNodes
        ReplaceWith Save SaveAsync WriteTo WriteToAsync
    XElement: Add AddAfterSelf AddAnnotation AddBeforeSelf AddFirst Ancestors AncestorsAndSelf Annotation
        Annotations Attribute Attributes CreateReader CreateWriter DescendantNodes DescendantNodesAndSelf
        Descendants DescendantsAndSelf Element Elements ElementsAfterSelf ElementsBeforeSelf GetDefaultNamespace
        GetNamespaceOfPrefix GetPrefixOfNamespace GetSchema HasLineInfo IsAfter IsBefore Nodes NodesAfterSelf
        NodesBeforeSelf ReadXml Remove RemoveAll RemoveAnnotations RemoveAttributes RemoveNodes ReplaceAll
        ReplaceAttributes ReplaceNodes ReplaceWith Save SaveAsync SetAttributeValue SetElementValue SetValue
        WriteTo WriteToAsync WriteXml
    XmlDocument: AppendChild Clone CloneNode CreateAttribute CreateCDataSection CreateComment
        CreateDocumentFragment CreateDocumentType CreateElement CreateEntityReference CreateNavigator CreateNode
        CreateProcessingInstruction CreateSignificantWhitespace CreateTextNode CreateWhitespace
        CreateXmlDeclaration GetElementById GetElementsByTagName GetEnumerator GetNamespaceOfPrefix
        GetPrefixOfNamespace ImportNode InsertAfter InsertBefore Load LoadXml Normalize PrependChild ReadNode
        RemoveAll RemoveChild ReplaceChild Save SelectNodes SelectSingleNode Supports Validate WriteContentTo
        WriteTo
    XmlElement: AppendChild Clone CloneNode CreateNavigator GetAttribute GetAttributeNode GetElementsByTagName
        GetEnumerator GetNamespaceOfPrefix GetPrefixOfNamespace HasAttribute InsertAfter InsertBefore Normalize
        PrependChild RemoveAll RemoveAllAttributes RemoveAttribute RemoveAttributeAt RemoveAttributeNode
        RemoveChild ReplaceChild SelectNodes SelectSingleNode SetAttribute SetAttributeNode Supports
        WriteContentTo WriteTo
    XmlNode: AppendChild Clone CloneNode CreateNavigator GetEnumerator GetNamespaceOfPrefix GetPrefixOfNamespace
        InsertAfter InsertBefore Normalize PrependChild RemoveAll RemoveChild ReplaceChild SelectNodes
        SelectSingleNode Supports WriteContentTo WriteTo
    XmlReader: Close Dispose GetAttribute GetValueAsync IsStartElement LookupNamespace MoveToAttribute
        MoveToContent MoveToContentAsync MoveToElement MoveToFirstAttribute MoveToNextAttribute Read ReadAsync
        ReadAttributeValue ReadContentAs ReadContentAsAsync ReadContentAsBase64 ReadContentAsBase64Async
        ReadContentAsBinHex ReadContentAsBinHexAsync ReadContentAsBoolean ReadContentAsDateTime
        ReadContentAsDateTimeOffset ReadContentAsDecimal ReadContentAsDouble ReadContentAsFloat ReadContentAsInt
        ReadContentAsLong ReadContentAsObject ReadContentAsObjectAsync ReadContentAsString
        ReadContentAsStringAsync ReadElementContentAs ReadElementContentAsAsync ReadElementContentAsBase64
        ReadElementContentAsBase64Async ReadElementContentAsBinHex ReadElementContentAsBinHexAsync
        ReadElementContentAsBoolean ReadElementContentAsDateTime ReadElementContentAsDecimal
        ReadElementContentAsDouble ReadElementContentAsFloat ReadElementContentAsInt ReadElementContentAsLong
        ReadElementContentAsObject ReadElementContentAsObjectAsync ReadElementContentAsString
        ReadElementContentAsStringAsync ReadElementString ReadEndElement ReadInnerXml ReadInnerXmlAsync
        ReadOuterXml ReadOuterXmlAsync ReadStartElement ReadString ReadSubtree ReadToDescendant ReadToFollowing
        ReadToNextSibling ReadValueChunk ReadValueChunkAsync ResolveEntity Skip SkipAsync
    XmlWriter: Close Dispose Flush FlushAsync LookupPrefix WriteAttributeString WriteAttributeStringAsync
        WriteAttributes WriteAttributesAsync WriteBase64 WriteBase64Async WriteBinHex WriteBinHexAsync WriteCData
        WriteCDataAsync WriteCharEntity WriteCharEntityAsync WriteChars WriteCharsAsync WriteComment
        WriteCommentAsync WriteDocType WriteDocTypeAsync WriteElementString WriteElementStringAsync
        WriteEndAttribute WriteEndDocument WriteEndDocumentAsync WriteEndElement WriteEndElementAsync
        WriteEntityRef WriteEntityRefAsync WriteFullEndElement WriteFullEndElementAsync WriteName WriteNameAsync
        WriteNmToken WriteNmTokenAsync WriteNode WriteNodeAsync WriteProcessingInstruction
        WriteProcessingInstructionAsync WriteQualifiedName WriteQualifiedNameAsync WriteRaw WriteRawAsync
        WriteStartAttribute WriteStartDocument WriteStartDocumentAsync WriteStartElement WriteStartElementAsync
        WriteString WriteStringAsync WriteSurrogateCharEntity WriteSurrogateCharEntityAsync WriteValue
        WriteWhitespace WriteWhitespaceAsync
"""
_ALIASES = {
    "string": "String",
    "object": "Object",
    "int": "Int32",
    "uint": "UInt32",
    "long": "Int64",
    "ulong": "UInt64",
    "short": "Int16",
    "ushort": "UInt16",
    "byte": "Byte",
    "sbyte": "SByte",
    "bool": "Boolean",
    "char": "Char",
    "double": "Double",
    "float": "Single",
    "decimal": "Decimal",
}
_ENUMERABLE = ("String", "Array", "Dictionary", "IDictionary", "List", "IList", "ICollection", "IEnumerable", "HashSet")
_NUMBERS = ("UInt32", "UInt64", "Int16", "UInt16", "Byte", "SByte", "Single")


def _read() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    name = ""
    for word in _METHODS.split():
        if word.endswith(":"):
            name = word[:-1]
            found[name] = {*_OBJECT, *_LATER}
        else:
            found[name].add(word)
    for name in _NUMBERS:
        found[name] = found["Int32"]
    for name in _ENUMERABLE:
        found[name] |= _LINQ
    return {name: frozenset(words) for name, words in found.items()}


METHODS = _read()
EVERYDAY = frozenset(word for words in METHODS.values() for word in words)


def plain(name: str) -> str:
    """The name of a type outside without its namespace and arity; keywords as the types they stand for."""
    last = name.rpartition(".")[2].partition("`")[0]
    return _ALIASES.get(last, last)


def has(type_name: str, method: str) -> bool:
    """Whether a type outside may have a method; every type that is not listed may. Exceptions are alike."""
    name = plain(type_name)
    known = METHODS.get("Exception" if name.endswith("Exception") else name)
    return known is None or method in known
