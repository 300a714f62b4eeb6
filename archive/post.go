package archive

// MethodArgument stands in the key of an answer to a request of another method than GET, as pywb and
// cdxj-indexer make it.
const MethodArgument = "__wb_method="
