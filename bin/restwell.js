#!/usr/bin/env node
/** The `restwell` command. Old syntax on purpose: an old Node must get far enough to be told. */

const needed = 26

const isTooOld = parseInt(process.versions.node, 10) < needed
// `init` works from Node 20.16 on, because its project brings the Node that it needs.
const isInit = process.argv[2] === 'init' && typeof process.getBuiltinModule === 'function'

if (isTooOld && !isInit) {
  process.stderr.write(
    `restwell needs Node.js ${needed} or later, and this is ${process.version}. Install a newer one from https://nodejs.org, or only for your project: npm install --save-dev node@${needed}, then run the command with npx.\n`,
  )
  process.exitCode = 1
} else {
  // Node stores compiled code for the next start; threads and workers find it by the environment.
  const { directory } = isTooOld ? {} : process.getBuiltinModule('node:module').enableCompileCache()
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
