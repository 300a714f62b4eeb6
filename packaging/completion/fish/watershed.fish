# fish completion for watershed, made from its command line

# Succeeds where the words before the cursor lead to the command given.
function __watershed_at
    set -l path
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' -- $path $word)
            case 'demo'
                set -a path $word
            case 'config'
                set -a path $word
            case 'config check'
                set -a path $word
            case 'config show'
                set -a path $word
            case 'config schema'
                set -a path $word
            case 'config example'
                set -a path $word
            case 'harvest'
                set -a path $word
            case 'import'
                set -a path $word
            case 'status'
                set -a path $word
            case 'log'
                set -a path $word
            case 'control'
                set -a path $word
            case 'control pause'
                set -a path $word
            case 'control resume'
                set -a path $word
            case 'control stop'
                set -a path $word
            case 'control delay'
                set -a path $word
            case 'control limit'
                set -a path $word
            case 'ui'
                set -a path $word
            case 'explain'
                set -a path $word
            case 'scales'
                set -a path $word
            case 'decide'
                set -a path $word
            case 'decide in'
                set -a path $word
            case 'decide out'
                set -a path $word
            case 'decide soft'
                set -a path $word
            case 'decide exclude'
                set -a path $word
            case 'decide alpha'
                set -a path $word
            case 'decide withdraw'
                set -a path $word
            case 'decide list'
                set -a path $word
            case 'copies'
                set -a path $word
            case 'copies list'
                set -a path $word
            case 'copies verify'
                set -a path $word
            case 'copies confirm'
                set -a path $word
            case 'copies reject'
                set -a path $word
            case 'copies reopen'
                set -a path $word
            case 'copies check'
                set -a path $word
            case 'copies import'
                set -a path $word
            case 'report'
                set -a path $word
            case 'skipped'
                set -a path $word
            case 'search'
                set -a path $word
            case 'quality'
                set -a path $word
            case 'changes'
                set -a path $word
            case 'forecast'
                set -a path $word
            case 'upload'
                set -a path $word
            case 'wacz'
                set -a path $word
            case 'delimit'
                set -a path $word
            case 'warc'
                set -a path $word
            case 'warc ls'
                set -a path $word
            case 'warc cat'
                set -a path $word
            case 'warc check'
                set -a path $word
            case 'cdxj'
                set -a path $word
            case 'completion'
                set -a path $word
            case 'man'
                set -a path $word
        end
    end
    test "$path" = "$argv"
end

complete -c watershed -f

