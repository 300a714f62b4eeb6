// Package harvest keeps a harvest's folder: its state, its runs, and what each run delivers.
//
// The life of a run: Open begins it from a Plan, or goes on with one that was interrupted; Crawl fetches until the survey wants nothing
// more, and takes orders meanwhile; Deliver draws the maps, puts what belongs from the spool into the archive, and writes index, logs,
// reports and package; Close. A run that finds a finished one before it is a recrawl, and leaves out what the table of replicas says.
// Beside these stand what only looks (Examine, Folder, Run), what is told beforehand (Forecast), and runs that only test mirrors (Verify).
//
// Delivering costs time linear in what was visited, and what is promoted is copied once, compressed as it is; twice gives the same. Memory
// is that of the survey.
//
//	NAME/
//	  state/                    the store
//	  run-0001/
//	    harvest.yaml            the configuration of the run, every option with its origin
//	    spool/                  WARC files while the run is under way
//	    archive/                WARC files of what belongs; outside/ for the rest where the harvest keeps it
//	    indexes/index.cdxj
//	    logs/                   crawl.log, skipped.jsonl, watershed.log; orders.jsonl, and decisions.yaml as the run goes by it,
//	                            where something was changed or decided by hand
//	    reports/                seeds, hosts, sites, mime, status, skipped: .txt, and report.json
//	    sites/SITE/             map.json, links.jsonl, pages.csv, surt.txt, regex.txt, sitemap.xml, scales.csv and .svg
//	    mirrors.json            by which rules what was left out is answered by other captures
//	    status.json             how the run stands, renewed each second
//	    present/                sites, logs and reports of a run under way, as it stood when somebody asked: see Drawing
//	    NAME-0001.wacz
//	  replicas.yaml             the table of replicas
//	  decisions.yaml            what was decided by hand: what is in, out, excluded, and the scale
//	  control.sock              where the run under way takes orders
//	  wanted/                   what archivists ask the next run to fetch, until it has
//	  proofs/                   a folder like this one, of the runs that only test mirrors
package harvest
