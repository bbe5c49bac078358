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
    .catch((error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes('dist')) throw error
      process.stderr.write('restwell is not built. Run: npm run build\n')
      process.exit(1)
    })
    .then((cli) => cli.run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}