complete -c watershed -n '__watershed_at ' -a demo -d 'Serve a small web of many hosts on loopback, harvest it, and say where to look.'
complete -c watershed -n '__watershed_at ' -a config -d 'Write a harvest\'s YAML, check it, and see every option.'
complete -c watershed -n '__watershed_at ' -a harvest -d 'Harvest the sites of a YAML file, or go on where the last run stopped.'
complete -c watershed -n '__watershed_at ' -a import -d 'Make a harvest\'s YAML of another crawler\'s configuration.'
complete -c watershed -n '__watershed_at ' -a status -d 'Say how a harvest stands.'
complete -c watershed -n '__watershed_at ' -a log -d 'Show what a run asks for and what happens to it; -f goes on with it.'
complete -c watershed -n '__watershed_at ' -a control -d 'Give orders to a harvest under way.'
complete -c watershed -n '__watershed_at ' -a ui -d 'Show harvests in a browser: the archivist\'s desk. Of a folder it also begins and ends them.'
complete -c watershed -n '__watershed_at ' -a explain -d 'Say whether a URL is in or out, and why.'
complete -c watershed -n '__watershed_at ' -a scales -d 'Print how far a site reaches at other scales, or its boundary at one of them.'
complete -c watershed -n '__watershed_at ' -a decide -d 'Decide by hand what is in, out or excluded, and at which scale, over the YAML.'
complete -c watershed -n '__watershed_at ' -a copies -d 'Look at what is left out as a copy, and decide on it.'
complete -c watershed -n '__watershed_at ' -a report -d 'Print a report of a harvest.'
complete -c watershed -n '__watershed_at ' -a skipped -d 'List or count what was left out, and why.'
complete -c watershed -n '__watershed_at ' -a search -d 'Find captures by the words of their text, title and address.'
complete -c watershed -n '__watershed_at ' -a quality -d 'Check a sample of pages: their text and requisites in the archive, and why some are missing.'
complete -c watershed -n '__watershed_at ' -a changes -d 'Say what has changed between two runs.'
complete -c watershed -n '__watershed_at ' -a forecast -d 'Say what the next recrawl will cost and spare, how often pages change, and when to come again.'
complete -c watershed -n '__watershed_at ' -a upload -d 'Upload what runs have delivered to an S3 store, from where an earlier upload stopped.'
complete -c watershed -n '__watershed_at ' -a wacz -d 'Package a harvest, or a part of it, as WACZ.'
complete -c watershed -n '__watershed_at ' -a delimit -d 'Find the logical websites in archives, and what was never captured of them.'
complete -c watershed -n '__watershed_at ' -a warc -d 'Look into WARC files.'
complete -c watershed -n '__watershed_at ' -a cdxj -d 'Index WARC files.'
complete -c watershed -n '__watershed_at ' -a completion -d 'Print a script by which bash, zsh or fish complete this command line.'
complete -c watershed -n '__watershed_at ' -a man -d 'Print a manual page; man -l - shows it.'
complete -c watershed -n '__watershed_at ' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at ' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at demo' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at demo' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at demo' -l dir -x -a '(__fish_complete_directories)' -d 'Folder for the harvest and its YAML.'
complete -c watershed -n '__watershed_at demo' -l again -d 'Go on with the last demo: harvest the web once more, as it is some weeks later.'
complete -c watershed -n '__watershed_at demo' -l keep -d 'Keep serving the web afterwards, until interrupted.'

complete -c watershed -n '__watershed_at config' -a check -d 'Check a harvest\'s YAML; exit 4 when something is wrong.'
complete -c watershed -n '__watershed_at config' -a show -d 'Print every option with its value and where that comes from.'
complete -c watershed -n '__watershed_at config' -a schema -d 'Print the JSON Schema of a harvest, for editors.'
complete -c watershed -n '__watershed_at config' -a example -d 'Print an example; without a name, list them.'
complete -c watershed -n '__watershed_at config' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at config' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at config check' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at config check' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at config check' -F

complete -c watershed -n '__watershed_at config show' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at config show' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at config show' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at config show' -F

