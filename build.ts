/**
 * Makes the JavaScript of the package: few files in `dist/`, for Node takes its time to find and
 * link each. Beside one another, so that `src/place.ts` knows the root from any of them.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { build } from 'esbuild'

/** What is imported from outside, and what is begun by the name of its file. */
const programs = [
  'src/cli.ts',
  'src/index.ts',
  'src/client.ts',
  'src/store/sqlite/writer.ts',
  'src/store/sqlite/reader.ts',
  'src/commands/workers/worker.ts',
]

await build({
  entryPoints: programs,
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  // What several need is there once: a class is the same to the service and to a definition.
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node26',
  sourcemap: 'linked',
  // The package has the source itself.
  sourcesContent: false,
  logLevel: 'warning',
})

// It is sent as `/client.js`, and is the same text as where nothing was built.
const runtime = readFileSync('src/describe/client/runtime.ts', 'utf8')
writeFileSync('dist/runtime.js', stripTypeScriptTypes(runtime))
