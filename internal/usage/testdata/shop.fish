# fish completion for shop, made from its command line

# Succeeds where the words before the cursor lead to the command given.
function __shop_at
    set -l path
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' -- $path $word)
            case 'buy'
                set -a path $word
            case 'till'
                set -a path $word
            case 'till count'
                set -a path $word
            case 'till close'
                set -a path $word
        end
    end
    test "$path" = "$argv"
end

complete -c shop -f

complete -c shop -n '__shop_at ' -a buy -d 'Buy something.'
complete -c shop -n '__shop_at ' -a till -d 'Work at the till.'
complete -c shop -n '__shop_at ' -l help -s h -d 'Show context-sensitive help.'

complete -c shop -n '__shop_at buy' -l help -s h -d 'Show context-sensitive help.'
complete -c shop -n '__shop_at buy' -l coin -s c -x -a 'cent crown' -d 'Which coin.'
complete -c shop -n '__shop_at buy' -l into -s i -x -a '(__fish_complete_directories)' -d 'Bag.'
complete -c shop -n '__shop_at buy' -l from -r -F -d 'Lists of more.'
complete -c shop -n '__shop_at buy' -l note -x -d 'Why – in a word. \\ is one.'
complete -c shop -n '__shop_at buy' -l quick -s q -d 'Quickly.'
complete -c shop -n '__shop_at buy' -F
complete -c shop -n '__shop_at buy' -a 'bread brie'
complete -c shop -n '__shop_at buy' -F

complete -c shop -n '__shop_at till' -a count -d 'Count the money.'
complete -c shop -n '__shop_at till' -a close -d 'Close the till.'
complete -c shop -n '__shop_at till' -l help -s h -d 'Show context-sensitive help.'

complete -c shop -n '__shop_at till count' -l help -s h -d 'Show context-sensitive help.'
complete -c shop -n '__shop_at till count' -l days -x -d '.dotted.'

complete -c shop -n '__shop_at till close' -l help -s h -d 'Show context-sensitive help.'