complete -c watershed -n '__watershed_at config schema' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at config schema' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at config example' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at config example' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at harvest' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at harvest' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at harvest' -l fresh -d 'Start over: what there is of the harvest is moved aside.'
complete -c watershed -n '__watershed_at harvest' -l extend -d 'Ask only for what the last run\'s archive has not, for example after boundary.alpha was changed.'
complete -c watershed -n '__watershed_at harvest' -l dry-run -d 'Survey the sites and print their boundaries; keep nothing.'
complete -c watershed -n '__watershed_at harvest' -l look -x -d 'Pause after so many URLs, to see in the desk what was met, and decide; watershed control resume or the desk\'s button goes on.'
complete -c watershed -n '__watershed_at harvest' -l words -d 'Index the words of the captures when the run has ended, for watershed search and the desk.'
complete -c watershed -n '__watershed_at harvest' -l json-log -d 'Log as JSON lines, and show no progress line.'
complete -c watershed -n '__watershed_at harvest' -l quiet -s q -d 'Print only the result.'
complete -c watershed -n '__watershed_at harvest' -l ui -d 'Serve the archivist\'s desk for as long as the harvest goes on.'
complete -c watershed -n '__watershed_at harvest' -l dir -x -a '(__fish_complete_directories)' -d 'Of addresses: folder for the harvest, and for its YAML beside it.'
complete -c watershed -n '__watershed_at harvest' -l as -x -d 'Of addresses: name of the harvest. Default: by the first address.'
complete -c watershed -n '__watershed_at harvest' -l contact -x -d 'Of addresses: where webmasters reach you, a mail address or a web page. Kept for the next harvest.'
complete -c watershed -n '__watershed_at harvest' -l operator -x -d 'Of addresses: who harvests, a person or institution. Default: the contact.'
complete -c watershed -n '__watershed_at harvest' -l allow-private -x -d 'Of addresses: networks that may be fetched from though they are private, such as 127.0.0.0/8.'
complete -c watershed -n '__watershed_at harvest' -l listen -x -d 'Host and port of the desk; port 0 is one that is free. Elsewhere than on loopback accounts or a token are needed, and a certificate, or a proxy that speaks TLS.'
complete -c watershed -n '__watershed_at harvest' -l replay-listen -x -d 'Host and port at which archived pages are replayed, apart from the desk. Default: the desk\'s host, a free port.'
complete -c watershed -n '__watershed_at harvest' -l replay-url -x -d 'Where browsers find the replay behind a proxy, such as https://replay.example.org; its host needs a --name too.'
complete -c watershed -n '__watershed_at harvest' -l replay-key-file -r -F -d 'File with a key that is part of the replay\'s addresses, so that replay programs find the archive after the desk was started again. Default: a new key each time.'
complete -c watershed -n '__watershed_at harvest' -l name -x -d 'Further host name by which the desk may be asked, such as that of a proxy.'
complete -c watershed -n '__watershed_at harvest' -l certificate -r -F -d 'File with the certificate of the desk\'s names, and those above it, in PEM form; it is read again when it has changed.'
complete -c watershed -n '__watershed_at harvest' -l key -r -F -d 'File with the certificate\'s key, in PEM form.'
complete -c watershed -n '__watershed_at harvest' -l token-file -r -F -d 'File with the token that lets in browsers, and programs as a bearer token.'
complete -c watershed -n '__watershed_at harvest' -l accounts-file -r -F -d 'File with the people who may enter the desk: a line each with name, role (read, decide or run) and the password\'s hash, as argon2 SALT -id -k 65536 -e prints it.'
complete -c watershed -n '__watershed_at harvest' -F

complete -c watershed -n '__watershed_at import' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at import' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at import' -l out -s o -r -F -d 'Write the YAML into a new file. Default: print it.'
complete -c watershed -n '__watershed_at import' -F

complete -c watershed -n '__watershed_at status' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at status' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at status' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at status' -F

complete -c watershed -n '__watershed_at log' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at log' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at log' -l follow -s f -d 'Go on with what is added, until the run ends.'
complete -c watershed -n '__watershed_at log' -l lines -s n -x -d 'Lines shown at first, of the last 256 KiB of the logs.'
complete -c watershed -n '__watershed_at log' -F

complete -c watershed -n '__watershed_at control' -a pause -d 'Ask for nothing more until resume, also over a restart.'
complete -c watershed -n '__watershed_at control' -a resume -d 'Go on after a pause.'
complete -c watershed -n '__watershed_at control' -a stop -d 'End the process as an interrupt does: all is saved, and the same harvest goes on where it stopped.'
complete -c watershed -n '__watershed_at control' -a delay -d 'Set the least pause between two requests to a host. It is never less than robots.txt and the YAML ask for.'
complete -c watershed -n '__watershed_at control' -a limit -d 'Set a limit for the rest of the run: of pages, files, bytes or time of the harvest, or of pages, files or bytes of a host.'
complete -c watershed -n '__watershed_at control' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at control pause' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control pause' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at control pause' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at control pause' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at control pause' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at control pause' -F

complete -c watershed -n '__watershed_at control resume' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control resume' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at control resume' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at control resume' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at control resume' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at control resume' -F

complete -c watershed -n '__watershed_at control stop' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control stop' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at control stop' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at control stop' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at control stop' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at control stop' -F

complete -c watershed -n '__watershed_at control delay' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control delay' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at control delay' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at control delay' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at control delay' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at control delay' -F

complete -c watershed -n '__watershed_at control limit' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at control limit' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at control limit' -l host -x -d 'Limit of this host in place of that of the harvest; "*" is each host by itself.'
complete -c watershed -n '__watershed_at control limit' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at control limit' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at control limit' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at control limit' -F
complete -c watershed -n '__watershed_at control limit' -a 'pages files bytes time'

