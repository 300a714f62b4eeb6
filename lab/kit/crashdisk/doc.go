// Package crashdisk is a file system for tests. It carries every operation out in a real folder,
// remembers it, and builds that folder anew as it may be after a crash at any of the operations:
// the process died, or the power failed.
//
// # The model
//
// The process dies before operation k: all earlier operations are there, and a part of k if it is a
// write.
//
// The power fails before operation k. An inode and its names are kept apart, as on a real disk:
//
//   - A file has its content at its last Sync, and any part of what came later: nothing, all, the
//     first operations with the last of them torn, or some of them. A torn write leaves its first
//     bytes, or some of its sectors of 512 bytes. Where a lost write had made the file longer,
//     there may be zeros. Nothing behind a lost Truncate is there, because the blocks that a file
//     gives up are not written again before.
//   - A folder has its names at its last SyncDir, and any of the later creations, renames, links
//     and removals. Changes of the same name keep their order; others need not. A rename is one
//     change, also between folders: it is durable once either folder is synced, and never takes
//     both names away. So a file that was renamed before it was synced may be empty under its new
//     name.
//   - A folder that was made is there once the folder above it was synced; all in it is lost with
//     it.
//   - The content of a file says nothing of its names: Sync does not keep a file whose folder was
//     not synced.
//
// The root is durable, and empty at the beginning. Foreign folders (Options.Foreign) are made and
// filled past this package, as a database does that maps its files into memory; their names are
// changed like others. After the death of the process they are as they were when operation k began.
// After a power cut they may be so, too, because the system writes mapped pages when it likes; or
// they are the copies that Snapshot took last, and empty before the first one. Their owner calls
// Snapshot when all in them is synced.
//
// # Left out of the model
//
// Bit rot, writes that the disk confirmed and lost, and errors of system calls. Some file systems
// promise more than is built here: ext4 keeps the names of a file that is synced. A protocol that
// holds here holds there too.
//
// # Sources
//
// Pillai et al., All File Systems Are Not Created Equal: On the Complexity of Crafting
// Crash-Consistent Applications (OSDI 2014), §3.1 and §3.2: logical operations, and their abstract
// persistence model (atomicity of sizes and contents, order of folder operations) which ALICE
// explores. Pebble's vfs.NewCrashableMem, its strict memory file system: content at the last sync,
// names at the folder's last sync. SQLite's test6.c, the crashing VFS: unsynced writes in sectors
// are written, lost or trashed at random.
package crashdisk
