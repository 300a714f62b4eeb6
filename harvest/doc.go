// Package harvest keeps a harvest's folder: its state, its runs, and what each run delivers.
//
// The life of a run: Open begins it from a Plan, or goes on with one that was interrupted; Crawl
// fetches until the survey wants nothing more, and takes orders meanwhile; Deliver draws the maps,
// puts what belongs from the spool into the archive, and writes index, logs, reports and package;
// Close. A run that finds a finished one before it is a recrawl, and leaves out what the table of
// replicas says. Beside these there are views that change nothing (Examine, Folder, Run), the
// forecast of a recrawl (Forecast), and runs that only test mirrors (Verify).
//
// An opened harvest is made of parts that know one thing each, on a common ground of folder, state
// and run: losses compares the state with the WARC files, rulings and clerk settle what archivists
// decide and order, room decides on copies, proof and patch ask for pages beside the survey, atlas
// and drawer draw the maps, and delivery makes the results with a ledger, a finder, a forecaster and
// a packer.
//
// Delivering takes time linear in the number of visits; captures that belong are copied once,
// compressed as they are. Delivering twice gives the same files. It takes no more memory than the
// survey.
//
// # Delivered captures stay
//
// The folder is the record; the state is not. A WARC file in archive/ only grows: a delivered
// capture keeps its file, offset and bytes, whatever a later delivery of the run adds. A file in
// outside/ loses what a later delivery of the run has put into archive/, and nothing else. An index
// or a package is replaced only by one that names every capture of the former; else the
// former is set aside. A run has the number after the highest that the state or the folder knows. A
// state that is missing, damaged, or older than the runs beside it is rebuilt from these (Rebuilt);
// the former one is kept under another name.
//
// # The order of durability
//
// Each step relies on what those before it have on disk, and may be done again:
//
//	while it crawls, each second
//	  1. the spool's WARC files are synced
//	  2. the state is synced: it claims no capture that is not on disk
//	  3. the number of the state's checkpoint is told beside it, without a sync
//	when it ends
//	  1. files in archive/ and outside/, each synced before it has its name, and its folder then
//	  2. index, logs, reports, maps, package, in the same way
//	  3. the names in the run's folder and in the harvest's
//	  4. the state, which says now that the run is finished and where captures lie
//	  5. the spool loses its name, and is removed; files of what was wanted (Folder.Want) with it
//
// A run whose folder has a spool is not finished, and one that has an index and no spool is,
// whatever the state says; nor does a state lack a checkpoint that was told. So a state that is older
// than the folder, or has lost what was written last, is recognised. Opening a run that goes on
// compares each capture that the state claims with the WARC files; a lost capture is fetched again,
// and one that cannot be fetched again is reported (Delivered.Missing).
//
//	NAME/
//	  state/                    the store
//	  checkpoint                the number of its last checkpoint
//	  state.former-TIME/        one that was rebuilt, as it was
//	  run-0001/
//	    harvest.yaml            the configuration of the run, every option with its origin
//	    spool/                  WARC files while the run is under way
//	    archive/                WARC files of what belongs; outside/ for the rest where the harvest keeps it
//	    indexes/index.cdxj
//	    logs/                   crawl.log, skipped.jsonl, watershed.log; orders.jsonl, and
//	                            decisions.yaml as the run goes by it,
//	                            where something was changed or decided by hand
//	    reports/                seeds, hosts, sites, mime, status, skipped: .txt, and report.json
//	    sites/SITE/             map.json, links.jsonl, pages.csv, surt.txt, regex.txt,
//	                            sitemap.xml, scales.csv
//	    mirrors.json            by which rules what was left out is answered by other captures
//	    status.json             how the run stands, renewed each second
//	    present/                sites, logs and reports of a run under way, as it stood when
//	                            somebody asked: see Drawing
//	    NAME-0001.wacz
//	    upload.json             what a store has of these, where one is named: see upload.Record
//	    *.before-TIME.*         an index or package with captures that the archive no longer has
//	  replicas.yaml             the table of replicas
//	  decisions.yaml            what was decided by hand: what is in, out, excluded, and the scale
//	  orders.json               orders for the run that is begun next: see KeptOrder
//	  control.sock              where the run under way takes orders
//	  wanted/                   what archivists ask the next run to fetch, until it has
//	  proofs/                   a folder like this one, of the runs that only test mirrors
package harvest