complete -c watershed -n '__watershed_at ui' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at ui' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at ui' -l open -d 'Start the browser of this desktop on it. Without a desktop the link is printed.'
complete -c watershed -n '__watershed_at ui' -l allow-private -x -d 'Of a folder: networks that a harvest which is written in the browser may fetch from though they are private, such as 127.0.0.0/8.'
complete -c watershed -n '__watershed_at ui' -l listen -x -d 'Host and port of the desk; port 0 is one that is free. Elsewhere than on loopback accounts or a token are needed, and a certificate, or a proxy that speaks TLS.'
complete -c watershed -n '__watershed_at ui' -l replay-listen -x -d 'Host and port at which archived pages are replayed, apart from the desk. Default: the desk\'s host, a free port.'
complete -c watershed -n '__watershed_at ui' -l replay-url -x -d 'Where browsers find the replay behind a proxy, such as https://replay.example.org; its host needs a --name too.'
complete -c watershed -n '__watershed_at ui' -l replay-key-file -r -F -d 'File with a key that is part of the replay\'s addresses, so that replay programs find the archive after the desk was started again. Default: a new key each time.'
complete -c watershed -n '__watershed_at ui' -l name -x -d 'Further host name by which the desk may be asked, such as that of a proxy.'
complete -c watershed -n '__watershed_at ui' -l certificate -r -F -d 'File with the certificate of the desk\'s names, and those above it, in PEM form; it is read again when it has changed.'
complete -c watershed -n '__watershed_at ui' -l key -r -F -d 'File with the certificate\'s key, in PEM form.'
complete -c watershed -n '__watershed_at ui' -l token-file -r -F -d 'File with the token that lets in browsers, and programs as a bearer token.'
complete -c watershed -n '__watershed_at ui' -l accounts-file -r -F -d 'File with the people who may enter the desk: a line each with name, role (read, decide or run) and the password\'s hash, as argon2 SALT -id -k 65536 -e prints it.'
complete -c watershed -n '__watershed_at ui' -F

complete -c watershed -n '__watershed_at explain' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at explain' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at explain' -l at -x -d 'Explain at the scale of this alpha.'
complete -c watershed -n '__watershed_at explain' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at explain' -F

complete -c watershed -n '__watershed_at scales' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at scales' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at scales' -l at -x -d 'Choose the scale at this alpha.'
complete -c watershed -n '__watershed_at scales' -l export -x -a 'surt regex csv urls json' -d 'Print the boundary at that scale as surt, regex, csv, urls or json.'
complete -c watershed -n '__watershed_at scales' -l all -d 'Print every scale, not only the 24 longest.'
complete -c watershed -n '__watershed_at scales' -l json -d 'Print the scales as JSON.'
complete -c watershed -n '__watershed_at scales' -l csv -d 'Print the scales as CSV.'
complete -c watershed -n '__watershed_at scales' -F

complete -c watershed -n '__watershed_at decide' -a in -d 'Have pages inside, whatever the links say.'
complete -c watershed -n '__watershed_at decide' -a out -d 'Have pages outside; their links remain evidence.'
complete -c watershed -n '__watershed_at decide' -a soft -d 'Feed pages as those of the site\'s prefix are; whether they belong the links decide.'
complete -c watershed -n '__watershed_at decide' -a exclude -d 'Never fetch pages, nor let them count.'
complete -c watershed -n '__watershed_at decide' -a alpha -d 'Draw the boundary at another scale.'
complete -c watershed -n '__watershed_at decide' -a withdraw -d 'Take a decision back.'
complete -c watershed -n '__watershed_at decide' -a list -d 'List what was decided.'
complete -c watershed -n '__watershed_at decide' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at decide in' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide in' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide in' -l below -d 'The address stands for all that begin with it.'
complete -c watershed -n '__watershed_at decide in' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide in' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide in' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide in' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide in' -F

