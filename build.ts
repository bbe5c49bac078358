/**
 * Makes the JavaScript of the package: few files in `dist/`, for Node takes its time to find and
 * link each. They lie beside one another, so that `src/package-paths.ts` knows the root from any of them.
 */

import { build, type Plugin } from 'esbuild'
import { commands } from './src/cli.ts'

/** What is imported from outside, and what is begun by the name of its file. */
const programs = [
  'src/cli.ts',
  'src/index.ts',
  'src/client.ts',
  'src/store/sqlite/write/writer-main.ts',
  'src/store/sqlite/read/reader-main.ts',
  'src/store/sqlite/connection/file-checker.ts',
  'src/commands/workers/worker.ts',
]

/**
 * What is loaded on demand makes a file of all that the same few need. With every command apart,
 * `serve` would be twice as many files; so the others are one together, without `init`, which
 * needs next to nothing.
 */
const otherCommands: Plugin = {
  name: 'other-commands',
  setup({ onResolve, onLoad }) {
    const others = [...commands.keys()].filter((name) => name !== 'serve' && name !== 'init')
    const filter = new RegExp(`^\\./commands/(${others.join('|')})\\.ts$`)
    const contents = others.map((name) => `export * from './commands/${name}.ts'`).join('\n')
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: 'others', namespace: 'commands' } : undefined,
    )
    onLoad({ filter: /^others$/, namespace: 'commands' }, () => ({ contents, resolveDir: 'src' }))
  },
}

await build({
  entryPoints: programs,
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  // What several need is there once: a class is the same to the service and to a definition.
  splitting: true,
  plugins: [otherCommands],
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node26',
  sourcemap: 'linked',
  // The package has the source itself.
  sourcesContent: false,
  logLevel: 'warning',
})
