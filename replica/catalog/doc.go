// Package catalog keeps the documents of a crawl, sweep by sweep, and finds the copies among them.
//
// The words: a sweep is one pass of a crawl, numbered in time; a document is a page as one sweep
// found it: its sketch, the digest of its bytes, the pages that it links to. The current document
// of a page is that of the latest sweep that has the page; a page that a sweep found gone has none.
// A catalog is a folder that holds the documents of some sweeps. A finding is the result of a search
// among the current documents: replicated collections (package collection), hosts with pages in
// common, and what may be proposed to a table of replicas (package replica).
//
// The way of a page: a Document is added to a sweep and goes to the sweep's file; Find clusters the
// documents of all sweeps (package cluster), numbers the current ones, and hands their links and
// clusters to package collection; Propose compares each replica page by page with the pages that
// stand for it, and says whether the evidence is full.
//
// Memory: the buffers of the sorts (Options.Memory), and for each page some 200 bytes and its URL
// while Find runs; sketches and links stay on disk. The folder is told in docs/formats/catalog.md.
package catalog