complete -c watershed -n '__watershed_at decide out' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide out' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide out' -l below -d 'The address stands for all that begin with it.'
complete -c watershed -n '__watershed_at decide out' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide out' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide out' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide out' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide out' -F

complete -c watershed -n '__watershed_at decide soft' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide soft' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide soft' -l below -d 'The address stands for all that begin with it.'
complete -c watershed -n '__watershed_at decide soft' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide soft' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide soft' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide soft' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide soft' -F

complete -c watershed -n '__watershed_at decide exclude' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide exclude' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide exclude' -l below -d 'The address stands for all that begin with it.'
complete -c watershed -n '__watershed_at decide exclude' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide exclude' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide exclude' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide exclude' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide exclude' -F

complete -c watershed -n '__watershed_at decide alpha' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide alpha' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide alpha' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide alpha' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide alpha' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide alpha' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide alpha' -F

complete -c watershed -n '__watershed_at decide withdraw' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide withdraw' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide withdraw' -l below -d 'The address stands for all that begin with it.'
complete -c watershed -n '__watershed_at decide withdraw' -l site -x -d 'Site of the harvest. Default: each.'
complete -c watershed -n '__watershed_at decide withdraw' -l note -x -d 'Why, in a line; it is kept in the harvest\'s record.'
complete -c watershed -n '__watershed_at decide withdraw' -l by -x -d 'Who says so. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at decide withdraw' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at decide withdraw' -F

complete -c watershed -n '__watershed_at decide list' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at decide list' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at decide list' -l json -d 'Print JSON, with what was withdrawn.'
complete -c watershed -n '__watershed_at decide list' -F

complete -c watershed -n '__watershed_at copies' -a list -d 'List the table of a harvest, show one entry with its history, or write all to a file.'
complete -c watershed -n '__watershed_at copies' -a verify -d 'Test what is proposed, or look for more: fetch a few pages of both, compare, and confirm or reject.'
complete -c watershed -n '__watershed_at copies' -a confirm -d 'Leave a copy out from the next run on.'
complete -c watershed -n '__watershed_at copies' -a reject -d 'Say that something is no copy: it is fetched, and not proposed again.'
complete -c watershed -n '__watershed_at copies' -a reopen -d 'Fetch a copy again, until it is confirmed anew.'
complete -c watershed -n '__watershed_at copies' -a check -d 'Open what stands for each URL that a run left out, and compare it: exit code 9 where one does not fit.'
complete -c watershed -n '__watershed_at copies' -a import -d 'Take over a table (.yaml, .csv) or a list of aliases (any other name).'
complete -c watershed -n '__watershed_at copies' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at copies list' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies list' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies list' -l state -x -a 'proposed confirmed pruned expired reopened rejected' -d 'Only those in this state: proposed, confirmed, pruned, expired, reopened or rejected.'
complete -c watershed -n '__watershed_at copies list' -l out -s o -r -F -d 'Write the whole table to this file, as YAML or, where the name ends in .csv, as CSV.'
complete -c watershed -n '__watershed_at copies list' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at copies list' -F

complete -c watershed -n '__watershed_at copies verify' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies verify' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies verify' -l from -r -F -d 'Test these pairs, too: a table (.yaml, .csv with the columns from and to).'
complete -c watershed -n '__watershed_at copies verify' -l urls -r -F -d 'Addresses that are known of the hosts, one a line, besides those that were captured.'
complete -c watershed -n '__watershed_at copies verify' -l find -x -d 'Look for mirrors first among all hosts that the harvest\'s runs know, and test the N likeliest pairs, too.'
complete -c watershed -n '__watershed_at copies verify' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at copies verify' -l json-log -d 'Log as JSON lines, and show no progress line.'
complete -c watershed -n '__watershed_at copies verify' -l quiet -s q -d 'Print only the result.'
complete -c watershed -n '__watershed_at copies verify' -F

