# fish completion for watershed: the program itself says what may follow, and fish names files.
complete -c watershed -a '(COMP_LINE=(commandline -cp | string collect) watershed 2>/dev/null)'
