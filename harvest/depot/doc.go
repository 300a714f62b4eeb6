// Package depot keeps a folder of harvests: it lists them, writes their YAML, and begins their runs
// as processes of their own.
//
// # Words
//
//   - A harvest of the depot is a file NAME.yaml in the folder itself. Its runs lie where its
//     archive.dir leads; those that a browser writes lie beside it, in NAME.
//   - A start is a process that the depot has begun: watershed harvest, with the YAML's path. Its
//     output stands in NAME.log.
//   - A harvest is under way while a start of it has not ended, or any process takes orders for it.
//
// # Invariants
//
//  1. No name that is given leads out of the folder, neither by "..", nor by a symbolic link: all
//     files are opened through os.Root.
//  2. Text that is given is kept only if configs.Confined takes it. A YAML that another hand wrote
//     is begun as it stands; it is replaced only by text of which the same is true.
//  3. A start belongs to no terminal and has no pipe to this process: it goes on when the process
//     ends, and no signal to the process's group reaches it.
//  4. A YAML is replaced only by who has seen it as it stands.
//  5. Of two processes one keeps a folder: it holds the lock on LockFile.
package depot