complete -c watershed -n '__watershed_at copies confirm' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies confirm' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies confirm' -l note -x -d 'Why, in a line; it is kept with the entry.'
complete -c watershed -n '__watershed_at copies confirm' -l by -x -d 'Who decides. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at copies confirm' -l to -x -d 'Host or directory of the original. Needed where the table does not have it.'
complete -c watershed -n '__watershed_at copies confirm' -l level -x -d 'Level, 1 to 5; 0 leaves it as it is.'
complete -c watershed -n '__watershed_at copies confirm' -F

complete -c watershed -n '__watershed_at copies reject' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies reject' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies reject' -l note -x -d 'Why, in a line; it is kept with the entry.'
complete -c watershed -n '__watershed_at copies reject' -l by -x -d 'Who decides. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at copies reject' -F

complete -c watershed -n '__watershed_at copies reopen' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies reopen' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies reopen' -l note -x -d 'Why, in a line; it is kept with the entry.'
complete -c watershed -n '__watershed_at copies reopen' -l by -x -d 'Who decides. Default: you, as the system knows you.'
complete -c watershed -n '__watershed_at copies reopen' -F

complete -c watershed -n '__watershed_at copies check' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies check' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies check' -l run -x -d 'Number of the run. Default: the last.'
complete -c watershed -n '__watershed_at copies check' -F

complete -c watershed -n '__watershed_at copies import' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at copies import' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at copies import' -l hosts -r -F -d 'Hosts for the patterns of a list of aliases, such as *.mirrors.example: one, or a URL, a line. Default: all that the runs of the harvest know.'
complete -c watershed -n '__watershed_at copies import' -F
complete -c watershed -n '__watershed_at copies import' -F

complete -c watershed -n '__watershed_at report' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at report' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at report' -l json -d 'Print all of them as JSON.'
complete -c watershed -n '__watershed_at report' -F
complete -c watershed -n '__watershed_at report' -a 'ending losses seeds hosts sites mime status skipped missing'

complete -c watershed -n '__watershed_at skipped' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at skipped' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at skipped' -l reason -x -a 'outOfScope outOfScopeUserExclusion robotsTxt noFollow pageLimit depthLimit trap lowNovelty mirror duplicate rateLimited redirectToExcluded privateAddress scheme failed unread' -d 'Only what was left out for this reason, such as robotsTxt or outOfScope.'
complete -c watershed -n '__watershed_at skipped' -l host -x -d 'Only URLs of this host.'
complete -c watershed -n '__watershed_at skipped' -l rule -x -d 'Only what this rule, limit or line of robots.txt left out.'
complete -c watershed -n '__watershed_at skipped' -l site -x -d 'Only what was wanted for this site.'
complete -c watershed -n '__watershed_at skipped' -l prefix -x -d 'Only URLs that begin so.'
complete -c watershed -n '__watershed_at skipped' -l by -x -a 'reason host rule site prefix' -d 'Count them by reason, host, rule, site or prefix, and list none.'
complete -c watershed -n '__watershed_at skipped' -l run -x -d 'Number of the run. Default: the last.'
complete -c watershed -n '__watershed_at skipped' -l limit -x -d 'Most lines; 0 for all.'
complete -c watershed -n '__watershed_at skipped' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at skipped' -F

complete -c watershed -n '__watershed_at search' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at search' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at search' -l limit -x -d 'Hits to be printed, 1000 at most.'
complete -c watershed -n '__watershed_at search' -l from -x -d 'Hits to be passed over.'
complete -c watershed -n '__watershed_at search' -l behind -d 'Search the index as it stands, without bringing it up to date first.'
complete -c watershed -n '__watershed_at search' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at search' -F

complete -c watershed -n '__watershed_at quality' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at quality' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at quality' -l pages -x -d 'Pages to be drawn, 1000 at most.'
complete -c watershed -n '__watershed_at quality' -l seed -x -d 'Of the draw: the same seed draws the same pages.'
complete -c watershed -n '__watershed_at quality' -l run -x -d 'Draw pages of the run of this number alone. Default: of all.'
complete -c watershed -n '__watershed_at quality' -l draw -d 'Have a browser draw pages once more, out of the archive alone, and tell what they ask for that it lacks; the sample is of pages that a browser has drawn.'
complete -c watershed -n '__watershed_at quality' -l fetch -d 'Ask the next run for what is missing and may be fetched; watershed harvest --extend fetches it.'
complete -c watershed -n '__watershed_at quality' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at quality' -F

