# bash completion for shop, made from its command line

# What can follow the words of a command: subcommands, flags, those of them that take a value, and the kinds of arguments.
_shop_model() {
	subs= flags= valued= args=
	case $1 in
	'') subs='buy till' flags='--help -h' valued='' args='' ;;
	'buy') subs='' flags='--help -h --coin -c --into -i --from --note --quick -q' valued='--coin -c --into -i --from --note' args='file buy_what file+' ;;
	'till') subs='count close' flags='--help -h' valued='' args='' ;;
	'till count') subs='' flags='--help -h --days' valued='--days' args='' ;;
	'till close') subs='' flags='--help -h' valued='' args='any' ;;
	esac
}

# What the value of a flag is, or that of a kind of argument.
_shop_value() {
	words= kind=
	case $1 in
	'buy --coin' | 'buy -c') words='cent crown' ;;
	'buy --into' | 'buy -i') kind=dir ;;
	'buy --from') kind=file ;;
	'buy_what') words='bread brie' ;;
	file | dir) kind=$1 ;;
	esac
}

_shop() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag= path= i word n=0 skip= subs flags valued args words kind
	COMPREPLY=()
	_shop_model ""
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ -n $skip && $word == "=" ]]; then
			continue
		elif [[ -n $skip ]]; then
			skip=
		elif [[ $word == -* ]]; then
			[[ " $valued " == *" $word "* ]] && skip=$word
		elif [[ " $subs " == *" $word "* ]]; then
			path="${path:+$path }$word"
			_shop_model "$path"
		else
			n=$((n + 1))
		fi
	done
	[[ $cur == "=" ]] && cur=
	if [[ -n $skip ]]; then
		_shop_value "$path $skip"
	elif [[ $cur == -* ]]; then
		words=$flags kind=
	elif [[ -n $subs ]]; then
		words=$subs kind=
	else
		set -- $args
		for ((i = 0; i < n && $# > 1; i++)); do shift; done
		[[ $1 == *"+" || $i -eq $n ]] && _shop_value "${1%+}"
	fi
	case $kind in
	file) compopt -o filenames 2>/dev/null; words=$(compgen -f -- "$cur") ;;
	dir) compopt -o filenames 2>/dev/null; words=$(compgen -d -- "$cur") ;;
	*) words=$(compgen -W "$words" -- "$cur") ;;
	esac
	[[ -z $words ]] && return
	while IFS= read -r word; do COMPREPLY+=("$word"); done <<<"$words"
}
complete -F _shop shop
