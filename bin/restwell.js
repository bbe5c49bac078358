#!/usr/bin/env node
/** The `restwell` command. Old syntax on purpose: an old Node must get far enough to be told. */

const needed = 26

if (parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `restwell needs Node.js ${needed} or later, and this is ${process.version}. Install a newer one from https://nodejs.org.\n`,
  )
  process.exitCode = 1
} else {
  // What was compiled once need not be compiled at every start; nor by threads and workers, which
  // are told by the environment.
  const { directory } = process.getBuiltinModule('node:module').enableCompileCache()
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  import('../dist/cli.js')
    .then((cli) => cli.run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}