complete -c watershed -n '__watershed_at changes' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at changes' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at changes' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at changes' -l csv -d 'Print a line for each page that has changed, as CSV.'
complete -c watershed -n '__watershed_at changes' -F

complete -c watershed -n '__watershed_at forecast' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at forecast' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at forecast' -l share -x -d 'Part of the pages that may have changed before the next visit.'
complete -c watershed -n '__watershed_at forecast' -l json -d 'Print JSON.'
complete -c watershed -n '__watershed_at forecast' -F

complete -c watershed -n '__watershed_at upload' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at upload' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at upload' -l remove -d 'Then remove the WARC files and packages of finished runs here, each after the store was asked whether it holds the same bytes.'
complete -c watershed -n '__watershed_at upload' -F

complete -c watershed -n '__watershed_at wacz' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at wacz' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at wacz' -F

complete -c watershed -n '__watershed_at delimit' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at delimit' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at delimit' -l from -r -F -d 'WARC file, WACZ package, CDXJ index, link list, or folder of WARC files; may be given several times.'
complete -c watershed -n '__watershed_at delimit' -l seed -x -d 'Entry page of a site; may be given several times. Without one the sites are found.'
complete -c watershed -n '__watershed_at delimit' -l config -r -F -d 'Harvest YAML, whose sites and boundary: are taken.'
complete -c watershed -n '__watershed_at delimit' -l out -s o -x -a '(__fish_complete_directories)' -d 'Folder to be written, which must not exist or be empty.'
complete -c watershed -n '__watershed_at delimit' -l min-pages -x -d 'Pages that make a site; what has fewer is listed as a rest, without a map.'
complete -c watershed -n '__watershed_at delimit' -l quiet -s q -d 'Print only the result.'
complete -c watershed -n '__watershed_at delimit' -F

complete -c watershed -n '__watershed_at warc' -a ls -d 'List the records of WARC files: offset, type, date, address.'
complete -c watershed -n '__watershed_at warc' -a cat -d 'Print one record as it lies in the file.'
complete -c watershed -n '__watershed_at warc' -a check -d 'Check digests, framing and header fields, and the lists and signature of packages; exit 9 when something is wrong.'
complete -c watershed -n '__watershed_at warc' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at warc' -l version -d 'Print the version.'

complete -c watershed -n '__watershed_at warc ls' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at warc ls' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at warc ls' -F

complete -c watershed -n '__watershed_at warc cat' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at warc cat' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at warc cat' -l payload -d 'Print only the payload of an HTTP response, without transfer and content coding.'
complete -c watershed -n '__watershed_at warc cat' -F

complete -c watershed -n '__watershed_at warc check' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at warc check' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at warc check' -l quiet -s q -d 'Print only what is wrong.'
complete -c watershed -n '__watershed_at warc check' -F

complete -c watershed -n '__watershed_at cdxj' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at cdxj' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at cdxj' -l out -s o -r -F -d 'File to write; standard output by default.'
complete -c watershed -n '__watershed_at cdxj' -l parquet -r -F -d 'Write the table of Common Crawl\'s columnar index in place of CDXJ.'
complete -c watershed -n '__watershed_at cdxj' -F

complete -c watershed -n '__watershed_at completion' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at completion' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at completion' -l out -s o -x -a '(__fish_complete_directories)' -d 'Write the scripts of all shells into a folder instead.'
complete -c watershed -n '__watershed_at completion' -a 'bash zsh fish'

complete -c watershed -n '__watershed_at man' -l help -s h -d 'Show context-sensitive help.'
complete -c watershed -n '__watershed_at man' -l version -d 'Print the version.'
complete -c watershed -n '__watershed_at man' -l out -s o -x -a '(__fish_complete_directories)' -d 'Write all pages into a folder instead.'
